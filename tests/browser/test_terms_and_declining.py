"""What a judge reads of pay, duration and contact, how they decline and come back; names and dates as they write them."""

import re

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Campaign, InvitationRole, Judge
from campaign.services.campaigns import campaign_change
from campaign.services.instructions import instructions_write
from campaign.services.invitations import invitation_create
from tests.browser.conftest import NewPage, SignIn
from tests.browser.judging import at_sentence, judge_block
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_task(
        make_campaign(),
        documents=(9, 9),
        identical=(),
    ).test_set.campaign
    return campaign_change(
        campaign=campaign,
        pay="€15 an hour of active time",
        duration="about 40 minutes",
        contact="ada@example.org",
    )


def test_judge_can_decline_and_return(
    new_page: NewPage,
    campaign: Campaign,
) -> None:
    judge = make_judge(campaign)
    instructions_write(
        campaign=campaign,
        language="en",
        text="Be kind.",
        demands_acceptance=True,
    )
    assert judge.user is not None
    _, token = invitation_create(
        campaign=campaign,
        user=judge.user,
        role=InvitationRole.JUDGE,
    )
    page = new_page()
    page.goto(f"/i/{token}/")
    page.get_by_role("button", name="Begin judging").click()
    page.get_by_role("link", name="I do not agree").click()
    expect(page.get_by_role("heading", name="Decline to take part?")).to_be_visible()
    page.get_by_role("button", name="Decline").click()
    expect(page.get_by_role("heading", name="You declined")).to_be_visible()
    page.goto("/judge/museum/")
    expect(page.get_by_role("heading", name="You declined")).to_be_visible()
    page.get_by_role("button", name="Take part again").click()
    page.get_by_role("button", name="I have read this and agree").click()
    at_sentence(page, 1)


@pytest.mark.thorough
def test_declining_in_the_menu_stops_another_tab_in_words(
    page: Page,
    campaign: Campaign,
    sign_in: SignIn,
    tolerate: list[str],
) -> None:
    tolerate.append("403")
    judge = make_judge(campaign)
    sign_in(page, judge)
    at_sentence(page, 1)
    page.locator("#more").click()
    expect(page.get_by_role("link", name="Stop taking part")).to_be_visible()
    tab = page.context.new_page()
    tab.goto("/judge/museum/decline/")
    tab.get_by_role("button", name="Decline").click()
    expect(tab.get_by_role("heading", name="You declined")).to_be_visible()
    page.keyboard.press("Escape")
    # The page asks for more work, and learns that its HIT was given back.
    judge_block(page)
    expect(page.locator("#rest-text")).to_have_text(
        "You declined to take part. Reload this page to take part again.",
    )
    page.reload()
    expect(page.get_by_role("heading", name="You declined")).to_be_visible()


@pytest.mark.thorough
def test_languages_and_dates_are_as_the_judge_writes_them(
    new_page: NewPage,
    sign_in: SignIn,
) -> None:
    task = make_task(make_campaign(), source_language="zh", identical=())
    judge: Judge = make_judge(task.test_set.campaign)
    page = new_page(locale="de-DE")
    sign_in(page, judge)
    expect(page.locator("#languages")).to_have_text("Chinesisch → Deutsch")
    judge_block(page)
    expect(page.locator("#status")).not_to_be_empty()
    page.keyboard.press("h")
    expect(page.locator(".past-when").first).to_have_text(
        re.compile(r"^\d+\. \w+\.? \d{4}, \d\d:\d\d UTC$"),
    )
