"""Judging by error spans: errors are marked in each output, and each gets a score."""

import re
from typing import Any

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from annotation.models import Judgment
from annotation.protocols.answer_kinds import answer_kind
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from campaign.models import Judge, Task
from campaign.services.campaigns import task_close
from tests.browser.conftest import PHONE, NewPage, SignIn
from tests.browser.judging import all_sent, at_sentence
from tests.browser.long_texts import lengthen
from tests.browser.screens import SCREENS
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# What the browser itself calls words of a text in a language.
WORDS = """([text, language]) => [...new Intl.Segmenter(language, { granularity: "word" }).segment(text)]
    .filter((part) => part.isWordLike).map((part) => part.segment)"""

SEVERITY_SHOWN = """(text) => [...text.querySelectorAll(".error")]
    .map((each) => getComputedStyle(each, "::after").content.replaceAll('"', ""))"""

NUMBER = """text => {
    const range = document.createRange();
    range.setStart(text.lastChild, text.lastChild.data.indexOf("40"));
    range.setEnd(text.lastChild, text.lastChild.data.indexOf("40") + 2);
    return range.getBoundingClientRect().toJSON();
}"""
SELECTED_BY_FIREFOX = """text => {
    const node = text.lastChild;
    getSelection().setBaseAndExtent(node, node.data.indexOf("40") + 2, node, node.data.length);
}"""


def spans_task(*, outputs: int = 3, **rules: bool) -> Task:
    """A task beside the ranking of the same test set, which judges are not lent as well."""
    ranking = make_task(make_campaign(), documents=(6, 6), identical=())
    task_close(task=ranking)
    task = Task.objects.create(
        test_set=ranking.test_set,
        protocol="spans",
        rules={"spans_asked": True, "missing": True, **rules},
    )
    design_change(task=task, kind="uniform", systems_per_block=outputs, seed=7)
    hits_plan(task_id=task.pk, count=6)
    return task


@pytest.fixture
def judge() -> Judge:
    return make_judge(spans_task().test_set.campaign)


def begin(page: Page, judge: Judge, sign_in: SignIn) -> Page:
    sign_in(page, judge)
    expect(output(page, "A")).to_be_visible()
    return page


@pytest.fixture
def judging(page: Page, judge: Judge, sign_in: SignIn) -> Page:
    return begin(page, judge, sign_in)


def output(page: Page, letter: str) -> Locator:
    """Return an output; one that is alone has no letter."""
    name = re.compile("^Output$" if letter == "A" else f"^Output {letter}$")
    alone = page.get_by_role("group", name=name)
    return page.get_by_role("group", name=f"Output {letter}", exact=True).or_(alone)


def text(page: Page, letter: str) -> Locator:
    return output(page, letter).locator(".marking-text")


def score(page: Page, letter: str) -> Locator:
    return output(page, letter).get_by_role("spinbutton")


def errors(page: Page, letter: str) -> Locator:
    return output(page, letter).get_by_role("listitem")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def letters(page: Page) -> str:
    return "ABCDE"[: page.locator(".spans-output").count()]


def score_all(page: Page, value: int = 88) -> None:
    for letter in letters(page):
        score(page, letter).fill(str(value))


def box_of(locator: Locator) -> FloatRect:
    box = locator.bounding_box()
    assert box is not None
    return box


def stored(judge: Judge) -> list[list[dict[str, Any]]]:
    """The outputs of each answer, as they were sent."""
    judgments = list(
        Judgment.objects.filter(judge=judge)
        .order_by("pk")
        .values_list("pk", flat=True),
    )
    answers = answer_kind("spans").read(judgments)
    return [answers[judgment]["outputs"] for judgment in judgments]


