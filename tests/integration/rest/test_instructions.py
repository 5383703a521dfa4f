"""Instructions of judges over REST, and making a campaign: by the services of their pages."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from campaign.models import Campaign, CampaignState, MembershipRole, User
from campaign.services import token_create
from tests.factories import make_judge
from tests.integration.rest.test_lists import queries, results
from tests.unchanged import nothing_changes

pytestmark = pytest.mark.django_db


@pytest.fixture
def organising(campaign: Campaign, make_member: Callable[..., User]) -> User:
    return make_member(campaign, "organiser", "olga")


@pytest.fixture
def organiser(organising: User, client_of: Callable[[User], Client]) -> Client:
    return client_of(organising)


def send(client: Client, address: str, sent: Any) -> Any:
    return client.post(address, sent, content_type="application/json")


def test_versions_follow_each_other(organiser: Client, campaign: Campaign) -> None:
    here = f"/api/v1/campaigns/{campaign.slug}/instructions/"
    first = send(organiser, here, {"language": "en", "text": "Rank them."})
    assert first.status_code == 201
    # The first one always is.
    assert first.json()["demands_acceptance"] is True
    second = send(organiser, here, {"language": "en", "text": "Rank them all."}).json()
    assert (second["version"], second["demands_acceptance"]) == (2, False)
    same = send(organiser, here, {"language": "en", "text": "Rank them all."}).json()
    assert same["version"] == 2
    rows = results(organiser, here)
    assert [(row["version"], row["in_force"]) for row in rows] == [(2, True), (1, False)]
    assert not any("text" in row for row in rows)
    assert rows[0]["written_by"] == "olga"
    assert organiser.get(f"{here}1/").json()["text"] == "Rank them."
    assert organiser.get(f"{here}3/").status_code == 404
    one = queries(organiser, f"{here}?page_size=1", 1)
    # Token, user, the count of requests, campaign, versions, those in force.
    assert queries(organiser, here, 2) == one == 5


@pytest.mark.parametrize(
    ("sent", "wrong"),
    [
        ({"language": "klingon", "text": "x"}, "language"),
        ({"language": "en", "text": "  "}, "text"),
        ({"language": "en", "text": "x" * 60_001}, "text"),
    ],
)
def test_what_cannot_be_instructions_is_refused(
    organiser: Client, campaign: Campaign, sent: dict[str, str], wrong: str
) -> None:
    with nothing_changes():
        answer = send(organiser, f"/api/v1/campaigns/{campaign.slug}/instructions/", sent)
    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {wrong}


def test_a_campaign_is_made_as_on_its_page(organiser: Client, organising: User) -> None:
    made = send(organiser, "/api/v1/campaigns/", {"name": "The Zoo, 2026"})
    assert made.status_code == 201
    campaign = Campaign.objects.get(slug="the-zoo-2026")
    assert made.json()["role"] == "owner"
    assert (campaign.name, campaign.state) == ("The Zoo, 2026", CampaignState.DRAFT)
    (owner,) = campaign.memberships.all()
    assert (owner.user, owner.role) == (organising, MembershipRole.OWNER)
    assert organiser.get("/api/v1/campaigns/the-zoo-2026/").json() == made.json()


@pytest.mark.parametrize(
    "sent", [{"name": "Again", "slug": "museum"}, {"name": "!!!"}, {"name": "x", "slug": "a b"}]
)
def test_a_campaign_that_cannot_be_is_refused(
    organiser: Client, campaign: Campaign, sent: dict[str, str]
) -> None:
    with nothing_changes():
        answer = send(organiser, "/api/v1/campaigns/", sent)
    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {"slug"}


def test_who_organises_nothing_makes_none(
    campaign: Campaign, analyst: Client, organising: User, client_of: Callable[..., Client]
) -> None:
    _row, of_one = token_create(user=organising, campaign=campaign)
    others = (
        analyst,
        client_of(make_judge(campaign, "ada").user),
        # A token of one campaign leads to no other.
        Client(headers={"Authorization": f"Token {of_one}"}),
    )
    for client in others:
        with nothing_changes():
            assert send(client, "/api/v1/campaigns/", {"name": "Mine"}).status_code == 403
