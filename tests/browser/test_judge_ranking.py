"""Ranking blocks: by keyboard alone, by touch alone, with ties, with something missing."""

import re

import pytest
from playwright.sync_api import CDPSession, Page, expect

from annotation.models import Judgment
from campaign.models import Judge, Task
from campaign.services.campaigns import campaign_change
from tests.browser.conftest import SignIn
from tests.browser.judging import (
    all_sent,
    at_sentence,
    judge_block,
    rank_of,
    row,
    rows,
    type_ranks,
)
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign(blocks_per_judge=60), documents=(6, 6), identical=())


def test_a_hit_by_keyboard_alone(judging: Page, judge: Judge) -> None:
    """With ties, a comment, the document, and the differences marked."""
    expect(rows(judging)).to_have_count(5)
    expect(judging.locator("#rows input:checked")).to_have_count(0)
    judging.keyboard.press("d")
    expect(row(judging, "A").locator("mark")).not_to_have_count(0)
    judging.keyboard.press("d")
    expect(judging.locator("#rows mark")).to_have_count(0)
    judge_block(judging, "21345")
    at_sentence(judging, 2)
    source = judging.locator("#texts .source").inner_text()
    judging.keyboard.press("c")
    expect(judging.locator("#context")).to_have_attribute("aria-expanded", "true")
    sentences = judging.locator("#document li")
    expect(sentences).to_have_count(6)
    expect(judging.locator("#document li[aria-current]")).to_contain_text(source)
    # What is written alike is marked, wherever it is.
    judging.locator("#document li[aria-current] .document-reference").hover(
        position={"x": 5, "y": 8},
    )
    judging.wait_for_function("CSS.highlights.get('same-word')?.size >= 1")
    type_ranks(judging, "112")
    expect(judging.locator("#order")).to_have_text("A = B > C")
    expect(judging.locator("#order-words")).to_have_text(
        "From best to worst: A and B tied; C.",
    )
    type_ranks(judging, "23")
    judging.keyboard.press("m")
    judging.keyboard.type("skip 1 and 2?")
    expect(judging.get_by_role("dialog")).to_have_count(0)
    judging.keyboard.press("Control+Enter")
    at_sentence(judging, 3)
    expect(judging.locator("#document li[aria-current]")).not_to_contain_text(source)
    judge_block(judging, "54321")
    expect(judging.locator("#missing")).to_have_text(
        re.compile(r"^3 of 60\.( Today: 3 items, less than a minute\.)?$"),
    )
    at_sentence(judging, 1)
    expect(judging.locator("#count")).to_have_text("3 of 60")
    all_sent(judging)

    judgments = list(Judgment.objects.filter(judge=judge).order_by("pk"))
    assert [judgment.labels for judgment in judgments] == [
        [2, 1, 3, 4, 5],
        [1, 1, 2, 2, 3],
        [5, 4, 3, 2, 1],
    ]
    assert [judgment.block.position for judgment in judgments] == [1, 2, 3]
    assert [judgment.comment for judgment in judgments] == ["", "skip 1 and 2?", ""]


def test_keys_move_clear_and_rank_again(judging: Page) -> None:
    expect(rank_of(judging, "A", 1)).to_be_focused()
    judging.keyboard.press("ArrowDown")
    judging.keyboard.press("j")
    expect(rank_of(judging, "C", 1)).to_be_focused()
    judging.keyboard.press("k")
    judging.keyboard.press("4")
    expect(rank_of(judging, "B", 4)).to_be_checked()
    expect(rank_of(judging, "C", 1)).to_be_focused()
    judging.keyboard.press("ArrowUp")
    expect(rank_of(judging, "B", 4)).to_be_focused()
    judging.keyboard.press("Backspace")
    expect(row(judging, "B").locator("input:checked")).to_have_count(0)
    judging.keyboard.press("2")
    judging.keyboard.press("ArrowUp")
    judging.keyboard.press("ArrowUp")
    judging.keyboard.press("3")
    expect(judging.locator("#order")).to_have_text("B > A")


# Key events as browsers report them: the place of the key and what it types there.
AZERTY = (
    ("Digit2", "é"),
    ("Digit1", "&"),
    ("Digit3", '"'),
    ("Digit4", "'"),
    ("Digit5", "("),
)
KEYPAD = tuple((f"Numpad{digit}", digit) for digit in "21345")
# Digits with Shift, elsewhere than on other keyboards.
PROGRAMMERS_DVORAK = (
    *(("Digit9", "2"), ("Digit5", "1"), ("Digit7", "3")),
    *(("Digit4", "4"), ("Digit6", "5")),
)
ON_THE_SCREEN = tuple(("", digit) for digit in "21345")


