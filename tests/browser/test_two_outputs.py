"""Judging two outputs: one key says which is better, and goes on."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Judgment
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan
from campaign.models import Judge, Protocol, Task
from campaign.services.campaigns import task_close
from tests.browser.conftest import SignIn
from tests.browser.judging import all_sent, at_sentence, judge_block, press, rows
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
    # Few of the sentences are ranked: a judge is lent HITs ahead, and no sentence by two tasks.
    ranking = make_task(make_campaign(), documents=(6, 6), identical=(), planned=2)
    if not ranking_is_open:
        task_close(task=ranking)
    task = Task.objects.create(
        test_set=ranking.test_set,
        protocol=Protocol.TWO_OUTPUTS,
        **fields,
    )
    design_ensure(task=task, seed=7)
    hits_plan(task_id=task.pk, count=6)
    return task


@pytest.fixture
def judge() -> Judge:
    return make_judge(two_outputs().test_set.campaign)


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
    return page.locator(f"button[data-choice={name}]")


def chosen(page: Page) -> Locator:
    return page.locator(".answer[aria-pressed=true]")


def verdicts(judge: Judge) -> list[str]:
    stored = Judgment.objects.filter(judge=judge).order_by("pk")
    return [each.twooutputsanswer.verdict for each in stored]


def test_one_key_answers_and_goes_on(judging: Page, judge: Judge) -> None:
    at_sentence(judging, 1)
    expect(output(judging, "A")).to_be_visible()
    expect(output(judging, "B")).to_be_visible()
    expect(judging.locator("#submit")).to_be_hidden()
    # In the texts, arrows scroll.
    judging.locator("#source-part").focus()
    press(judging, "ArrowDown")
    at_sentence(judging, 1)
    judging.locator(".answers").focus()
    for position, key in enumerate(("ArrowLeft", "2", "3"), start=1):
        at_sentence(judging, position)
        expect(chosen(judging)).to_have_count(0)
        press(judging, key)
    at_sentence(judging, 1)
    all_sent(judging)
    assert verdicts(judge) == ["first", "same", "second"]
    stored = Judgment.objects.filter(judge=judge).order_by("pk")
    assert [each.labels for each in stored] == [[1, 2], [1, 1], [2, 1]]


@pytest.mark.thorough
def test_going_back_shows_what_was_said_and_one_key_changes_it(
    judging: Page,
    judge: Judge,
) -> None:
    press(judging, "1")
    at_sentence(judging, 2)
    judging.keyboard.press("u")
    expect(judging.locator("#sentence")).to_have_text("Back at item 1 of 3")
    expect(chosen(judging)).to_have_attribute("data-choice", "first")
    expect(judging.locator("#submit-word")).to_have_text("Return")
    judging.keyboard.press("3")
    at_sentence(judging, 2)
    all_sent(judging)
    first, revision = Judgment.objects.filter(judge=judge).order_by("pk")
    assert revision.supersedes == first
    assert verdicts(judge) == ["first", "second"]
    # The same again changes nothing, and leads back.
    judging.keyboard.press("u")
    expect(chosen(judging)).to_have_attribute("data-choice", "second")
    judging.keyboard.press("3")
    at_sentence(judging, 2)
    judging.keyboard.press("u")
    expect(chosen(judging)).to_have_count(1)
    judging.keyboard.press("Escape")
    at_sentence(judging, 2)
    assert Judgment.objects.count() == 2


@pytest.mark.thorough
def test_enter_gives_no_answer_and_a_double_press_only_one(
    judging: Page,
    judge: Judge,
) -> None:
    judging.keyboard.press("Enter")
    expect(judging.locator("#missing")).to_have_text(
        "Choose an answer, or skip the item.",
    )
    judging.evaluate(TWICE, "1")
    at_sentence(judging, 2)
    all_sent(judging)
    assert verdicts(judge) == ["first"]


@pytest.mark.thorough
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
