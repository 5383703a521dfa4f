"""Outputs of a paragraph, sentence beside sentence, and the differences marked in them."""

import pytest
from playwright.sync_api import expect

from campaign.models import Judge
from tests.browser.conftest import OpenLong
from tests.browser.long_texts import output_of, reference_of
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LONG = 250
SENTENCES = reference_of(LONG).count(".")


@pytest.fixture
def judge() -> Judge:
    return make_judge(make_task(make_campaign(), identical=()).test_set.campaign)


TOPS_OF_LINES = """() => [...document.querySelectorAll(".row-text")].map((text) =>
    [...text.children].map((cell) => Math.round(cell.getBoundingClientRect().top)))"""


@pytest.mark.thorough
def test_side_by_side_sentences_stand_beside_each_other(open_long: OpenLong) -> None:
    page = open_long("laptop")
    expect(page.locator("#rows.aligned")).to_be_visible()
    tops = page.evaluate(TOPS_OF_LINES)
    assert len(tops[0]) == SENTENCES
    assert tops == [tops[0]] * 5
    assert tops[0] == sorted(set(tops[0]))
    # Whole, whatever is marked in it, and in one piece again in the list.
    for pressed in ("d", "d", "v"):
        page.keyboard.press(pressed)
        texts = page.locator(".row-text").evaluate_all(
            "(all) => all.map((each) => each.textContent)",
        )
        assert texts == [output_of(LONG, place) for place in range(5)]
    expect(page.locator(".row-text > span")).to_have_count(0)


@pytest.mark.thorough
def test_differences_are_marked_within_sentences(open_long: OpenLong) -> None:
    page = open_long("laptop", 90)
    page.keyboard.press("d")
    in_list = page.locator("mark").all_text_contents()
    assert in_list[:2] == ["Haus", "Haus"]
    page.keyboard.press("v")
    expect(page.locator("#rows.aligned")).to_be_visible()
    assert page.locator(".row-text > span > mark").all_text_contents() == in_list


SIGNS = """() => [...document.querySelectorAll(".row-text")].map((text) =>
    [...text.querySelectorAll(".text-break")].filter((each) => getComputedStyle(each, "::before").content.includes("↵")).length)"""


def test_breaks_of_a_text_look_different_from_those_that_align_sentences(
    open_long: OpenLong,
) -> None:
    def with_paragraphs(outputs: list[str]) -> list[str]:
        return [outputs[0].replace(". ", ".\n\n"), *outputs[1:]]

    page = open_long("laptop", alter=with_paragraphs)
    expect(page.locator("#rows.aligned")).to_be_visible()
    tops = page.evaluate(TOPS_OF_LINES)
    assert tops == [tops[0]] * 5
    assert len(tops[0]) == SENTENCES
    assert page.evaluate(SIGNS) == [2 * (SENTENCES - 1), 0, 0, 0, 0]
    divided = page.locator(".row-text").nth(1).locator("> span").nth(1)
    expect(divided).to_have_css("border-top-style", "dotted")


def test_a_text_that_is_cut_shows_that_it_goes_on(open_long: OpenLong) -> None:
    source = open_long("phone").locator("#source-part")
    expect(source).to_contain_class("cut")
    sign = source.evaluate("(part) => getComputedStyle(part, '::after').content")
    assert "▾" in sign
    source.evaluate("(part) => (part.scrollTop = part.scrollHeight)")
    expect(source).not_to_contain_class("cut")
