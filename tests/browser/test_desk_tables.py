"""The tables of invitations, time and test sets in a real browser, on a desktop and on a phone."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect

from annotation.models import WorkedQuarterHour
from annotation.services import judge_decline
from campaign.models import Campaign, InvitationMail
from campaign.services import invitation_create_for_anybody, judges_invite_by_mail
from tests.browser.conftest import ON_A_DARK_PHONE, NewPage
from tests.browser.organising import enter
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def campaign() -> Campaign:
    """Links and judges with everything that stands in their rows, and two judges at work."""
    campaign = make_campaign()
    task = make_task(campaign, planned=0)
    make_task(campaign, name="a-name-of-a-test-set-that-goes-on-and-on-without-a-break", planned=0)
    for note in ("mailing list", "a-note-that-goes-on-and-on-without-any-place-for-a-break"):
        invitation_create_for_anybody(campaign=campaign, cap=30, note=note)
    address = "a-very-long-address-of-somebody@department.university.example.org"
    judges_invite_by_mail(campaign=campaign, addresses=[address], base_url="https://x")
    InvitationMail.objects.update(state="failed", error="550 no-such-user-at-this-host.example.org")
    for pseudonym in ("ada", "ben"):
        judge = make_judge(campaign, pseudonym)
        WorkedQuarterHour.objects.create(
            task=task,
            judge=judge,
            start=datetime(2026, 11, 16, 9, tzinfo=UTC),
            sentences=1200,
            active_ms=3_600_000,
            untimed=1,
        )
    judge_decline(judge=judge)
    return campaign


def fits(page: Page, axe_check: Callable[[Page], None], viewport: dict[str, int]) -> None:
    axe_check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


@ON_A_DARK_PHONE
def test_they_fit_and_axe_finds_nothing(
    new_page: NewPage,
    axe_check: Callable[[Page], None],
    campaign: Campaign,
    viewport: dict[str, int],
    scheme: str,
) -> None:
    page = new_page(viewport=viewport, color_scheme=scheme)
    enter(page, campaign)
    page.goto("/campaigns/museum/invitations/")
    expect(page.get_by_role("table")).to_have_count(2)
    expect(page.get_by_role("button", name="Withdraw … ada")).to_be_visible()
    fits(page, axe_check, viewport)
    judges = page.get_by_role("search", name="Filter: Judges")
    judges.get_by_label("State").select_option("declined")
    judges.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("rowheader", name="ben")).to_be_visible()
    expect(page.get_by_role("rowheader", name="ada")).to_have_count(0)
    expect(page.get_by_role("rowheader", name="mailing list")).to_be_visible()
    judges.get_by_role("link", name="Show all").click()
    expect(page.get_by_role("rowheader", name="ada")).to_be_visible()
    page.goto("/campaigns/museum/people/time/")
    expect(page.get_by_role("row", name="All judges")).to_contain_text("2:00:00")
    fits(page, axe_check, viewport)
    page.get_by_role("columnheader").get_by_role("link", name="Judge").click()
    expect(page.get_by_role("rowheader").first).to_have_text("ben")
    page.goto("/campaigns/museum/test-sets/")
    page.get_by_label("Name contains").fill("go")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("rowheader")).to_have_count(1)
    fits(page, axe_check, viewport)
