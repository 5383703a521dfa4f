"""The activity log on its page, in files and by REST: the same events, the same filters, for organisers alone."""

import json
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from campaign.models import (
    ActivityEvent,
    Campaign,
    Judge,
    User,
)
from tests.factories import make_campaign, make_judge, make_organiser, make_task

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/museum/activity/"
API = "/api/v1/campaigns/museum/activity/"
SETTINGS = "/campaigns/museum/settings/"


@pytest.fixture
def olga(campaign: Campaign) -> User:
    return make_organiser(campaign)


@pytest.fixture
def organiser(olga: User, client: Client) -> Client:
    client.force_login(olga)
    return client


def page_of(client: Client, **asked: str) -> str:
    response = client.get(PAGE, asked)
    assert response.status_code == 200
    return response.content.decode()


def found_by_api(user: User, **asked: str) -> list[dict[str, Any]]:
    client = APIClient()
    client.force_authenticate(user)
    response = client.get(API, asked)
    assert response.status_code == 200, response.content
    return list(response.json()["results"])


def test_a_change_on_a_page_is_shown_with_who_and_both_values(
    campaign: Campaign,
    organiser: Client,
) -> None:
    form = organiser.get(SETTINGS).context["form"]
    sent = {name: form[name].value() for name in form.fields} | {
        "judged_0": "translations",
    }
    sent = {name: value for name, value in sent.items() if value not in (None, False)}
    assert organiser.post(SETTINGS, sent | {"lease_minutes": "90"}).status_code == 302
    shown = " ".join(page_of(organiser).split())
    assert "<bdi>Olga</bdi>" in shown
    assert "Campaign changed: <bdi>Museum</bdi>" in shown
    assert "HIT lease in minutes: <bdi>60</bdi> → <bdi>90</bdi>" in shown


def test_a_change_by_rest_names_the_user_of_the_token(
    campaign: Campaign,
    olga: User,
) -> None:
    client = APIClient()
    client.force_authenticate(olga)
    assert client.patch("/api/v1/campaigns/museum/", {"pay": "€ 20"}).status_code == 200
    event, *_others = found_by_api(olga)
    assert event["changes"] == {"pay": ["", "€ 20"]}
    assert (event["by"], event["user"], event["kind"]) == (
        "api",
        "Olga",
        "campaign.campaign",
    )


def test_a_judge_stands_under_their_pseudonym(campaign: Campaign, olga: User) -> None:
    """Never under the name of their account, which analysts and other judges do not know either."""
    judge = make_judge(campaign)
    assert judge.user is not None
    User.objects.filter(pk=judge.user.pk).update(name="Ada Real-Name")
    client = Client()
    client.force_login(judge.user)
    make_task(campaign)
    response = client.post("/judge/museum/decline/", {"action": "decline"})
    assert response.status_code == 302
    event, *_others = found_by_api(olga, person="judges")
    assert event["changes"].keys() == {"declined_at"}
    assert (event["by"], event["user"]) == ("page", "judge01")
    assert "Real-Name" not in json.dumps(found_by_api(olga))


@pytest.fixture
def busy(campaign: Campaign, olga: User) -> User:
    """Somebody changed something in a hurry."""
    make_task(campaign, planned=0)
    judge = make_judge(campaign, "anna")
    for number in range(70):
        Judge.objects.filter(pk=judge.pk).update(note=f"number {number}")
    return olga


@pytest.mark.thorough
def test_pages_go_on_where_the_last_one_ended(busy: User, client: Client) -> None:
    client.force_login(busy)
    seen: list[int] = []
    address = PAGE
    while address:
        response = client.get(address)
        seen += [row.event.pk for row in response.context["table"].data]
        older = response.context["older"]
        address = f"{PAGE}?before={older}" if older else ""
    assert seen == list(
        ActivityEvent.objects.order_by("-pk").values_list("pk", flat=True),
    )
    assert len(seen) > 70
    assert len(client.get(PAGE).context["table"].data) == 50


def test_another_campaigns_organiser_sees_nothing(
    campaign: Campaign,
    olga: User,
) -> None:
    other = make_campaign("other")
    stranger = make_organiser(other, "stranger@example.org")
    client = Client()
    client.force_login(stranger)
    for ending in ("/", ".csv", ".jsonl"):
        assert client.get(f"/campaigns/museum/activity{ending}").status_code == 404
        assert client.get(f"/campaigns/other/activity{ending}").status_code == 200
    own = b"".join(client.get("/campaigns/other/activity.jsonl")).decode()
    assert {json.loads(line)["thing_id"] for line in own.splitlines()} == {
        other.pk,
        other.memberships.get().pk,
    }
    # Nor who is at work in the other.
    User.objects.filter(pk=stranger.pk).update(name="Stranger")
    assert "Olga" not in client.get("/campaigns/other/activity/").content.decode()
