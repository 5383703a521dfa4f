"""Second thoughts: a change is saved or discarded, a skip is found again, and Escape leads back."""

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Judgment, Skip
from campaign.models import Judge
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
    return make_judge(
        make_task(make_campaign(), documents=(6, 6), identical=()).test_set.campaign,
    )


@pytest.fixture
def third(judging: Page) -> Page:
    """At the third sentence, after two that were judged and sent."""
    for position in (1, 2):
        at_sentence(judging, position)
        judge_block(judging, "12345")
    at_sentence(judging, 3)
    all_sent(judging)
    return judging


def back_at(page: Page, position: int) -> None:
    expect(page.locator("#sentence")).to_have_text(f"Back at item {position} of 3")


def question(page: Page) -> Locator:
    return page.get_by_role("dialog", name="You have an unsent change")


def history(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Your judgments")


def order(page: Page, words: str) -> None:
    expect(page.locator("#order")).to_have_text(words)


def labels(judge: Judge) -> list[list[int | None]]:
    judgments = Judgment.objects.filter(judge=judge).order_by("pk")
    return [judgment.labels for judgment in judgments]


def skip_by_keys(page: Page, digit: str) -> None:
    for key in ("s", digit, "Enter"):
        page.keyboard.press(key)


@pytest.mark.thorough
def test_going_further_back_asks_and_saves_the_change(
    third: Page,
    judge: Judge,
) -> None:
    third.keyboard.press("u")
    back_at(third, 2)
    type_ranks(third, "5")
    expect(third.locator("#status")).to_have_text("Change not sent")
    third.keyboard.press("u")
    expect(question(third)).to_be_visible()
    expect(question(third).get_by_role("button", name="Save change")).to_be_focused()
    third.keyboard.press("Enter")
    # Saved, and on to where the judge was going.
    back_at(third, 1)
    expect(third.get_by_role("button", name="Return")).to_be_visible()
    all_sent(third)
    assert labels(judge)[2:] == [[5, 2, 3, 4, 5]]
    assert (
        Judgment.objects.latest("pk").supersedes == Judgment.objects.order_by("pk")[1]
    )


@pytest.mark.thorough
def test_escape_returns_without_a_change_and_asks_with_one(
    third: Page,
    judge: Judge,
) -> None:
    third.keyboard.press("u")
    third.keyboard.press("Escape")
    at_sentence(third, 3)
    # Nothing to leave here.
    third.keyboard.press("Escape")
    at_sentence(third, 3)
    third.keyboard.press("u")
    type_ranks(third, "5")
    third.keyboard.press("Escape")
    expect(question(third)).to_be_visible()
    third.keyboard.press("Escape")
    expect(question(third)).to_be_hidden()
    back_at(third, 2)
    order(third, "B > C > D > A = E")
    third.keyboard.press("Escape")
    question(third).get_by_role("button", name="Save change").click()
    at_sentence(third, 3)
    all_sent(third)
    assert labels(judge)[2:] == [[5, 2, 3, 4, 5]]


@pytest.mark.thorough
def test_an_incomplete_change_is_not_saved_and_says_what_is_missing(
    third: Page,
    judge: Judge,
) -> None:
    third.keyboard.press("u")
    third.keyboard.press("Shift+Digit0")
    type_ranks(third, "123")
    third.keyboard.press("u")
    third.keyboard.press("Enter")
    expect(question(third)).to_be_hidden()
    back_at(third, 2)
    expect(third.locator("#missing")).to_have_text("D and E not ranked yet")
    assert len(labels(judge)) == 2


@pytest.mark.thorough
def test_shift_and_0_clear_all_and_bring_all_back(judging: Page) -> None:
    type_ranks(judging, "2134")
    judging.keyboard.press("Shift+Digit0")
    order(judging, "")
    expect(judging.locator("#rows input:checked")).to_have_count(0)
    expect(rank_of(judging, "A", 1)).to_be_focused()
    judging.keyboard.press("Shift+Digit0")
    order(judging, "B > A > C > D")
    expect(rank_of(judging, "E", 1)).to_be_focused()
    # Where Shift and that key type the digit, as on a French keyboard, one rank goes and not all.
    rank_of(judging, "D", 4).focus()
    judging.evaluate(
        """() => document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
            { code: "Digit0", key: "0", shiftKey: true, bubbles: true, cancelable: true }))""",
    )
    order(judging, "B > A > C")
    judging.keyboard.press("Shift+Backspace")
    order(judging, "")
    # What is ranked anew is not thrown away by a second thought.
    type_ranks(judging, "5")
    judging.keyboard.press("Shift+Digit0")
    judging.keyboard.press("Shift+Digit0")
    order(judging, "A")


@pytest.mark.thorough
def test_a_skip_is_in_the_list_and_taken_back_from_there(
    judging: Page,
    judge: Judge,
) -> None:
    skip_by_keys(judging, "3")
    for position in (2, 3):
        at_sentence(judging, position)
        judge_block(judging)
    at_sentence(judging, 1)
    all_sent(judging)
    # A page opened anew knows nothing of a HIT that is done.
    judging.reload()
    at_sentence(judging, 1)
    judging.keyboard.press("h")
    entries = history(judging).get_by_role("listitem")
    expect(entries).to_have_count(3)
    expect(entries.nth(2)).to_contain_text("Skipped: I cannot judge this")
    entries.nth(2).get_by_role("button").click()
    back_at(judging, 1)
    note = judging.get_by_text("You skipped this item: I cannot judge this.")
    expect(note).to_be_visible()
    judge_block(judging, "54321")
    at_sentence(judging, 1)
    expect(note).to_be_hidden()
    all_sent(judging)
    skip = Skip.objects.get(judge=judge)
    taken_back = Judgment.objects.get(judge=judge, block=skip.block)
    assert (taken_back.labels, taken_back.supersedes) == ([5, 4, 3, 2, 1], None)
    assert not Skip.objects.standing().exists()
    judging.keyboard.press("h")
    expect(entries).to_have_count(3)
    expect(entries.nth(0)).to_contain_text("E > D > C > B > A")
    expect(history(judging)).not_to_contain_text("Skipped")
