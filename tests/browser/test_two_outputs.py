"""Judging two outputs: one key says which is better, and goes on."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Judgment
from annotation.services import design_ensure, hits_plan
from campaign.models import Judge, Protocol, Task
from campaign.services import task_close
from launcher.waiting import wait_until
from tests.browser.conftest import IN_VIEWS, PHONE, Connections, NewPage, SignIn
from tests.browser.judging import all_sent, at_sentence, judge_block, page_kept, rows
from tests.browser.screen_reader import ScreenReader
from tests.browser.test_judge_reload import load_anew
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Two key presses without time between them.
TWICE = """(key) => {
    for (let press = 0; press < 2; press += 1) {
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    }
}"""


def two_outputs(*, ranking_is_open: bool = False, **fields: Any) -> Task:
    """A task beside the ranking of the same test set, which judges are not lent as well unless it is open."""
    ranking = make_task(make_campaign(), documents=(6, 6), identical=())
    if not ranking_is_open:
        task_close(task=ranking)
    task = Task.objects.create(test_set=ranking.test_set, protocol=Protocol.TWO_OUTPUTS, **fields)
    design_ensure(task=task, seed=7)
    hits_plan(task_id=task.pk, count=6)
    return task


@pytest.fixture
def judge() -> Judge:
    return make_judge(two_outputs().test_set.campaign)


@pytest.fixture
def judge_of_four() -> Judge:
    return make_judge(two_outputs(rules={"four_answers": True}).test_set.campaign)


def begin(page: Page, judge: Judge, sign_in: SignIn) -> Page:
    page.clock.install()
    sign_in(page, judge)
    expect(verdict(page, "first")).to_be_visible()
    return page


@pytest.fixture
def judging(page: Page, judge: Judge, sign_in: SignIn) -> Page:
    return begin(page, judge, sign_in)


def output(page: Page, letter: str) -> Locator:
    return page.get_by_role("group", name=f"Output {letter}", exact=True)


def verdict(page: Page, name: str) -> Locator:
    return page.locator(f"button[data-verdict={name}]")


def chosen(page: Page) -> Locator:
    return page.locator("[data-verdict][aria-pressed=true]")


def press(page: Page, key: str) -> None:
    """Some time after the sentence before: at once, a key is taken for its second press."""
    page.clock.fast_forward(1_000)
    page.keyboard.press(key)


def verdicts(judge: Judge) -> list[str]:
    stored = Judgment.objects.filter(judge=judge).order_by("pk")
    return [each.two_outputs_answer.verdict for each in stored]


def test_one_key_answers_and_goes_on(judging: Page, judge: Judge) -> None:
    at_sentence(judging, 1)
    expect(output(judging, "A")).to_be_visible()
    expect(output(judging, "B")).to_be_visible()
    expect(judging.locator("#submit")).to_be_hidden()
    for position, key in enumerate("123", start=1):
        at_sentence(judging, position)
        expect(chosen(judging)).to_have_count(0)
        press(judging, key)
    at_sentence(judging, 1)
    all_sent(judging)
    assert verdicts(judge) == ["first", "same", "second"]
    stored = Judgment.objects.filter(judge=judge).order_by("pk")
    assert [each.labels for each in stored] == [[1, 2], [1, 1], [2, 1]]


def test_arrows_answer_too(judging: Page, judge: Judge) -> None:
    for position, key in enumerate(("ArrowLeft", "ArrowDown", "ArrowRight"), start=1):
        at_sentence(judging, position)
        press(judging, key)
    all_sent(judging)
    assert verdicts(judge) == ["first", "same", "second"]


def test_arrows_follow_the_sides_of_a_page_from_right_to_left(
    new_page: NewPage, judge: Judge, sign_in: SignIn
) -> None:
    page = begin(new_page(locale="ar"), judge, sign_in)
    first, second = (page.locator(".output").nth(place).bounding_box() for place in (0, 1))
    assert first is not None
    assert second is not None
    assert first["x"] > second["x"]
    source = page.locator("#source .source").inner_text()
    press(page, "ArrowRight")
    expect(page.locator("#source .source")).not_to_have_text(source)
    press(page, "ArrowLeft")
    assert wait_until(lambda: verdicts(judge) == ["first", "second"], seconds=60)


def test_arrows_scroll_the_texts_where_the_focus_is_in_them(judging: Page, judge: Judge) -> None:
    judging.locator("#source-part").focus()
    press(judging, "ArrowDown")
    press(judging, "Shift+ArrowDown")
    at_sentence(judging, 1)
    assert verdicts(judge) == []


def test_where_a_tie_is_asked_as_two_it_has_two_keys(
    page: Page, judge_of_four: Judge, sign_in: SignIn
) -> None:
    begin(page, judge_of_four, sign_in)
    expect(verdict(page, "same")).to_have_count(0)
    press(page, "ArrowDown")
    at_sentence(page, 1)
    page.keyboard.press("?")
    expect(page.get_by_role("row", name="both wrong")).to_be_visible()
    expect(page.get_by_role("row", name="the same")).to_be_hidden()
    page.keyboard.press("Escape")
    for position, key in enumerate("243", start=1):
        at_sentence(page, position)
        press(page, key)
    all_sent(page)
    assert verdicts(judge_of_four) == ["both_fine", "both_wrong", "second"]


def test_going_back_shows_what_was_said_and_one_key_changes_it(judging: Page, judge: Judge) -> None:
    press(judging, "1")
    at_sentence(judging, 2)
    judging.keyboard.press("u")
    expect(judging.locator("#sentence")).to_have_text("Back at sentence 1 of 3")
    expect(chosen(judging)).to_have_attribute("data-verdict", "first")
    expect(judging.locator("#submit-word")).to_have_text("Return")
    judging.keyboard.press("3")
    at_sentence(judging, 2)
    all_sent(judging)
    first, revision = Judgment.objects.filter(judge=judge).order_by("pk")
    assert revision.supersedes == first
    assert verdicts(judge) == ["first", "second"]
    # The same again changes nothing, and leads back.
    judging.keyboard.press("u")
    expect(chosen(judging)).to_have_attribute("data-verdict", "second")
    judging.keyboard.press("3")
    at_sentence(judging, 2)
    judging.keyboard.press("u")
    expect(chosen(judging)).to_have_count(1)
    judging.keyboard.press("Escape")
    at_sentence(judging, 2)
    assert Judgment.objects.count() == 2


def test_enter_gives_no_answer_and_a_double_press_only_one(judging: Page, judge: Judge) -> None:
    judging.keyboard.press("Enter")
    expect(judging.locator("#missing")).to_have_text("Choose an answer, or skip the sentence.")
    judging.evaluate(TWICE, "1")
    at_sentence(judging, 2)
    all_sent(judging)
    assert verdicts(judge) == ["first"]


def test_a_comment_goes_along_and_a_sentence_is_skipped(judging: Page, judge: Judge) -> None:
    judging.keyboard.press("m")
    judging.keyboard.type("A leaves out 3 words.")
    judging.keyboard.press("Escape")
    press(judging, "3")
    at_sentence(judging, 2)
    judging.keyboard.press("s")
    judging.keyboard.press("Space")
    judging.keyboard.press("Enter")
    at_sentence(judging, 3)
    all_sent(judging)
    assert Judgment.objects.get(judge=judge).comment == "A leaves out 3 words."
    judging.keyboard.press("h")
    entries = judging.locator("#history-list li")
    expect(entries).to_have_count(2)
    expect(entries.nth(0)).to_contain_text("Skipped")
    expect(entries.nth(1)).to_contain_text("B is better")
    entries.nth(0).get_by_role("button").click()
    expect(judging.locator("#skipped")).to_contain_text("Answer to take the skip back.")
    press(judging, "2")
    at_sentence(judging, 3)
    all_sent(judging)
    assert verdicts(judge) == ["second", "same"]


def test_differences_are_those_of_two(judging: Page) -> None:
    judging.keyboard.press("d")
    expect(judging.locator(".output mark")).not_to_have_count(0)
    expect(judging.locator("#announcement")).to_contain_text("the other output")
    press(judging, "1")
    at_sentence(judging, 2)
    expect(judging.locator(".output mark")).not_to_have_count(0)
    judging.keyboard.press("d")
    expect(judging.locator(".output mark")).to_have_count(0)


def test_without_network_a_page_loaded_anew_goes_on(
    judging: Page, judge: Judge, tolerate: list[str], connections: Connections
) -> None:
    tolerate.append("net::ERR_")
    press(judging, "1")
    at_sentence(judging, 2)
    all_sent(judging)
    page_kept(judging)
    with connections.cut(judging.context):
        press(judging, "3")
        at_sentence(judging, 3)
        expect(judging.locator("#status")).to_contain_text("1 judgment is kept on this device")
        assert load_anew(judging).from_service_worker
        at_sentence(judging, 3)
        judging.keyboard.press("u")
        expect(chosen(judging)).to_have_attribute("data-verdict", "second")
        press(judging, "2")
        at_sentence(judging, 3)
    all_sent(judging)
    assert verdicts(judge) == ["first", "second", "same"]


def test_by_touch_alone_at_360_pixels(new_page: NewPage, judge: Judge, sign_in: SignIn) -> None:
    page = begin(new_page(viewport=PHONE, has_touch=True, is_mobile=True), judge, sign_in)
    boxes = [page.locator(".output").nth(place).bounding_box() for place in (0, 1)]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    for name in ("first", "same", "second"):
        box = verdict(page, name).bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    verdict(page, "same").tap()
    at_sentence(page, 2)
    page.get_by_role("button", name="go back").tap()
    expect(chosen(page)).to_have_attribute("data-verdict", "same")
    verdict(page, "second").tap()
    at_sentence(page, 2)
    all_sent(page)
    assert verdicts(judge) == ["same", "second"]


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
    page.keyboard.press("d")
    page.keyboard.press("c")
    page.keyboard.press("Enter")
    axe_check(page)
    press(page, "1")
    at_sentence(page, 2)
    page.keyboard.press("u")
    page.keyboard.press("m")
    expect(chosen(page)).to_have_count(1)
    axe_check(page)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    axe_check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_the_answers_stay_where_they_are_from_sentence_to_sentence(judging: Page) -> None:
    """Whatever stands above them, which is one line more of the second sentence."""

    def places() -> list[object]:
        return [judging.locator(selector).bounding_box() for selector in (".verdicts", "#foot")]

    before = places()
    press(judging, "1")
    at_sentence(judging, 2)
    assert places() == before


def test_both_outputs_and_what_was_chosen_are_heard(
    page: Page, judge: Judge, sign_in: SignIn
) -> None:
    reader = ScreenReader(page)
    begin(page, judge, sign_in)
    at_sentence(page, 1)
    heard = reader.focus()
    for words in ("Sentence 1 of 3. Source:", "Output A:", "Output B:", "Which output is better?"):
        assert words in heard
    press(page, "1")
    at_sentence(page, 2)
    assert reader.focus().startswith("focus: A is better. Sentence 2 of 3.")
    page.keyboard.press("u")
    expect(chosen(page)).to_have_count(1)
    assert "A is better" in reader.focus()
    page.keyboard.press("b")
    expect(page.locator("#announcement")).to_contain_text("Output B:")


def test_with_single_keys_switched_off_digits_act_on_the_outputs_only(
    judging: Page, judge: Judge
) -> None:
    judging.locator("#show-settings").click()
    judging.locator("#letters").uncheck()
    judging.keyboard.press("Escape")
    judging.locator("#source-part").focus()
    press(judging, "1")
    at_sentence(judging, 1)
    judging.locator(".verdicts").focus()
    press(judging, "1")
    at_sentence(judging, 2)
    all_sent(judging)
    assert verdicts(judge) == ["first"]


def test_rankings_and_two_outputs_in_one_session(page: Page, sign_in: SignIn) -> None:
    """From one to the other and back by the list of judgments: each has its own rows, keys and words."""
    task = two_outputs(ranking_is_open=True)
    campaign = task.test_set.campaign
    ranking = Task.objects.of(campaign).get(protocol=Protocol.RANKING)
    judge = make_judge(campaign)
    Judge.objects.filter(pk=judge.pk).update(chosen_task=ranking)
    page.clock.install()
    sign_in(page, judge)
    for position in (1, 2, 3):
        at_sentence(page, position)
        judge_block(page, "21345")
    all_sent(page)
    # What is lent already is judged first.
    Judge.objects.filter(pk=judge.pk).update(chosen_task=task)
    while not verdict(page, "first").is_visible():
        expect(rows(page).or_(verdict(page, "first")).first).to_be_visible()
        if rows(page).count():
            judge_block(page, "21345")
    expect(rows(page)).to_have_count(0)
    expect(page.locator("#order")).to_be_empty()
    press(page, "3")
    all_sent(page)
    page.keyboard.press("h")
    entries = page.locator("#history-list li")
    expect(entries.nth(0)).to_contain_text("B is better")
    expect(entries.nth(1)).to_contain_text("B > A > C > D > E")
    entries.nth(1).get_by_role("button").click()
    expect(page.locator("#order")).to_have_text("B > A > C > D > E")
    expect(verdict(page, "first")).to_have_count(0)
    page.keyboard.press("5")
    expect(page.locator("#order")).to_have_text("B > C > D > A = E")
    page.keyboard.press("Enter")
    expect(verdict(page, "first")).to_be_visible()
    all_sent(page)
    assert Judgment.objects.filter(judge=judge).latest("pk").labels == [5, 1, 3, 4, 5]
