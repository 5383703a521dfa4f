"""Reports about judging whole documents with other tools, tried on pages of documents with long texts."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from campaign.models import Judge, Protocol
from tests.browser.conftest import NewPage, SignIn
from tests.browser.judging import all_sent, painted_for_a_while, press
from tests.browser.long_texts import store_long
from tests.browser.test_document_pages import (
    ONE_CRITERION,
    SEGMENTS,
    at_segment,
    card,
    make_page_task,
)
from tests.browser.test_spans import output, text
from tests.factories import make_judge

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

#: Words in each text.
LONG = 250
MQM: dict[str, Any] = {
    "page": "document",
    "scored": False,
    "severities": ["minor", "major"],
    "categories": ["Accuracy/Addition", "Accuracy/Omission", "Fluency/Grammar"],
}


def judge_of(protocol: Protocol, rules: dict[str, Any]) -> Judge:
    task = make_page_task(protocol, rules, (SEGMENTS, SEGMENTS))
    store_long(task.pk, LONG)
    return make_judge(task.test_set.campaign)


def at_word(page: Page, part: float) -> tuple[float, float]:
    """Scroll to a place of the current output, from 0 to 1 of its height; return its position in the window."""
    painted_for_a_while(page)
    box = _box(text(page, "A"))
    page.evaluate(
        "y => scrollBy(0, y - innerHeight / 2)",
        box["y"] + part * box["height"],
    )
    box = _box(text(page, "A"))
    # Not between two lines.
    return box["x"] + 60, round(box["y"] + part * box["height"]) + 6


def _box(locator: Locator) -> Any:
    box = locator.bounding_box()
    assert box is not None
    return box


@pytest.mark.parametrize("width", [1366, 360])
def test_marking_in_a_long_text_keeps_its_place(
    page: Page,
    sign_in: SignIn,
    width: int,
) -> None:
    """webanno #331 and inception #3779: the page jumped to its top; label-studio #2573: labels were above it."""
    page.clock.install()
    page.set_viewport_size({"width": width, "height": 740})
    sign_in(page, judge_of(Protocol.SPANS, MQM))
    at_segment(page, 1)
    card(page, 3).get_by_role("button").click()
    at_segment(page, 3)
    x, y = at_word(page, 0.7)
    before = page.evaluate("scrollY")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 120, y, steps=4)
    page.mouse.up()
    page.clock.run_for(100)
    severity = page.locator("#span-choice").get_by_role("button", name="major")
    expect(severity).to_be_in_viewport()
    severity.click()
    category = page.get_by_role("group", name="Category")
    expect(category).to_be_in_viewport()
    press(page, "1")
    press(page, "2")
    expect(category).to_be_hidden()
    expect(output(page, "A").locator(".marked-list li")).to_have_count(1)
    assert abs(page.evaluate("scrollY") - before) < 60


def test_an_error_over_several_lines_and_a_scroll_is_marked_whole(
    page: Page,
    sign_in: SignIn,
) -> None:
    """doccano #1772 and #2344: a selection was lost while scrolling, or over several lines."""
    page.clock.install()
    page.set_viewport_size({"width": 900, "height": 500})
    sign_in(page, judge_of(Protocol.SPANS, MQM))
    at_segment(page, 1)
    x, y = at_word(page, 0.1)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 40, steps=4)
    page.mouse.wheel(0, 300)
    page.wait_for_function("before => scrollY > before + 200", arg=0)
    page.mouse.move(x + 80, y + 60, steps=4)
    page.mouse.up()
    page.clock.run_for(100)
    page.locator("#span-choice").get_by_role("button", name="major").click()
    marked = text(page, "A").locator(".error").all_inner_texts()
    assert sum(map(len, marked)) > 200
    expect(output(page, "A").locator(".marked-list li")).to_have_count(1)


def test_a_selection_that_goes_on_in_the_next_segment_ends_with_its_own(
    page: Page,
    sign_in: SignIn,
) -> None:
    """brat #786: an error that crosses the end of a sentence could not be marked at all."""
    page.clock.install()
    page.set_viewport_size({"width": 1366, "height": 740})
    sign_in(page, judge_of(Protocol.SPANS, MQM))
    at_segment(page, 1)
    whole = text(page, "A").inner_text()
    x, y = at_word(page, 0.97)
    page.mouse.move(x, y)
    page.mouse.down()
    target = _box(card(page, 2).locator(".segment-output"))
    page.mouse.move(target["x"] + 80, target["y"] + 20, steps=8)
    page.mouse.up()
    page.clock.run_for(100)
    page.locator("#span-choice").get_by_role("button", name="major").click()
    # The segment stays open, and its last words are marked.
    at_segment(page, 1)
    [marked] = [
        "".join(text(page, "A").locator(".error").all_inner_texts()).replace(
            "major",
            "",
        ),
    ]
    assert whole.split()[-2] in marked
    expect(card(page, 2).locator(".error")).to_have_count(0)


def test_the_button_that_ends_a_segment_is_always_there_and_says_what_is_missing(
    page: Page,
    sign_in: SignIn,
) -> None:
    """Appraise #146: annotators did not find the button, nor why it did nothing."""
    page.clock.install()
    page.set_viewport_size({"width": 1366, "height": 740})
    sign_in(page, judge_of(Protocol.RATING, ONE_CRITERION))
    at_segment(page, 1)
    submit = page.locator("#submit")
    for part in (0, 0.5, 1):
        page.evaluate("part => scrollTo(0, part * document.body.scrollHeight)", part)
        expect(submit).to_be_in_viewport()
    submit.click()
    expect(page.locator("#missing")).to_have_text("Rate the output, or skip the item.")
    card(page, 3).get_by_role("button").click()
    at_segment(page, 3)
    press(page, "4")
    at_segment(page, 4)
    all_sent(page)
    # The button of a segment that has its answer leads on to one that has none.
    card(page, 3).get_by_role("button").click()
    at_segment(page, 3)
    expect(page.locator("#submit-word")).to_have_text("Continue")
    submit.click()
    at_segment(page, 4)


def test_a_judge_goes_on_at_the_first_open_segment_on_another_device(
    new_page: NewPage,
    sign_in: SignIn,
) -> None:
    """doccano #310: annotators had to look for the place where they had stopped."""
    judge = judge_of(Protocol.RATING, ONE_CRITERION)
    page = new_page()
    page.clock.install()
    sign_in(page, judge)
    for number, key in enumerate("43", 1):
        at_segment(page, number)
        press(page, key)
    at_segment(page, 3)
    all_sent(page)
    other = new_page(viewport={"width": 360, "height": 740})
    sign_in(other, judge)
    at_segment(other, 3)
    expect(other.locator("#segment-title")).to_be_in_viewport()
    expect(other.locator(".segment-card[data-state=judged]")).to_have_count(2)
