"""Active time: what counts, what does not, and the cover that says that the clock stands still."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Judgment
from campaign.models import Judge
from tests.browser.conftest import NewPage, SignIn
from tests.browser.judging import (
    all_sent,
    at_sentence,
    judge_block,
    rank_of,
    type_ranks,
)
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def judge() -> Judge:
    return make_judge(make_task(make_campaign(), identical=()).test_set.campaign)


@pytest.fixture
def page_with_clock(new_page: NewPage, judge: Judge, sign_in: SignIn) -> Page:
    page = new_page()
    page.clock.install()
    sign_in(page, judge)
    at_sentence(page, 1)
    return page


def cover(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Paused")


@pytest.mark.thorough
def test_stillness_beyond_reading_pauses_and_does_not_count(
    page_with_clock: Page,
    judge: Judge,
) -> None:
    page = page_with_clock
    type_ranks(page, "12")
    page.clock.fast_forward(600_000)
    expect(cover(page)).to_be_visible()
    expect(cover(page).get_by_role("button", name="Continue")).to_be_focused()
    page.clock.fast_forward(600_000)
    # A digit ranks nothing below the cover, and the key that takes it off does nothing else.
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    expect(cover(page)).to_be_hidden()
    at_sentence(page, 1)
    expect(page.locator("#order")).to_have_text("A > B")
    expect(rank_of(page, "C", 1)).to_be_focused()
    judge_block(page, "345")
    at_sentence(page, 2)
    all_sent(page)
    judgment = Judgment.objects.get(judge=judge)
    assert judgment.labels == [1, 2, 3, 4, 5]
    assert judgment.duration_ms is not None
    assert judgment.active_ms is not None
    assert judgment.duration_ms >= 1_200_000
    # Six words of source, four of reference, five outputs of four words each, and half a minute: not ten of them.
    assert 50_000 <= judgment.active_ms < 600_000


def leave(page: Page) -> None:
    page.evaluate("document.hasFocus = () => false; dispatchEvent(new Event('blur'))")


def come_back(page: Page) -> None:
    page.evaluate("document.hasFocus = () => true; dispatchEvent(new Event('focus'))")


def uncounted(page: Page) -> Locator:
    return page.locator("#uncounted")


@pytest.mark.thorough
def test_minute_in_another_window_hides_nothing_and_does_not_count(
    page_with_clock: Page,
    judge: Judge,
) -> None:
    page = page_with_clock
    expect(uncounted(page)).to_be_hidden()
    leave(page)
    page.clock.run_for(60_000)
    expect(cover(page)).to_be_hidden()
    expect(uncounted(page)).to_have_text(re.compile(r"^Not counted: (\d+:\d\d)$"))
    come_back(page)
    expect(cover(page)).to_be_hidden()
    expect(uncounted(page)).to_be_visible()
    judge_block(page)
    at_sentence(page, 2)
    # It was said of the sentence before.
    expect(uncounted(page)).to_be_hidden()
    all_sent(page)
    judgment = Judgment.objects.get(judge=judge)
    assert judgment.duration_ms is not None
    assert judgment.active_ms is not None
    assert judgment.duration_ms - judgment.active_ms >= 60_000
