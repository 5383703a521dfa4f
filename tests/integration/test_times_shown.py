"""Times in the reader's time zone: the campaign's for organisers, the browser's for judges, each with its name."""

import re
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.core import mail
from django.db.models.functions import TruncDate
from django.test import Client
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from campaign.accounts.time_zone import COOKIE
from campaign.models import Campaign
from campaign.services.campaigns import RulesRefusedError, campaign_change
from campaign.services.invitation_mails import judges_invite_by_mail
from campaign.services.mails import mails_send_due
from campaign.services.notification import Message
from campaign.texts.time_zones import ANYWHERE_ON_EARTH, named_zone
from ranking.selectors.dashboards import campaign_overview
from tests.factories import make_campaign, make_judge, make_organiser, make_task

pytestmark = pytest.mark.django_db
STATE = "/campaigns/museum/state/"
CLOSING = datetime(2126, 12, 13, 2, tzinfo=UTC)
LOS_ANGELES = "America/Los_Angeles"


@pytest.fixture
def campaign() -> Campaign:
    return make_task(make_campaign(), planned=0).test_set.campaign


@pytest.fixture
def organiser(campaign: Campaign) -> Client:
    client = Client()
    client.force_login(make_organiser(campaign))
    return client


def closing(campaign: Campaign) -> datetime | None:
    return Campaign.objects.get(pk=campaign.pk).closes_at


def schedule(client: Client, **entered: str) -> Any:
    return client.post(STATE, entered)


def field(client: Client, name: str) -> str:
    page = client.get(STATE).content.decode()
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    return found[1] if found else ""


class TestClosingTime:
    def test_time_entered_in_los_angeles_is_one_of_los_angeles(
        self,
        organiser: Client,
        campaign: Campaign,
    ) -> None:
        assert schedule(
            organiser,
            closes_at="2126-12-12T18:00",
            time_zone=LOS_ANGELES,
        ).url
        assert closing(campaign) == CLOSING
        page = organiser.get(STATE).content.decode()
        assert re.search(r"[AP]M UTC−[78]<", page)
        assert f'<option value="{LOS_ANGELES}" selected>' in page
        assert field(organiser, "closes_at") == "2126-12-12T18:00"

    def test_anywhere_on_earth_is_offered(
        self,
        organiser: Client,
        campaign: Campaign,
    ) -> None:
        schedule(organiser, closes_at="2126-12-12T23:59", time_zone=ANYWHERE_ON_EARTH)
        assert closing(campaign) == datetime(2126, 12, 13, 11, 59, tzinfo=UTC)
        assert re.search(r"[AP]M AoE<", organiser.get(STATE).content.decode())
        # Days of the page's figures begin when they do there.
        overview = campaign_overview(
            campaign=Campaign.objects.get(),
            now=datetime(2126, 12, 13, 11, 58, tzinfo=UTC),
        )
        assert overview[0].days[-1].start.date() == date(2126, 12, 12)

    def test_doubled_hour_is_its_later_one_and_stays_what_it_was(
        self,
        organiser: Client,
        campaign: Campaign,
    ) -> None:
        schedule(organiser, closes_at="2126-10-27T02:30", time_zone="Europe/Prague")
        assert closing(campaign) == datetime(2126, 10, 27, 1, 30, tzinfo=UTC)
        earlier = datetime(2126, 10, 27, 0, 30, 17, tzinfo=UTC)
        Campaign.objects.update(closes_at=earlier)
        schedule(
            organiser,
            closes_at=field(organiser, "closes_at"),
            time_zone="Europe/Prague",
        )
        assert closing(campaign) == earlier

    def test_skipped_hour_is_refused_at_its_field(
        self,
        organiser: Client,
        campaign: Campaign,
    ) -> None:
        answer = schedule(
            organiser,
            closes_at="2126-03-31T02:30",
            time_zone="Europe/Prague",
        )
        assert answer.status_code == 400
        assert set(answer.context["form"].errors) == {"closes_at"}
        assert closing(campaign) is None

    def test_refused_time_changes_no_zone(
        self,
        organiser: Client,
        campaign: Campaign,
    ) -> None:
        answer = schedule(
            organiser,
            closes_at="2020-01-01T00:00",
            time_zone=LOS_ANGELES,
        )
        assert answer.status_code == 400
        assert Campaign.objects.get(pk=campaign.pk).time_zone == ""

    def test_page_without_the_field_keeps_the_zone(
        self,
        organiser: Client,
        campaign: Campaign,
    ) -> None:
        campaign_change(campaign=campaign, time_zone=LOS_ANGELES)
        schedule(organiser, closes_at="2126-12-12T18:00")
        assert closing(campaign) == CLOSING

    def test_unknown_zone_is_refused(self, campaign: Campaign) -> None:
        for name in ("Europe/Atlantis", "../etc/passwd", "localtime"):
            with pytest.raises(RulesRefusedError):
                campaign_change(campaign=campaign, time_zone=name)


