"""Judging by errors with severities and categories, in outputs and in their sources."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from annotation.protocols.answer_kinds import answer_kind
from campaign.models import Judge
from tests.browser.conftest import SignIn
from tests.browser.judging import all_sent, at_sentence
from tests.browser.test_spans import output, press, spans_task, stored
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
    source = page.get_by_role("group", name="Source of output A")
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
    expect(page.get_by_role("group", name="Source of output A")).to_be_visible()
    expect(page.locator("#source-part")).to_be_hidden()
