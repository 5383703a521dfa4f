"""Judging by errors with severities and categories, in outputs and in their sources."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Judgment
from annotation.protocols.answer_kinds import answer_kind
from campaign.models import Judge
from tests.browser.conftest import NewPage, SignIn
from tests.browser.judging import all_sent, at_sentence, painted_for_a_while
from tests.browser.test_spans import (
    box_of,
    output,
    press,
    score,
    spans_task,
    stored,
)
from tests.factories import make_judge

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

RULES: dict[str, Any] = {
    "scored": False,
    "source_marked": True,
    "marks": ["non-translation"],
    "severities": ["neutral", "minor", "major", "critical"],
    "categories": [
        "Accuracy/Addition",
        "Accuracy/Omission",
        "Fluency/Grammar",
        "Other",
    ],
}


def output_text(page: Page) -> Locator:
    return page.locator(".spans-output:not(.spans-source) > .marking .marking-text")


@pytest.fixture
def judge() -> Judge:
    return make_judge(spans_task(outputs=1, **RULES).test_set.campaign)


def test_errors_get_severities_and_categories_by_two_keys_each(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    sign_in(page, judge)
    at_sentence(page, 1)
    expect(output(page, "A")).to_be_visible()
    # Severity, then category and subcategory: the mark is there before its category.
    press(page, "ArrowRight", "3")
    expect(page.get_by_role("group", name="Category")).to_be_visible()
    expect(page.locator(".marked-list li")).to_have_count(1)
    press(page, "1", "2")
    item = output(page, "A").locator(".marked-list").last
    expect(item).to_contain_text("major error, Accuracy/Omission")
    # The focus is back at the word, and one without a category keeps the sentence open.
    press(page, "End", "2", "Escape", "Control+Enter")
    expect(page.locator("#missing")).to_contain_text("without a category")
    press(page, "End", "2", "3")
    # The panel above has the same name.
    source = page.locator(".spans-source")
    expect(source).to_have_attribute("aria-label", "Source")
    source.locator(".word-cursor").focus()
    press(page, "1", "3")
    expect(source.locator(".marked-list")).to_contain_text("neutral mark, Other")
    output(page, "A").get_by_role("button", name="non-translation").click()
    press(page, "4", "3")
    expect(output(page, "A")).to_contain_text("critical, Other")
    press(page, "Control+Enter")
    at_sentence(page, 2)
    all_sent(page)
    [[first]] = stored(judge)
    assert first["score"] is None
    assert [
        (span["kind"], span["severity"], span["category"]) for span in first["spans"]
    ] == [
        ("source", "neutral", "Other"),
        ("error", "major", "Accuracy/Omission"),
        ("error", "minor", "Other"),
        ("non-translation", "critical", "Other"),
    ]
    assert answer_kind("spans").read([Judgment.objects.get(judge=judge).pk])


def test_phone_shows_no_label_of_a_source_that_stands_elsewhere(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    sign_in(page, judge)
    at_sentence(page, 1)
    expect(page.locator(".spans-source")).to_be_visible()
    expect(page.locator("#source-part")).to_be_hidden()


@pytest.mark.parametrize("is_scored", [False, True])
def test_selection_without_a_severity_is_asked_about(
    page: Page,
    sign_in: SignIn,
    *,
    is_scored: bool,
) -> None:
    """The menu beside the selection closes when Submit is clicked; the selection stays."""
    judge = make_judge(
        (
            spans_task(outputs=1) if is_scored else spans_task(outputs=1, **RULES)
        ).test_set.campaign,
    )
    page.clock.install()
    sign_in(page, judge)
    at_sentence(page, 1)
    if is_scored:
        score(page, "A").fill("95")
    output_text(page).dblclick(position={"x": 8, "y": 14})
    choice = page.locator("#span-choice")
    expect(choice).to_be_visible()
    page.locator("#submit").click()
    expect(page.locator("#missing")).to_contain_text("no severity yet")
    expect(choice).to_be_visible()
    at_sentence(page, 1)
    # Cancelled, it is no error.
    choice.get_by_role("button", name="Cancel").click()
    expect(output_text(page).locator(".chosen")).to_have_count(0)
    painted_for_a_while(page)
    page.locator("#submit").click()
    at_sentence(page, 2)
    all_sent(page)
    [[first]] = stored(judge)
    assert first["spans"] == []


def test_word_tapped_once_is_asked_about_on_a_phone(
    new_page: NewPage,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    page = new_page(
        viewport={"width": 360, "height": 640},
        has_touch=True,
        is_mobile=True,
    )
    sign_in(page, judge)
    at_sentence(page, 1)
    word = box_of(output_text(page))
    page.touchscreen.tap(word["x"] + 8, word["y"] + 12)
    page.locator("#submit").tap()
    expect(page.locator("#missing")).to_contain_text("no severity yet")
    choice = page.locator("#span-choice")
    word = box_of(output_text(page).locator(".chosen"))
    assert word["y"] + word["height"] <= box_of(choice)["y"]
    choice.locator("[data-severity=major]").tap()
    # Each level has a way back, and the word stays in view above the menu.
    back = choice.get_by_role("button", name="Back")
    choice.get_by_role("button", name="Accuracy").tap()
    expect(choice.get_by_role("button", name="Omission")).to_be_visible()
    marked = box_of(output_text(page).locator(".error"))
    assert marked["y"] + marked["height"] <= box_of(choice)["y"]
    back.tap()
    expect(choice.get_by_role("button", name="Other")).to_be_visible()
    back.tap()
    choice.locator("[data-severity=minor]").tap()
    choice.get_by_role("button", name="Other").tap()
    marks = page.locator(".spans-output:not(.spans-source) > .marked .marked-list")
    expect(marks).to_contain_text("minor error, Other")


def test_typed_category_is_kept_when_its_menu_closes(
    page: Page,
    sign_in: SignIn,
) -> None:
    rules = {**RULES, "categories": [], "free_categories": True}
    judge = make_judge(spans_task(outputs=1, **rules).test_set.campaign)
    sign_in(page, judge)
    at_sentence(page, 1)
    press(page, "ArrowRight", "3")
    page.get_by_label("Other category").fill("Tone")
    page.locator("#submit").click()
    at_sentence(page, 2)
    all_sent(page)
    [[first]] = stored(judge)
    assert [span["category"] for span in first["spans"]] == ["Tone"]


def test_error_without_a_category_is_asked_about_where_others_may_be_entered(
    page: Page,
    sign_in: SignIn,
) -> None:
    judge = make_judge(
        spans_task(outputs=1, **RULES, free_categories=True).test_set.campaign,
    )
    sign_in(page, judge)
    at_sentence(page, 1)
    press(page, "ArrowRight", "3", "Escape", "Control+Enter")
    expect(page.locator("#missing")).to_contain_text("without a category")
    at_sentence(page, 1)


def test_severity_pressed_twice_chooses_no_category(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    """nlplab/brat 497: a digit acted in the dialog that it had opened."""
    page.clock.install()
    sign_in(page, judge)
    at_sentence(page, 1)
    press(page, "ArrowRight", "1", "1")
    categories = page.get_by_role("group", name="Category")
    expect(categories.get_by_role("button", name="Accuracy")).to_be_visible()
    painted_for_a_while(page)
    press(page, "1", "1")
    expect(categories.get_by_role("button", name="Omission")).to_be_visible()
    painted_for_a_while(page)
    press(page, "1")
    expect(output(page, "A")).to_contain_text("neutral mark, Accuracy/Addition")
