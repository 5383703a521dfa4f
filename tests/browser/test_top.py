"""Top or not: a key for each output marks it, and Enter submits."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Judgment
from annotation.services import design_ensure, hits_plan
from campaign.models import Judge, Protocol, Task
from campaign.services import task_close
from tests.browser.conftest import IN_VIEWS, PHONE, NewPage, SignIn
from tests.browser.judging import all_sent, at_sentence, page_kept
from tests.browser.screen_reader import ScreenReader
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def judge() -> Judge:
    ranking = make_task(make_campaign(), documents=(6, 6), identical=())
    task_close(task=ranking)
    task = Task.objects.create(test_set=ranking.test_set, protocol=Protocol.TOP)
    design_ensure(task=task, seed=7)
    hits_plan(task_id=task.pk, count=6)
    return make_judge(task.test_set.campaign)


def begin(page: Page, judge: Judge, sign_in: SignIn) -> Page:
    sign_in(page, judge)
    expect(output(page, "A")).to_be_visible()
    return page


@pytest.fixture
def judging(page: Page, judge: Judge, sign_in: SignIn) -> Page:
    return begin(page, judge, sign_in)


def output(page: Page, letter: str) -> Locator:
    return page.get_by_role("group", name=re.compile(rf"\bOutput {letter} "))


def mark(page: Page, letter: str) -> Locator:
    return output(page, letter).get_by_role("checkbox", name="top")


def marked(page: Page) -> Locator:
    return page.locator(".top-mark input:checked")


def labels(judge: Judge) -> list[list[int | None]]:
    return list(
        Judgment.objects.filter(judge=judge).order_by("pk").values_list("labels", flat=True)
    )


def test_digits_mark_and_enter_submits(judging: Page, judge: Judge) -> None:
    at_sentence(judging, 1)
    expect(judging.locator("#missing")).to_have_text("No output is marked yet")
    judging.keyboard.press("Enter")
    expect(judging.locator("#missing")).to_contain_text("Mark at least one output")
    at_sentence(judging, 1)
    for key in "143":
        judging.keyboard.press(key)
    judging.keyboard.press("4")
    expect(judging.locator("#missing")).to_have_text("Top: A and C")
    judging.keyboard.press("Enter")
    at_sentence(judging, 2)
    expect(marked(judging)).to_have_count(0)
    for key in ("ArrowDown", "j", "k", "Space"):
        judging.keyboard.press(key)
    expect(mark(judging, "B")).to_be_checked()
    judging.keyboard.press("Enter")
    at_sentence(judging, 3)
    all_sent(judging)
    assert labels(judge) == [[1, 2, 1, 2, 2], [2, 1, 2, 2, 2]]


def test_letters_that_all_screens_share_mark_nothing(judging: Page) -> None:
    judging.keyboard.press("d")
    expect(judging.locator(".row mark")).not_to_have_count(0)
    judging.keyboard.press("c")
    judging.keyboard.press("0")
    expect(marked(judging)).to_have_count(0)


def test_u_goes_back_and_a_mark_changes_it(judging: Page, judge: Judge) -> None:
    judging.keyboard.press("2")
    judging.keyboard.press("Enter")
    at_sentence(judging, 2)
    judging.keyboard.press("u")
    expect(judging.locator("#sentence")).to_have_text("Back at sentence 1 of 3")
    expect(mark(judging, "B")).to_be_checked()
    judging.keyboard.press("5")
    expect(judging.locator("#submit-word")).to_have_text("Save the change")
    judging.keyboard.press("Enter")
    at_sentence(judging, 2)
    all_sent(judging)
    assert labels(judge) == [[2, 1, 2, 2, 2], [2, 1, 2, 2, 1]]
    judging.keyboard.press("h")
    expect(judging.locator("#history-list li").first).to_contain_text("Top: B and E")


def test_without_network_answers_wait(judging: Page, judge: Judge, tolerate: list[str]) -> None:
    tolerate.append("net::ERR_")
    judging.keyboard.press("1")
    judging.keyboard.press("Enter")
    at_sentence(judging, 2)
    all_sent(judging)
    page_kept(judging)
    judging.context.set_offline(True)
    for key in ("2", "3", "Enter"):
        judging.keyboard.press(key)
    at_sentence(judging, 3)
    expect(judging.locator("#status")).to_contain_text("1 judgment is kept on this device")
    judging.context.set_offline(False)
    all_sent(judging)
    assert labels(judge) == [[1, 2, 2, 2, 2], [2, 1, 1, 2, 2]]


def test_by_touch_alone_at_360_pixels(new_page: NewPage, judge: Judge, sign_in: SignIn) -> None:
    page = begin(new_page(viewport=PHONE, has_touch=True, is_mobile=True), judge, sign_in)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    for letter in "ABCDE":
        box = mark(page, letter).bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    for letter in "BEB":
        mark(page, letter).tap()
    expect(marked(page)).to_have_count(1)
    page.locator("#submit").tap()
    at_sentence(page, 2)
    all_sent(page)
    assert labels(judge) == [[2, 2, 2, 2, 1]]


def test_from_right_to_left_the_button_stands_on_the_left(
    new_page: NewPage, judge: Judge, sign_in: SignIn
) -> None:
    page = new_page(locale="ar")
    sign_in(page, judge)
    text, button = (page.locator(name).first.bounding_box() for name in (".row-text", ".top-mark"))
    assert text is not None
    assert button is not None
    assert button["x"] + button["width"] <= text["x"]
    page.keyboard.press("3")
    expect(page.locator(".row").nth(2).locator("input")).to_be_checked()


def test_a_screen_reader_hears_outputs_and_marks(page: Page, judge: Judge, sign_in: SignIn) -> None:
    reader = ScreenReader(page)
    begin(page, judge, sign_in)
    at_sentence(page, 1)
    heard = reader.focus()
    for words in ("Sentence 1 of 3. Source:", "Output A", "top"):
        assert words in heard
    page.keyboard.press("3")
    expect(page.locator("#announcement")).to_have_text("C is at the top.")
    page.keyboard.press("3")
    expect(page.locator("#announcement")).to_have_text("C is no longer at the top.")


@IN_VIEWS
def test_axe_finds_nothing(
    new_page: NewPage,
    judge: Judge,
    sign_in: SignIn,
    axe_check: Callable[[Page], None],
    viewport: dict[str, int],
    scheme: str,
) -> None:
    page = begin(new_page(viewport=viewport, color_scheme=scheme), judge, sign_in)
    axe_check(page)
    page.keyboard.press("Enter")
    axe_check(page)
    page.keyboard.press("1")
    page.keyboard.press("d")
    axe_check(page)
    page.keyboard.press("?")
    axe_check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
