"""Ranking on a phone: the outputs of a sentence in view together, ranked by a tap each."""

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Judge
from tests.browser.conftest import PHONE, NewPage, SignIn, axe_finds, too_wide
from tests.browser.judging import at_sentence, rank_of, row
from tests.browser.long_texts import lengthen
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Whole between the texts above and the bar below, and each with the rank it has.
IN_VIEW = """() => {
    const above = document.getElementById("panel").getBoundingClientRect().bottom;
    const below = document.getElementById("foot").getBoundingClientRect().top;
    return [...document.querySelectorAll(".row")].filter((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        return top >= above - 1 && bottom <= below + 1;
    }).map((row) => getComputedStyle(row.querySelector(".row-letter"), "::after").content.charAt(1));
}"""


@pytest.fixture
def judge() -> Judge:
    return make_judge(make_task(make_campaign(), identical=()).test_set.campaign)


@pytest.fixture
def on_a_phone(new_page: NewPage, judge: Judge, sign_in: SignIn) -> Page:
    """A source and a reference of 13 words, and outputs of 15."""
    page = new_page(viewport=PHONE, has_touch=True, is_mobile=True)
    lengthen(page, 13, lambda outputs: [f"{each[:-1]} auch heute." for each in outputs])
    sign_in(page, judge)
    at_sentence(page, 1)
    return page


def test_a_tap_each_ranks_five_outputs_four_of_which_are_in_view(
    on_a_phone: Page,
) -> None:
    page = on_a_phone
    assert len(page.locator(".row-text").first.inner_text().split()) == 15
    assert len(page.evaluate(IN_VIEW)) >= 4
    for rank, letter in enumerate("ABCDE", start=1):
        rank_of(page, letter, rank).tap()
    ranks = page.evaluate(IN_VIEW)
    assert len(ranks) >= 4
    assert "".join(ranks) in "12345"
    assert axe_finds(page) == ""
    assert not too_wide(page)
    page.locator("#submit").tap()
    at_sentence(page, 2)
    expect(page.locator(".row.ranked")).to_have_count(0)


def test_a_tap_on_an_output_opens_its_ranks(on_a_phone: Page) -> None:
    page = on_a_phone
    row(page, "C").locator(".row-text").tap()
    expect(rank_of(page, "C", 2)).to_be_in_viewport(ratio=1)
    rank_of(page, "C", 2).tap()
    # On to the next, and from the last one to those that were passed over.
    rank_of(page, "D", 4).tap()
    rank_of(page, "E", 5).tap()
    rank_of(page, "A", 1).tap()
    # Tapped again, a rank is taken back.
    row(page, "C").locator(".row-text").tap()
    rank_of(page, "C", 2).tap()
    expect(page.locator(".row.ranked")).to_have_count(3)
    expect(rank_of(page, "C", 3)).to_be_in_viewport(ratio=1)


def test_the_document_opens_over_the_page_and_closes_as_a_page_does(
    on_a_phone: Page,
) -> None:
    page = on_a_phone
    shown = page.get_by_role("dialog", name="Document")
    for close in (page.go_back, lambda: page.keyboard.press("Escape"), page.go_back):
        page.locator("#context").tap()
        expect(shown.locator("[aria-current]")).to_be_in_viewport()
        expect(shown.get_by_role("listitem")).to_have_count(4)
        close()
        expect(shown).to_be_hidden()
        at_sentence(page, 1)
        expect(page.locator("#context")).to_have_attribute("aria-expanded", "false")
    assert page.evaluate("history.state?.isDocument ?? false") is False


def test_the_second_tap_of_a_double_one_ranks_no_other_output(on_a_phone: Page) -> None:
    page = on_a_phone
    page.evaluate(
        """() => [...document.querySelectorAll(".row")].slice(0, 2).forEach((row) => {
            const input = row.querySelector("input[value='3']");
            input.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
            input.click();
        })""",
    )
    expect(rank_of(page, "A", 3)).to_be_checked()
    expect(rank_of(page, "B", 3)).not_to_be_checked()
    # Meant for it.
    page.wait_for_function(
        "(since) => performance.now() - since > 400",
        arg=page.evaluate("performance.now()"),
    )
    rank_of(page, "B", 3).tap()
    expect(rank_of(page, "B", 3)).to_be_checked()
