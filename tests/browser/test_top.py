"""Top or not: a key for each output marks it, and Enter submits."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Judgment
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan
from campaign.models import Judge, Protocol, Task
from campaign.services.campaigns import task_close
from tests.browser.conftest import SignIn
from tests.browser.judging import all_sent, at_sentence, painted_for_a_while
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
    page.clock.install()
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
        Judgment.objects.filter(judge=judge)
        .order_by("pk")
        .values_list("labels", flat=True),
    )


def test_digits_mark_and_enter_submits(judging: Page, judge: Judge) -> None:
    at_sentence(judging, 1)
    expect(judging.locator("#missing")).to_have_text("No outputs marked yet")
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
    judging.keyboard.press("4")
    expect(marked(judging)).to_have_count(0)
    painted_for_a_while(judging)
    expect(judging.locator("#missing")).to_contain_text(
        "Ignored: this item has only just",
    )
    judging.keyboard.press("Enter")
    expect(judging.locator("#missing.refused:not(.hint)")).to_contain_text(
        "Mark at least one",
    )
    for key in ("ArrowDown", "j", "k", "Space"):
        judging.keyboard.press(key)
    expect(mark(judging, "B")).to_be_checked()
    judging.keyboard.press("Enter")
    at_sentence(judging, 3)
    all_sent(judging)
    assert labels(judge) == [[1, 2, 1, 2, 2], [2, 1, 2, 2, 2]]


@pytest.mark.thorough
def test_u_goes_back_and_a_mark_changes_it(judging: Page, judge: Judge) -> None:
    judging.keyboard.press("2")
    judging.keyboard.press("Enter")
    at_sentence(judging, 2)
    judging.keyboard.press("u")
    expect(judging.locator("#sentence")).to_have_text("Back at item 1 of 3")
    expect(mark(judging, "B")).to_be_checked()
    judging.keyboard.press("5")
    expect(judging.locator("#submit-word")).to_have_text("Save change")
    judging.keyboard.press("Enter")
    at_sentence(judging, 2)
    all_sent(judging)
    assert labels(judge) == [[2, 1, 2, 2, 2], [2, 1, 2, 2, 1]]
    judging.keyboard.press("h")
    expect(judging.locator("#history-list li").first).to_contain_text("Top: B and E")
