"""The time zone of the browser, on a judge's first page and on the pages after it, and a device with a wrong clock."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from annotation.models import Judgment
from campaign.models import Campaign, User
from campaign.services.invitations import invitation_create_for_anybody
from tests.browser.conftest import NewPage, SignIn
from tests.browser.judging import all_sent, at_sentence, judge_block
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_newcomer_sees_the_closing_time_in_the_zone_of_their_browser(
    new_page: NewPage,
) -> None:
    campaign = make_task(make_campaign()).test_set.campaign
    closing = datetime(2126, 12, 13, 2, tzinfo=UTC)
    Campaign.objects.update(closes_at=closing, time_zone="Europe/Prague")
    _link, token = invitation_create_for_anybody(campaign=campaign, cap=1)
    page = new_page(timezone_id="America/Los_Angeles")
    for first in (True, False):
        page.goto(f"/i/{token}/")
        time = page.get_by_role("time")
        expect(time).to_contain_text("Dec")
        expect(time).to_contain_text("12, 2126, 6:00")
        # From the script, then from the server.
        expect(time).to_contain_text("PST" if first else "UTC−8")
    assert User.objects.count() == 0


@pytest.mark.thorough
@pytest.mark.parametrize("hours", [-30, 30])
def test_device_with_a_wrong_clock_judges_and_sees_the_right_times(
    new_page: NewPage,
    sign_in: SignIn,
    hours: int,
) -> None:
    judge = make_judge(make_task(make_campaign(), identical=()).test_set.campaign)
    page = new_page(timezone_id="Asia/Tokyo")
    page.clock.install(time=datetime.now(UTC) + timedelta(hours=hours))
    sign_in(page, judge)
    for position in (1, 2, 3):
        at_sentence(page, position)
        judge_block(page)
    all_sent(page)
    for judgment in Judgment.objects.all():
        assert judgment.active_ms is not None
        assert judgment.active_ms < 600_000
    page.keyboard.press("h")
    last = Judgment.objects.latest("pk").submitted_at + timedelta(hours=9)
    shown = page.locator(".past-when").first
    expect(shown).to_contain_text(f"{last:%b} {last.day}, {last.year}")
    expect(shown).to_contain_text("GMT+9")
