"""The table of campaigns: whose, in which order, with the numbers of each one's own overview."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from campaign.models import Campaign, Membership, User
from desk.pages.campaigns import CampaignTable, campaign_table
from ranking.pages.overview import overview_rows, totals_of
from ranking.selectors.dashboards import campaign_overview, organised_campaigns
from tests.factories import make_analyst, make_campaign, make_judge, make_organiser
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

LIST = "/campaigns/"
Filled = Callable[..., Campaign]


@pytest.fixture
def organiser() -> User:
    return User.objects.create_user(name="Olga", email="organiser@example.org")


@pytest.fixture
def filled(organiser: User) -> Filled:
    """Makes a campaign of Olga's in which Ada judged so many blocks a day, today the last."""

    def fill(
        slug: str,
        days: tuple[int, ...] = (),
        *,
        wanted: int | None = None,
        **fields: Any,
    ) -> Campaign:
        campaign = make_campaign(slug, **fields)
        Membership.objects.create(campaign=campaign, user=organiser, role="owner")
        writer = TestSetWriter(campaign, f"{slug} en-de", ("A", "B"))
        writer.judge("ada")
        writer.task.blocks_wanted = wanted
        writer.task.save()
        segment, now = 0, timezone.now()
        with writer.at_once():
            for back, blocks in enumerate(reversed(days)):
                for _block in range(blocks):
                    segment += 1
                    at = now - timedelta(days=back)
                    writer.judgment(
                        "ada",
                        writer.block(segment, ["A", "B"]),
                        [1, 2],
                        at=at,
                    )
        return campaign

    return fill


def rows_of(client: Client, address: str = LIST) -> list[list[str]]:
    """The cells of each row, as they are read."""
    body = client.get(address).content.decode()
    found = re.findall(r'<tr role="row">(.*?)</tr>', body, re.DOTALL)[1:]
    return [
        [
            " ".join(re.sub(r"<[^>]+>", " ", cell).split())
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in found
    ]


def names(client: Client, address: str = LIST) -> list[str]:
    return [row[0] for row in rows_of(client, address)]


def table_of(user: User) -> CampaignTable:
    rows = organised_campaigns(user=user)
    return campaign_table(rows, request=RequestFactory().get(LIST))


def test_numbers_are_those_of_the_campaigns_own_overview(
    page: Client,
    filled: Filled,
    organiser: User,
) -> None:
    filled("museum", (4, 6, 5, 3, 7, 5, 5, 4, 2), wanted=100)
    filled("zoo", (3, 0, 0, 0, 0))
    filled("attic")
    table = table_of(organiser)
    shown = {row[0]: row for row in rows_of(page)}
    for campaign in Campaign.objects.all():
        now = timezone.localtime()
        overviews = campaign_overview(campaign=campaign, now=now)
        totals, (line,) = (
            totals_of(overviews),
            overview_rows(overviews, today=now.date()),
        )
        assert totals_of(table.facts[campaign.pk].overviews) == totals
        own = text_of(page.get(f"/campaigns/{campaign.slug}/"))
        name, state, needs, languages, judged, end = shown[campaign.name]
        assert (state, languages) == ("open", f"cs → en {name}")
        assert judged.split()[0] == str(totals.judged)
        assert f"{totals.judged} block{'' if totals.judged == 1 else 's'} judged" in own
        if "of target" in judged:
            assert judged.split(" ", 1)[1] in own
        assert end == f"{line.end} {line.end_range}".strip()
        assert needs.removesuffix(f" {name}").strip() in own or needs == "–"
        assert (needs == "–") == ("Nothing needs your attention" in own)
    assert shown["Museum"][4] == "41 (41% of target)"
    assert re.match(r"\w+\.? \d+, \d{4} ", shown["Museum"][5])
    assert shown["Zoo"][2] == "1 item needs your attention Zoo"


def test_campaigns_needing_attention_come_first(page: Client, filled: Filled) -> None:
    filled("calm", (1,))
    filled("stalled", (3, 0, 0, 0, 0))
    filled("also-calm", (1,))
    assert names(page) == ["Stalled", "Also-Calm", "Calm"]
    assert names(page, f"{LIST}?sort=needs") == ["Also-Calm", "Calm", "Stalled"]
    link = 'href="/campaigns/stalled/#needs"'
    assert link in page.get(LIST).content.decode()


@pytest.mark.thorough
@pytest.mark.parametrize("sort", ["?sort=-end"])
def test_twenty_campaigns_cost_as_many_queries_as_two(
    page: Client,
    filled: Filled,
    sort: str,
) -> None:
    counts = []
    for numbers in (range(2), range(2, 20)):
        for number in numbers:
            filled(f"c{number}", (3, 0, 0, 0, 0), wanted=30)
        page.get(LIST + sort)
        with CaptureQueriesContext(connection) as queries:
            assert len(rows_of(page, LIST + sort)) == numbers.stop
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 30


def test_other_campaigns_are_not_visible(page: Client, filled: Filled) -> None:
    filled("museum", (1,))
    other = make_campaign("secret")
    make_organiser(other, "zoe@example.org")
    make_judge(other)
    Campaign.objects.create(slug="rehearsal", name="Rehearsal", rehearsal_of=other)
    for address in (
        LIST,
        f"{LIST}?name=secret",
        f"{LIST}?sort=-end",
        f"{LIST}?state=open",
    ):
        assert "/campaigns/secret/" not in page.get(address).content.decode()
        assert "Secret" not in names(page, address)
    rita = Client()
    rita.force_login(make_analyst(other))
    assert names(rita) == ["Secret"]


def test_no_password_manager_fills_in_a_filter(page: Client, filled: Filled) -> None:
    """matomo-org/matomo 19872, fleetdm/fleet 34846: they put the name of the account into search fields."""
    filled("calm", (1,))
    html = page.get(LIST).content.decode()
    [form] = re.findall(r'<form class="filters"[^>]*>', html)
    assert 'autocomplete="off"' in form