@pytest.mark.thorough
def test_a_sentence_is_judged_by_keyboard_alone(judging: Page, judge: Judge) -> None:
    at_sentence(judging, 1)
    words = text(judging, "A").inner_text().split()
    press(judging, "ArrowRight", "1")
    expect(errors(judging, "A")).to_contain_text(["minor error"])
    expect(judging.locator("#announcement")).to_contain_text(
        f"minor error: {words[1].rstrip('.,')}",
    )
    # The word is in that error now, which goes on to major, to nothing, and to minor.
    press(judging, "Enter")
    expect(errors(judging, "A")).to_contain_text(["major error"])
    press(judging, "Space")
    expect(errors(judging, "A")).to_have_count(0)
    press(judging, "Home", "Shift+ArrowRight", "2", "x", "p")
    expect(score(judging, "A")).to_be_focused()
    judging.keyboard.type("60")
    press(judging, "PageDown", "ArrowUp", "Enter")
    for letter in letters(judging)[1:]:
        expect(output(judging, letter).locator(".word-cursor")).to_be_focused()
        press(judging, "p")
        judging.keyboard.type("88")
        press(judging, "Enter")
    expect(judging.locator("#submit")).to_be_focused()
    press(judging, "Enter")
    at_sentence(judging, 2)
    all_sent(judging)
    [[first, *others]] = stored(judge)
    marked = " ".join(words[:2]).rstrip(".,")
    assert first["score"] == 51
    assert first["spans"] == [
        {"start": 0, "end": len(marked), "severity": "major", "kind": "error"},
        {"start": None, "end": None, "severity": "minor", "kind": "missing"},
    ]
    assert [(other["score"], other["spans"]) for other in others] == [(88, [])] * len(
        others,
    )
    assert Judgment.objects.get(judge=judge).labels == [2] + [1] * len(others)


def test_changes_of_marks_are_undone_one_by_one(judging: Page) -> None:
    undo = judging.get_by_role("button", name="Undo", exact=True)
    expect(undo).to_be_disabled()
    color = "button => getComputedStyle(button).color"
    unavailable = undo.evaluate(color)
    press(judging, "ArrowRight", "1", "Home", "Shift+ArrowRight", "2")
    # The mark of two words has replaced that of one.
    expect(errors(judging, "A")).to_contain_text(["major error"])
    press(judging, "z")
    expect(errors(judging, "A")).to_contain_text(["minor error"])
    expect(text(judging, "A").locator(".error")).to_have_count(1)
    # A button without effect does not look as if it had one.
    assert undo.evaluate(color) != unavailable
    undo.click()
    expect(errors(judging, "A")).to_have_count(0)
    expect(undo).to_be_disabled()
    expect(output(judging, "A").locator(".word-cursor")).to_be_focused()


def test_mouse_selects_whole_words_and_asks_for_a_severity(judging: Page) -> None:
    box = box_of(text(judging, "A"))
    words = text(judging, "A").inner_text().split()
    choice = judging.locator("#span-choice")

    def select(keys: str = "") -> None:
        # A part of the first word.
        if keys:
            judging.keyboard.down(keys)
        judging.mouse.move(box["x"] + 2, box["y"] + 14)
        judging.mouse.down()
        judging.mouse.move(box["x"] + 22, box["y"] + 14, steps=3)
        judging.mouse.up()
        if keys:
            judging.keyboard.up(keys)
        expect(choice).to_be_visible()

    select()
    expect(errors(judging, "A")).to_have_count(0)
    for name in ("minor", "major", "Cancel"):
        button = box_of(choice.get_by_role("button", name=name))
        assert min(button["width"], button["height"]) >= 44
    choice.get_by_role("button", name="major").click()
    expect(errors(judging, "A")).to_contain_text([f"major error: {words[0]}"])
    assert text(judging, "A").evaluate(SEVERITY_SHOWN) == ["major"]
    expect(output(judging, "A").locator(".word-cursor")).to_be_focused()
    text(judging, "A").locator(".error").click()
    choice.get_by_role("button", name="Remove").click()
    expect(errors(judging, "A")).to_have_count(0)
    select("Alt")
    judging.keyboard.press("1")
    quoted = errors(judging, "A").locator("q").inner_text()
    assert words[0].startswith(quoted)
    assert quoted != words[0]