def press_key(session: CDPSession, code: str, key: str) -> None:
    text = "\r" if key == "Enter" else key
    session.send(
        "Input.dispatchKeyEvent",
        {"type": "keyDown", "code": code, "key": key, "text": text},
    )
    session.send("Input.dispatchKeyEvent", {"type": "keyUp", "code": code, "key": key})


@pytest.mark.thorough
def test_six_keystrokes_a_block_on_any_keyboard(judging: Page, judge: Judge) -> None:
    judging.evaluate(
        """() => {
            window.strokes = 0;
            addEventListener("keydown", () => { window.strokes += 1; }, { capture: true });
        }""",
    )
    session = judging.context.new_cdp_session(judging)
    keyboards = (AZERTY, KEYPAD, PROGRAMMERS_DVORAK)
    for position, keyboard in enumerate(keyboards, start=1):
        at_sentence(judging, position)
        for code, key in keyboard:
            press_key(session, code, key)
        press_key(session, "Enter", "Enter")
    at_sentence(judging, 1)
    for code, key in ON_THE_SCREEN:
        press_key(session, code, key)
    press_key(session, "", "Enter")
    at_sentence(judging, 2)
    assert judging.evaluate("window.strokes") == 4 * 6
    all_sent(judging)
    labels = Judgment.objects.filter(judge=judge).values_list("labels", flat=True)
    assert list(labels) == [[2, 1, 3, 4, 5]] * 4


@pytest.mark.thorough
def test_a_refused_submission_names_the_row_and_goes_there(
    judging: Page,
    judge: Judge,
) -> None:
    type_ranks(judging, "21")
    judging.keyboard.press("ArrowDown")
    type_ranks(judging, "45")
    judging.keyboard.press("ArrowUp")
    judging.get_by_role("button", name="Submit").click(force=True)
    expect(
        judging.get_by_role("status").filter(has_text="C not ranked yet"),
    ).to_be_attached()
    expect(judging.locator("#missing")).to_have_text("C not ranked yet")
    expect(rank_of(judging, "C", 1)).to_be_focused()
    # What comes next in the same place is not in red.
    for key in ("r", "1", "Enter"):
        judging.keyboard.press(key)
    expect(judging.locator("#missing:not(.refused)")).to_contain_text("Reported")
    at_sentence(judging, 1)
    judging.keyboard.press("3")
    judging.keyboard.press("Enter")
    at_sentence(judging, 2)
    all_sent(judging)
    assert Judgment.objects.get(judge=judge).labels == [2, 1, 3, 4, 5]


@pytest.mark.thorough
def test_partial_rankings_where_and_while_the_campaign_allows_them(
    page: Page,
    sign_in: SignIn,
    tolerate: list[str],
) -> None:
    task = make_task(make_campaign(allow_partial_ranking=True), identical=())
    judge = make_judge(task.test_set.campaign)
    sign_in(page, judge)
    at_sentence(page, 1)
    type_ranks(page, "2")
    page.keyboard.press("Enter")
    expect(page.locator("#missing")).to_have_text(
        "Rank at least two outputs, or skip the item.",
    )
    type_ranks(page, "1")
    page.keyboard.press("Enter")
    at_sentence(page, 2)
    all_sent(page)
    assert Judgment.objects.get(judge=judge).labels == [2, 1, None, None, None]

    # Allowed no more, while sentences fetched under the old rule lie on the page.
    tolerate.append("400")
    campaign_change(campaign=task.test_set.campaign, allow_partial_ranking=False)
    type_ranks(page, "12")
    page.keyboard.press("Enter")
    at_sentence(page, 2)
    expect(page.locator("#missing")).to_have_text("C, D, and E not ranked yet")
    expect(page.locator("#order")).to_have_text("A > B")
    page.keyboard.press("Enter")
    expect(page.locator("#missing")).to_have_text("C, D, and E not ranked yet")
    assert Judgment.objects.count() == 1
    type_ranks(page, "345")
    page.keyboard.press("Enter")
    at_sentence(page, 3)
    all_sent(page)
    assert Judgment.objects.latest("pk").labels == [1, 2, 3, 4, 5]


def test_a_double_enter_is_one_row(judging: Page, judge: Judge) -> None:
    type_ranks(judging, "12345")
    judging.evaluate(
        """() => {
            for (let n = 0; n < 2; n += 1) document.activeElement.dispatchEvent(new KeyboardEvent(
                "keydown", { code: "Enter", key: "Enter", bubbles: true, cancelable: true }));
        }""",
    )
    at_sentence(judging, 2)
    expect(judging.locator("#rows input:checked")).to_have_count(0)
    all_sent(judging)
    assert Judgment.objects.filter(judge=judge).count() == 1
