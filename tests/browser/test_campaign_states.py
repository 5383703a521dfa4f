"""A campaign is paused, goes on, is closed, cloned, deleted and restored in a real browser, while a judge judges."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from campaign.models import Campaign
from tests.browser.conftest import NewPage, SignIn
from tests.browser.judging import all_sent, at_sentence, judge_block
from tests.browser.organising import enter
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough,
]


@pytest.fixture
def campaign() -> Campaign:
    return make_task(make_campaign(), documents=(9, 9), identical=()).test_set.campaign


def to_state(page: Page) -> None:
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("link", name="State", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("State")


def change(page: Page, words: str) -> None:
    page.get_by_role("link", name=words).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(words)
    page.get_by_role("button", name=words).click()


def judge_hit(page: Page) -> None:
    for position in (1, 2, 3):
        at_sentence(page, position)
        judge_block(page)


def test_campaign_is_paused_while_a_judge_works(
    new_page: NewPage,
    sign_in: SignIn,
    campaign: Campaign,
) -> None:
    organiser, judge = new_page(), new_page()
    sign_in(judge, make_judge(campaign))
    at_sentence(judge, 1)
    enter(organiser, campaign)
    to_state(organiser)
    organiser.get_by_role("link", name="Pause campaign").click()
    expect(
        organiser.get_by_text("Judges at work: 1. Items in hand: 3."),
    ).to_be_visible()
    organiser.get_by_role("button", name="Pause campaign").click()
    expect(organiser.get_by_text("This campaign has been paused")).to_be_visible()
    judge_hit(judge)
    all_sent(judge)
    expect(judge.locator("#rest-text")).to_contain_text("paused this campaign")
    assert Judgment.objects.count() == 3
    judge.reload()
    expect(judge.locator("#rest-text")).to_contain_text("paused this campaign")
    organiser.get_by_role("button", name="Undo: Resume").click()
    expect(organiser.get_by_text("This campaign has been open")).to_be_visible()
    judge.evaluate("dispatchEvent(new Event('focus'))")
    at_sentence(judge, 1)
    change(organiser, "Close campaign")
    judge_hit(judge)
    all_sent(judge)
    expect(judge.locator("#rest-text")).to_contain_text("This campaign is closed")
    assert Judgment.objects.count() == 6
