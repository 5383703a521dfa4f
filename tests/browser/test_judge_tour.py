"""The tour between arriving and working: on the very screen, step by step, kept by nobody."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Exposure, Judgment, Skip
from campaign.models import Judge
from tests.browser.conftest import NewPage, SignIn, axe_finds
from tests.browser.judging import at_sentence, judge_block, rank_of, type_ranks
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def judge() -> Judge:
    return make_judge(make_task(make_campaign(tour=True), identical=()).test_set.campaign)


@pytest.fixture
def touring(page: Page, judge: Judge, sign_in: SignIn) -> Page:
    sign_in(page, judge)
    expect(page).to_have_url("/judge/museum/tour/")
    return page


def at_step(page: Page, step: int) -> None:
    expect(page.locator("#tour-step")).to_have_text(f"Tour: {step} of 8")


def answer(page: Page, words: str) -> None:
    expect(page.locator("#tour-answer")).to_contain_text(words)


def test_the_tour_by_keyboard_alone_and_only_once(touring: Page, judge: Judge) -> None:
    page = touring
    at_step(page, 1)
    assert axe_finds(page) == ""
    expect(rank_of(page, "A", 1)).to_be_focused()
    type_ranks(page, "1")
    answer(page, "You ranked an output. This step asks for something else.")
    page.keyboard.press("c")
    at_step(page, 2)
    page.keyboard.press("d")
    at_step(page, 3)
    type_ranks(page, "2345")
    answer(page, "Now give two of them the same rank.")
    page.keyboard.press("ArrowUp")
    type_ranks(page, "5")
    at_step(page, 4)
    page.keyboard.press("ArrowUp")
    answer(page, "Now remove its rank.")
    page.keyboard.press("0")
    at_step(page, 5)
    page.keyboard.press("Enter")
    answer(page, "one output has no rank")
    type_ranks(page, "3")
    page.keyboard.press("Enter")
    at_step(page, 6)
    answer(page, "was the reference")
    page.keyboard.press("u")
    answer(page, "Here it is again.")
    page.keyboard.press("Enter")
    at_step(page, 7)
    page.keyboard.press("s")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    at_step(page, 8)
    answer(page, "Skipped, with your reason.")
    expect(page.get_by_role("button", name="Begin")).to_be_focused()
    page.keyboard.press("Enter")

    expect(page).to_have_url("/judge/museum/")
    at_sentence(page, 1)
    judge.refresh_from_db()
    assert judge.tour == Judge.Tour.DONE
    assert not Judgment.objects.exists()
    assert not Skip.objects.exists()
    assert page.evaluate("Object.keys(localStorage).filter((key) => /tour|draft/.test(key))") == []


@pytest.mark.thorough
def test_a_skipped_tour_is_not_shown_again_but_may_be_repeated(
    touring: Page, new_page: NewPage, judge: Judge, sign_in: SignIn
) -> None:
    touring.get_by_role("button", name="Skip the tour").click()
    at_sentence(touring, 1)
    other_device = new_page()
    sign_in(other_device, judge)
    expect(other_device).to_have_url("/judge/museum/")
    at_sentence(other_device, 1)
    other_device.get_by_role("button", name="more…").click()
    other_device.get_by_role("link", name="repeat the tour").click()
    at_step(other_device, 1)
    # Practice for as long as one likes, whatever the step.
    for position in (1, 2, 3, 1):
        at_sentence(other_device, position)
        judge_block(other_device)
    at_sentence(other_device, 2)
    assert not Judgment.objects.exists()
    # What is lent is lent for work alone.
    assert set(Exposure.objects.values_list("assignment__judge", flat=True)) == {judge.pk}
