"""What a judge reads of pay, duration and contact, how they decline and come back; names and dates as they write them."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Campaign, InvitationRole, Judge
from campaign.services import (
    campaign_change,
    instructions_write,
    invitation_create,
    invitation_create_for_anybody,
)
from tests.browser.conftest import IN_VIEWS, NewPage, SignIn
from tests.browser.judging import at_sentence, judge_block
from tests.factories import make_campaign, make_judge, make_organiser, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_task(make_campaign(), documents=(9, 9), identical=()).test_set.campaign
    return campaign_change(
        campaign=campaign,
        pay="€15 an hour of active time",
        duration="about 40 minutes",
        contact="ada@example.org",
    )


@IN_VIEWS
def test_the_welcome_page_says_what_judges_get(
    new_page: NewPage,
    campaign: Campaign,
    axe_check: Callable[[Page], None],
    viewport: dict[str, Any],
    scheme: str,
) -> None:
    _, token = invitation_create_for_anybody(campaign=campaign, cap=5)
    page = new_page(viewport=viewport, color_scheme=scheme)
    page.goto(f"/i/{token}/")
    terms = page.locator(".terms")
    expect(terms).to_have_text(
        re.compile(r"Pay\s*€15 an hour.*Duration\s*about 40 minutes\s*Contact\s*ada@", re.DOTALL)
    )
    expect(terms.get_by_role("link")).to_have_attribute("href", "mailto:ada@example.org")
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    axe_check(page)


def test_who_does_not_agree_declines_and_may_come_back(
    new_page: NewPage,
    campaign: Campaign,
    axe_check: Callable[[Page], None],
) -> None:
    judge = make_judge(campaign)
    instructions_write(campaign=campaign, language="en", text="Be kind.", demands_acceptance=True)
    assert judge.user is not None
    _, token = invitation_create(campaign=campaign, user=judge.user, role=InvitationRole.JUDGE)
    page = new_page()
    page.goto(f"/i/{token}/")
    page.get_by_role("button", name="Begin judging").click()
    page.get_by_role("link", name="I do not agree").click()
    expect(page.get_by_role("heading", name="Decline to take part?")).to_be_visible()
    axe_check(page)
    page.get_by_role("button", name="I decline").click()
    expect(page.get_by_role("heading", name="You declined")).to_be_visible()
    axe_check(page)
    page.goto("/judge/museum/")
    expect(page.get_by_role("heading", name="You declined")).to_be_visible()
    page.get_by_role("button", name="Take part after all").click()
    page.get_by_role("button", name="I have read this and agree").click()
    at_sentence(page, 1)


def test_declining_in_the_menu_stops_another_tab_in_words(
    page: Page, campaign: Campaign, sign_in: SignIn, tolerate: list[str]
) -> None:
    tolerate.append("403")
    judge = make_judge(campaign)
    sign_in(page, judge)
    at_sentence(page, 1)
    page.locator("#more").click()
    expect(page.get_by_role("link", name="stop taking part")).to_be_visible()
    tab = page.context.new_page()
    tab.goto("/judge/museum/decline/")
    tab.get_by_role("button", name="I decline").click()
    expect(tab.get_by_role("heading", name="You declined")).to_be_visible()
    page.keyboard.press("Escape")
    for position in (1, 2, 3):
        at_sentence(page, position)
        judge_block(page)
    expect(page.locator("#rest-text")).to_have_text(
        "You declined to take part. Reload this page if you have changed your mind."
    )
    page.reload()
    expect(page.get_by_role("heading", name="You declined")).to_be_visible()


def test_organisers_state_them_on_the_settings_page(page: Page, campaign: Campaign) -> None:
    organiser = make_organiser(campaign)
    _, token = invitation_create(campaign=campaign, user=organiser, role=InvitationRole.ORGANISER)
    page.goto(f"/i/{token}/")
    with page.expect_navigation():
        page.get_by_role("button", name="Sign in as organiser").click()
    page.goto("/campaigns/museum/settings/")
    page.get_by_label("Pay").fill("voluntary")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Changed: Pay.")).to_be_visible()
    campaign.refresh_from_db()
    assert (campaign.pay, campaign.duration) == ("voluntary", "about 40 minutes")


@pytest.mark.parametrize(
    ("locale", "languages", "date"),
    [
        ("en-GB", "Chinese → German", r"\d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d$"),
        ("en-US", "Chinese → German", r"[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d\s[AP]M$"),
        ("de-DE", "Chinesisch → Deutsch", r"\d\d\.\d\d\.\d{4}, \d\d:\d\d$"),
    ],
)
def test_languages_and_dates_are_as_the_judge_writes_them(
    new_page: NewPage, sign_in: SignIn, locale: str, languages: str, date: str
) -> None:
    task = make_task(make_campaign(), source_language="zh", identical=())
    judge: Judge = make_judge(task.test_set.campaign)
    page = new_page(locale=locale)
    sign_in(page, judge)
    expect(page.locator("#languages")).to_have_text(languages)
    judge_block(page)
    expect(page.locator("#status")).not_to_be_empty()
    page.keyboard.press("h")
    expect(page.locator(".past-when").first).to_have_text(re.compile(date))