def test_a_number_at_the_end_of_a_selection_from_right_to_left_is_selected(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    """Firefox puts the caret on the far side of the number, so its selection leaves the number out."""
    lengthen(
        page,
        5,
        lambda outputs: ["اضغط على 40 لتسمع" for _ in outputs],
        language="ar",
    )
    begin(page, judge, sign_in)
    number = text(page, "A").evaluate(NUMBER)
    page.mouse.move(number["right"] - 2, number["y"] + 10)
    page.mouse.down()
    text(page, "A").evaluate(SELECTED_BY_FIREFOX)
    page.mouse.up()
    expect(page.locator("#span-choice")).to_be_visible()
    page.keyboard.press("2")
    expect(errors(page, "A").locator("q")).to_have_text("40 لتسمع")


@pytest.mark.thorough
def test_selected_words_are_copied(judging: Page) -> None:
    """inception-project/inception 3699, HumanSignal/label-studio 265, ufal/factgenie 203: nothing could be copied to look it up."""
    judging.context.grant_permissions(["clipboard-read", "clipboard-write"])
    words = text(judging, "A").inner_text().split()
    copied = "navigator.clipboard.readText()"
    # By pointer, which opens the menu of severities, also for an error.
    text(judging, "A").dblclick(position={"x": 8, "y": 14})
    expect(judging.locator("#span-choice")).to_be_visible()
    judging.keyboard.press("Control+c")
    assert judging.evaluate(copied) == words[0]
    judging.keyboard.press("1")
    expect(errors(judging, "A")).to_have_count(1)
    judging.evaluate("navigator.clipboard.writeText('')")
    text(judging, "A").dblclick(position={"x": 8, "y": 14})
    judging.keyboard.press("Control+c")
    assert judging.evaluate(copied) == words[0]
    judging.keyboard.press("Escape")
    # With Shift and an arrow.
    output(judging, "A").locator(".word-cursor").focus()
    judging.keyboard.press("Home")
    judging.keyboard.press("Shift+ArrowRight")
    judging.keyboard.press("Control+c")
    assert judging.evaluate(copied) == f"{words[0]} {words[1].strip(',')}"


@pytest.mark.thorough
def test_a_selection_by_another_button_is_left_to_the_browser(judging: Page) -> None:
    """On macOS, the menu of the browser opens for the word under the pointer, which is selected then."""
    text(judging, "A").evaluate(
        """(text) => {
            const node = document.createTreeWalker(text, NodeFilter.SHOW_TEXT).nextNode();
            getSelection().setBaseAndExtent(node, 0, node, node.data.length);
        }""",
    )
    text(judging, "A").click(button="right", position={"x": 8, "y": 14})
    judging.evaluate("() => new Promise((done) => setTimeout(done, 50))")
    assert judging.evaluate("String(getSelection())") != ""
    expect(judging.locator("#span-choice")).to_be_hidden()


@pytest.mark.thorough
def test_by_touch_the_first_and_the_last_word_are_tapped(
    new_page: NewPage,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    page = begin(
        new_page(viewport=PHONE, has_touch=True, is_mobile=True),
        judge,
        sign_in,
    )
    first, second = (
        box_of(page.locator(".spans-output").nth(place)) for place in (0, 1)
    )
    assert first["y"] + first["height"] <= second["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    box = box_of(text(page, "A"))
    hint = output(page, "A").get_by_text("Tap the last word")
    page.touchscreen.tap(box["x"] + 8, box["y"] + 12)
    expect(hint).to_be_visible()
    page.touchscreen.tap(box["x"] + 8, box["y"] + 12)
    expect(hint).to_be_hidden()
    page.locator("#span-choice").get_by_role("button", name="major").tap()
    expect(errors(page, "A")).to_contain_text(["major error"])
    output(page, "A").get_by_role("button", name="missing content").tap()
    expect(
        output(page, "A").get_by_role("button", name="missing content: minor"),
    ).to_be_visible()
    slider = box_of(output(page, "A").locator(".score-slider"))
    page.touchscreen.tap(
        slider["x"] + slider["width"] / 2,
        slider["y"] + slider["height"] / 2,
    )
    expect(score(page, "A")).to_have_value("50")


@pytest.mark.thorough
def test_a_score_that_contradicts_the_errors_is_asked_about_once(
    judging: Page,
    judge: Judge,
) -> None:
    press(judging, "2")
    score_all(judging)
    score(judging, "A").fill("95")
    press(judging, "Control+Enter")
    asked = judging.get_by_role("dialog", name="Keep your answer?")
    expect(asked).to_contain_text("Output A has a major error and a score of 95.")
    asked.get_by_role("button", name="Change answer").click()
    expect(score(judging, "A")).to_be_focused()
    at_sentence(judging, 1)
    press(judging, "Control+Enter")
    at_sentence(judging, 2)
    score_all(judging, 30)
    press(judging, "Control+Enter")
    expect(asked).to_contain_text("Output A has no marked error and a score of 30.")
    asked.get_by_role("button", name="Keep answer").click()
    at_sentence(judging, 3)
    all_sent(judging)
    assert [outputs[0]["score"] for outputs in stored(judge)] == [95, 30]


def test_an_answer_survives_a_reload_and_is_revised(
    judging: Page,
    judge: Judge,
) -> None:
    press(judging, "1", "p")
    judging.keyboard.type("88")
    expect(judging.locator("#status")).to_have_text("Saved on this device")
    judging.reload()
    expect(errors(judging, "A")).to_have_count(1)
    expect(score(judging, "A")).to_have_value("88")
    score_all(judging)
    press(judging, "Control+Enter")
    at_sentence(judging, 2)
    press(judging, "u")
    expect(judging.locator("#sentence")).to_have_text("Back at item 1 of 3")
    expect(errors(judging, "A")).to_have_count(1)
    press(judging, "2", "Control+Enter")
    at_sentence(judging, 2)
    all_sent(judging)
    severities = [outputs[0]["spans"][0]["severity"] for outputs in stored(judge)]
    assert severities == ["minor", "major"]
    press(judging, "h")
    expect(judging.locator("#history-list li").first).to_contain_text("A 88, B 88")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("language", "onward"),
    [
        pytest.param("ar", "ArrowLeft", marks=pytest.mark.thorough),
        ("zh", "ArrowRight"),
    ],
)
def test_errors_are_chosen_by_words_in_other_scripts(
    page: Page,
    sign_in: SignIn,
    language: str,
    onward: str,
) -> None:
    """From right to left, and where words stand without spaces."""
    judge = SCREENS["spans-several"].judge(target_language=language)
    begin(page, judge, sign_in)
    written = text(page, "A").inner_text()
    words: list[str] = page.evaluate(WORDS, [written, language])
    expect(text(page, "A").locator(".at")).to_have_text(words[0])
    press(page, onward)
    expect(text(page, "A").locator(".at")).to_have_text(words[1])
    press(page, f"Shift+{onward}", "2")
    start = written.index(words[1], len(words[0]))
    end = written.index(words[2], start + len(words[1])) + len(words[2])
    # The word cursor stands in it.
    expect(text(page, "A").locator(".error.major")).to_have_count(2)
    marked = text(page, "A").locator(".error.major").all_text_contents()
    assert "".join(marked) == written[start:end]
    press(page, "p", "4", "0", "Enter")
    for _letter in letters(page)[1:]:
        press(page, "p", "8", "8", "Enter")
    press(page, "Enter")
    all_sent(page)
    [[first, *_others]] = stored(judge)
    assert first["spans"] == [
        {"start": start, "end": end, "severity": "major", "kind": "error"},
    ]


def swipe(page: Page, slider: Locator, *, by_x: int, by_y: int) -> None:
    """Put a finger on the middle of a slider, move it and lift it."""
    slider.scroll_into_view_if_needed()
    box = box_of(slider)
    x, y = box["x"] + box["width"] / 4, box["y"] + box["height"] / 2
    devtools = page.context.new_cdp_session(page)

    def touch(kind: str, *points: dict[str, float]) -> None:
        devtools.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": list(points)},
        )

    touch("touchStart", {"x": x, "y": y})
    for step in range(1, 9):
        touch("touchMove", {"x": x + by_x * step / 8, "y": y + by_y * step / 8})
    touch("touchEnd")


def test_a_scroll_that_begins_on_the_slider_changes_no_score(
    new_page: NewPage,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    page = begin(
        new_page(viewport=PHONE, has_touch=True, is_mobile=True),
        judge,
        sign_in,
    )
    score(page, "A").fill("80")
    before = page.evaluate("scrollY")
    for letter, kept in (("A", "80"), ("B", "")):
        slider = output(page, letter).locator(".score-slider")
        swipe(page, slider, by_x=10, by_y=-160)
        expect(score(page, letter)).to_have_value(kept)
    assert page.evaluate("scrollY") > before
    slider = output(page, "A").locator(".score-slider")
    swipe(page, slider, by_x=60, by_y=4)
    assert slider.input_value() == score(page, "A").input_value()
    assert 25 < int(score(page, "A").input_value()) < 80
    expect(output(page, "B")).to_have_class(re.compile("unscored"))
