"""Active time: what counts, what does not, and the cover that says that the clock stands still."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Judgment
from campaign.models import Judge
from tests.browser.conftest import IN_VIEWS, NewPage, SignIn
from tests.browser.judging import all_sent, at_sentence, judge_block, rank_of, type_ranks
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


def stillness_allowed(page: Page, *texts: tuple[str, str]) -> Any:
    source, *candidates = [{"text": text, "lang": lang} for text, lang in texts]
    block = {"source": source, "references": [], "candidates": candidates}
    return page.evaluate(
        "async (block) => (await import('/static/judge/reading.js')).stillnessAllowed(block)",
        block,
    )


def test_stillness_is_allowed_as_long_as_reading_takes(page_with_clock: Page) -> None:
    """70 words or 125 Chinese characters a minute, half a minute to think, five at most."""
    page = page_with_clock
    assert stillness_allowed(page, ("word " * 70, "en"), ("Ein Wort, noch " * 7, "de")) == 108_000
    assert stillness_allowed(page, ("字" * 125, "zh"), ("。" * 40, "zh")) == 90_000
    assert stillness_allowed(page, ("博物馆 opens at ten", "zh"), ("", "en")) == 34_011
    assert stillness_allowed(page, ("word " * 2000, "en")) == 300_000


def test_stillness_beyond_reading_pauses_and_does_not_count(
    page_with_clock: Page, judge: Judge
) -> None:
    page = page_with_clock
    type_ranks(page, "12")
    page.clock.fast_forward(600_000)
    expect(cover(page)).to_be_visible()
    expect(cover(page).get_by_role("button", name="Continue")).to_be_focused()
    page.clock.fast_forward(600_000)
    page.keyboard.press("Enter")
    expect(cover(page)).to_be_hidden()
    at_sentence(page, 1)
    expect(rank_of(page, "C", 1)).to_be_focused()
    judge_block(page, "345")
    at_sentence(page, 2)
    all_sent(page)
    judgment = Judgment.objects.get(judge=judge)
    assert judgment.labels == [1, 2, 3, 4, 5]
    assert judgment.duration_ms is not None
    assert judgment.active_ms is not None
    assert 1_200_000 <= judgment.duration_ms < 1_260_000
    # Six words of source, four of reference, five outputs of four words each, and half a minute.
    assert 50_000 <= judgment.active_ms < 70_000


@pytest.mark.parametrize("key", ["Enter", "Space", "Escape"])
def test_the_cover_is_taken_off_by_key_and_ranks_nothing(page_with_clock: Page, key: str) -> None:
    page = page_with_clock
    page.clock.fast_forward(600_000)
    expect(cover(page)).to_be_visible()
    page.keyboard.press("3")
    page.keyboard.press(key)
    expect(cover(page)).to_be_hidden()
    expect(page.locator("#missing")).to_have_text("Nothing is ranked yet")


def leave(page: Page) -> None:
    page.evaluate("document.hasFocus = () => false; dispatchEvent(new Event('blur'))")


def come_back(page: Page) -> None:
    page.evaluate("document.hasFocus = () => true; dispatchEvent(new Event('focus'))")


def test_a_glance_elsewhere_stops_the_clock_without_a_cover(
    page_with_clock: Page, judge: Judge
) -> None:
    page = page_with_clock
    leave(page)
    page.clock.fast_forward(10_000)
    come_back(page)
    expect(cover(page)).to_be_hidden()
    judge_block(page)
    at_sentence(page, 2)
    all_sent(page)
    judgment = Judgment.objects.get(judge=judge)
    assert judgment.duration_ms is not None
    assert judgment.active_ms is not None
    assert judgment.duration_ms - judgment.active_ms >= 10_000


def uncounted(page: Page) -> Locator:
    return page.locator("#uncounted")


def test_looking_something_up_for_a_minute_hides_nothing_and_is_said_not_to_count(
    page_with_clock: Page, judge: Judge
) -> None:
    page = page_with_clock
    expect(uncounted(page)).to_be_hidden()
    leave(page)
    page.clock.run_for(60_000)
    expect(cover(page)).to_be_hidden()
    expect(uncounted(page)).to_have_text(re.compile(r"^Not counted: (1:0\d|0:59)$"))
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


def test_a_moment_in_another_window_is_not_worth_a_word(page_with_clock: Page) -> None:
    page = page_with_clock
    leave(page)
    page.clock.run_for(2_000)
    come_back(page)
    expect(uncounted(page)).to_be_hidden()


def test_the_cover_counts_what_does_not_count(page_with_clock: Page) -> None:
    page = page_with_clock
    leave(page)
    page.clock.run_for(76_000)
    expect(cover(page)).to_contain_text(re.compile(r"Not counted: 1:1\d"))
    page.clock.run_for(60_000)
    expect(cover(page)).to_contain_text(re.compile(r"Not counted: 2:1\d"))


def test_another_window_for_longer_is_a_pause(page_with_clock: Page) -> None:
    page = page_with_clock
    leave(page)
    page.clock.fast_forward(80_000)
    expect(cover(page)).to_be_visible()
    come_back(page)
    expect(cover(page)).to_be_visible()
    cover(page).click(position={"x": 5, "y": 5})
    expect(cover(page)).to_be_hidden()


@IN_VIEWS
def test_the_cover_dims_the_sentence_and_hides_nothing(
    new_page: NewPage,
    sign_in: SignIn,
    judge: Judge,
    axe_check: Callable[[Page], None],
    viewport: dict[str, int],
    scheme: str,
) -> None:
    page = new_page(viewport=viewport, color_scheme=scheme)
    page.clock.install()
    sign_in(page, judge)
    at_sentence(page, 1)
    page.clock.fast_forward(600_000)
    expect(cover(page)).to_be_visible()
    assert cover(page).bounding_box() == {"x": 0, "y": 0, **viewport}
    colour = cover(page).evaluate("(each) => getComputedStyle(each).backgroundColor")
    assert re.search(r"[,/] ?0\.6\)$", colour), f"not see-through: {colour}"
    expect(page.locator("#source")).to_be_visible()
    # axe waits by timers that stand still otherwise.
    page.clock.resume()
    axe_check(page)
