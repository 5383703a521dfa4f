"""The time zone of the browser: on a judge's first page, and on the pages after it."""

from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from campaign.models import Campaign, User
from campaign.services.invitations import invitation_create_for_anybody
from tests.browser.conftest import NewPage
from tests.factories import make_campaign, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_newcomer_sees_the_closing_time_in_the_zone_of_their_browser(new_page: NewPage) -> None:
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
