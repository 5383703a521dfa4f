"""The dashboard asks each second whether there is news: what it is told, and what that costs."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from campaign.models import Campaign, CampaignState, Membership, Session, User
from ranking.services.runs import ranking_run_compute
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.pages import Response, addresses
from tests.integration.ranking.writing import TestSetWriter

Ask = Callable[[str], Response]

pytestmark = pytest.mark.django_db


# --- Live -------------------------------------------------------------------------------------------


def version_of(response: Response) -> str:
    found = re.search(r'"If-None-Match": "(.*)"}', response.content.decode())
    assert found is not None
    return found[1].replace('\\"', '"')


@pytest.fixture
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The minute does not turn in the middle of the test."""
    now = timezone.now().replace(second=30)
    monkeypatch.setattr("ranking.selectors.dashboards.timezone.now", lambda: now)


@pytest.fixture
def ask(as_organiser: Client, judged: TestSetWriter, still_clock: None) -> Ask:
    live = addresses(judged)["live"]
    return lambda seen: as_organiser.get(
        live,
        headers={"If-None-Match": seen, "HX-Request": "true"},
    )


def test_another_tasks_judgments_are_no_news(
    ask: Ask,
    write_test_set: WriteTestSet,
) -> None:
    seen = version_of(ask(""))
    other = write_test_set(name="two")
    other.judgment("j1", other.block(1, ["A", "B"]), [1, 2])
    other.skip("j1", other.block(2, ["A", "B"]))
    ranking_run_compute(task_id=other.task.pk)

    assert ask(seen).status_code == 304


def test_the_fragment_is_the_part_of_the_page_it_replaces(
    as_organiser: Client,
    judged: TestSetWriter,
    still_clock: None,
) -> None:
    page = as_organiser.get(addresses(judged)["dashboard"]).content.decode()
    fragment = as_organiser.get(addresses(judged)["live"]).content.decode()

    assert fragment.strip().startswith('<div id="dashboard"')
    assert fragment.strip() in page
    assert "<html" not in fragment


# --- Who is answered --------------------------------------------------------------------------------


def test_removed_or_signed_out_user_gets_no_next_update(
    ask: Ask,
    organiser: User,
    as_organiser: Client,
    judged: TestSetWriter,
) -> None:
    seen = version_of(ask(""))
    assert ask(seen).status_code == 304
    membership = Membership.objects.get(user=organiser)
    membership.delete()
    assert (ask(seen).status_code, ask("").status_code) == (404, 404)
    membership.save(force_insert=True)
    assert ask(seen).status_code == 304
    judged.campaign.state = CampaignState.BIN
    judged.campaign.save()
    assert ask(seen).status_code == 404
    judged.campaign.state = CampaignState.OPEN
    judged.campaign.save()
    organiser.set_password("another one")
    organiser.save()
    assert ask(seen).status_code == 401
    as_organiser.force_login(organiser)
    assert ask("").status_code == 200
    Session.objects.filter(user=organiser).update(
        expire_date=timezone.now() - timedelta(hours=1),
    )
    assert ask(seen).status_code == 401
    as_organiser.force_login(organiser)
    User.objects.filter(pk=organiser.pk).update(is_active=False)
    assert ask(seen).status_code == 401
    # No sign-in page is inserted in sections of analyses.
    section = reverse(
        "analysis",
        args=[judged.campaign.slug, judged.task.pk, "diagnosis"],
    )
    for asked in (as_organiser.get, as_organiser.post):
        assert asked(section, headers={"HX-Request": "true"}).status_code == 401


def test_another_role_is_another_answer(
    ask: Ask,
    organiser: User,
    campaign: Campaign,
) -> None:
    seen = version_of(ask(""))
    other = User.objects.create_user(name="Otto", email="otto@example.org")
    Membership.objects.create(campaign=campaign, user=other, role="owner")
    Membership.objects.filter(user=organiser).update(role="analyst")

    assert ask(seen).status_code == 200


# --- What they cost ---------------------------------------------------------------------------------


def queries_of(client: Client, address: str, *, seen: str = "") -> int:
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(
            address,
            headers={"If-None-Match": seen, "HX-Request": "true"},
        )
    assert answer.status_code == (304 if seen else 200)
    return len(queries)


def test_asking_for_news_costs_three_queries(
    as_organiser: Client,
    judged: TestSetWriter,
    still_clock: None,
) -> None:
    """The session, its user, and their membership with the marks of what changes."""
    live = addresses(judged)["live"]
    seen = version_of(as_organiser.get(live))

    assert queries_of(as_organiser, live, seen=seen) == 3


@pytest.mark.thorough
def test_the_dashboard_costs_the_same_with_one_judge_and_with_fifty(
    as_organiser: Client,
    write_test_set: WriteTestSet,
) -> None:
    costs = []
    for name, count in (("one", 1), ("fifty", 50)):
        writer = write_test_set(name=name)
        for number in range(count):
            writer.judgment(
                f"j{number}",
                writer.block(number + 1, ["A", "B", "C"]),
                [1, 2, 3],
            )
        ranking_run_compute(task_id=writer.task.pk)
        as_organiser.get(addresses(writer)["dashboard"])
        costs.append(queries_of(as_organiser, addresses(writer)["dashboard"]))

    # One of them asks for rules that may wait for an organiser.
    assert costs[0] == costs[1] <= 32