def test_new_campaign_has_the_zone_of_its_organiser() -> None:
    client = Client()
    client.force_login(make_organiser(make_campaign()))
    client.cookies[COOKIE] = LOS_ANGELES
    client.post("/new-campaign/", {"name": "Second"})
    assert Campaign.objects.get(slug="second").time_zone == LOS_ANGELES
    client.cookies[COOKIE] = "../../etc/passwd"
    client.post("/new-campaign/", {"name": "Third"})
    assert Campaign.objects.get(slug="third").time_zone == ""


@pytest.mark.parametrize(
    ("cookie", "shown"),
    [
        ("", "Dec. 13, 2126, 2:00 AM UTC<"),
        (LOS_ANGELES, "Dec. 12, 2126, 6:00 PM UTC−8<"),
        ("Asia/Kolkata", "Dec. 13, 2126, 7:30 AM UTC+5:30<"),
        ("Etc/GMT+3", "Dec. 12, 2126, 11:00 PM UTC−3<"),
        ("Europe/Atlantis", "Dec. 13, 2126, 2:00 AM UTC<"),
    ],
)
def test_judge_sees_the_closing_time_in_the_zone_of_their_browser(
    campaign: Campaign,
    cookie: str,
    shown: str,
) -> None:
    Campaign.objects.update(closes_at=CLOSING, time_zone="Europe/Prague")
    judge = make_judge(campaign)
    assert judge.user is not None
    client = Client()
    client.force_login(judge.user)
    client.cookies[COOKIE] = cookie
    page = client.get("/judge/museum/decline/").content.decode()
    assert shown in page
    # For a first visit, which has no cookie.
    assert f'<time class="own-zone" datetime="{CLOSING.date()}T' in page or cookie


def test_mail_names_the_zone_of_its_campaign(campaign: Campaign) -> None:
    Campaign.objects.update(time_zone="Asia/Kolkata")
    campaign.refresh_from_db()
    judges_invite_by_mail(
        campaign=campaign,
        addresses=["ada@example.org"],
        message=Message(base_url="https://judge.example.org"),
    )
    mails_send_due()
    (message,) = mail.outbox
    assert re.search(r"[AP]M UTC\+5:30\.", str(message.body))


def test_database_reads_days_anywhere_on_earth_as_pages_do(campaign: Campaign) -> None:
    # Django would read the name “Etc/GMT+12” as an offset of twelve hours the other way.
    Campaign.objects.update(closes_at="2126-12-13T11:59Z")
    day = TruncDate("closes_at", tzinfo=named_zone(ANYWHERE_ON_EARTH))
    assert Campaign.objects.values_list(day, flat=True).get(pk=campaign.pk) == date(
        2126,
        12,
        12,
    )


def test_zone_ends_with_its_request(organiser: Client, campaign: Campaign) -> None:
    campaign_change(campaign=campaign, time_zone=LOS_ANGELES)
    organiser.get(STATE)
    assert timezone.get_current_timezone_name() == "UTC"


def test_rest_gives_times_of_the_server_with_their_offset(
    campaign: Campaign,
    settings: Settings,
) -> None:
    Campaign.objects.update(closes_at=CLOSING, time_zone=LOS_ANGELES)
    client = APIClient()
    client.force_login(make_organiser(campaign))
    client.cookies[COOKIE] = "Asia/Kolkata"
    found = client.get("/api/v1/campaigns/museum/").json()
    assert (found["closes_at"], found["time_zone"]) == (
        "2126-12-13T02:00:00Z",
        LOS_ANGELES,
    )
