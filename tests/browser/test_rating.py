"""Rating an output: a digit gives points, Enter goes on; fluency is asked of the output alone."""

from functools import partial

import pytest
from playwright.sync_api import Page, expect

from annotation.models import HIT, Assignment
from annotation.services import design_ensure, hits_plan, pool_fill
from campaign.models import Judge, Protocol, Task
from campaign.services import task_close
from launcher.waiting import wait_until
from protocols.rating.models import Answer
from tests.browser.conftest import NewPage, SignIn
from tests.browser.organising import enter
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def task() -> Task:
    ranking = make_task(make_campaign(), documents=(3,), identical=())
    task_close(task=ranking)
    task = Task.objects.create(test_set=ranking.test_set, protocol=Protocol.RATING)
    design_ensure(task=task, seed=7)
    hits_plan(task_id=task.pk, count=1)
    return task


@pytest.fixture
def judge(task: Task) -> Judge:
    return make_judge(task.test_set.campaign)


def are_stored(count: int) -> bool:
    return Answer.objects.count() == count


def press(page: Page, key: str) -> None:
    """Some time after the sentence before: at once, a key is taken for its second press."""
    page.clock.fast_forward(1_000)
    page.keyboard.press(key)


def test_a_judge_rates_fluency_and_then_adequacy(
    page: Page, task: Task, judge: Judge, sign_in: SignIn
) -> None:
    page.clock.install()
    sign_in(page, judge)
    question = page.locator(".points legend")
    expect(question).to_have_text("Is the text written in good German?")
    expect(page.locator(".best-points")).to_have_text("Spotless German")
    expect(page.locator(".worst-points")).to_have_text("Non understandable German")
    expect(page.locator("#source-part")).to_be_hidden()
    expect(page.locator("#reference-part")).to_be_empty()
    expect(page.locator("#differences")).to_be_hidden()
    text = page.locator(".rating-text")

    # Nothing goes on without points.
    shown = text.inner_text()
    press(page, "Enter")
    expect(page.locator("#missing")).to_have_text("Give the output points, or skip the sentence.")
    press(page, "4")
    expect(page.locator(".point input[value='4']")).to_be_checked()
    press(page, "2")
    press(page, "Enter")
    expect(text).not_to_have_text(shown)
    for key in "53":
        press(page, key)
        press(page, "Enter")
    assert wait_until(lambda: Answer.objects.count() == len("253"), seconds=60)
    assert list(Answer.objects.order_by("pk").values_list("value", flat=True)) == [2, 5, 3]

    # The worker plans the second pass when the page asks for more.
    assert wait_until(
        lambda: judge.accounts.filter(requested_at__isnull=False).exists(), seconds=60
    )
    pool_fill(task_id=task.pk, size=1)
    assert HIT.objects.filter(task=task, part=2).exists()
    page.reload()
    expect(question).to_contain_text("expressed in the reference translation")
    expect(page.locator(".best-points")).to_have_text("All the meaning")
    expect(page.locator("#reference-part")).to_contain_text("Reference")
    expect(page.locator("#source-part")).to_be_hidden()


def test_the_rule_that_others_rate_adequacy_is_chosen_with_the_task_and_kept(
    new_page: NewPage, sign_in: SignIn
) -> None:
    """The organiser is told what it takes, and a judge rates adequacy of sentences that they have not read."""
    ranking = make_task(make_campaign(), documents=(6, 5), identical=())
    task_close(task=ranking)
    desk = new_page()
    enter(desk, ranking.test_set.campaign)
    desk.goto("/campaigns/museum/add-task/")
    desk.locator("input[name=protocol][value=rating]").check()
    desk.get_by_label("Judges of each text").fill("1")
    others = desk.get_by_label("adequacy is rated by other judges than fluency")
    others.focus()
    desk.keyboard.press("Space")
    expect(others).to_be_checked()
    desk.keyboard.press("Enter")
    expect(desk.locator("main")).to_contain_text("Adequacy is rated by other judges than fluency")
    task = Task.objects.get(protocol=Protocol.RATING)
    assert task.rules["adequacy_by_others"] is True

    pool_fill(task_id=task.pk, size=50)
    judge = make_judge(task.test_set.campaign)
    page = new_page()
    page.clock.install()
    sign_in(page, judge)
    question = page.locator(".points legend")
    expect(question).to_have_text("Is the text written in good German?")
    lent = Assignment.objects.get(judge=judge)
    HIT.objects.filter(task=task, part=1).exclude(pk=lent.hit_id).update(
        available_at="2100-01-01T00:00Z"
    )
    for count, _segment in enumerate(lent.hit.segment_ids, start=1):
        press(page, "4")
        press(page, "Enter")
        assert wait_until(partial(are_stored, count), seconds=60)
    expect(question).to_contain_text("expressed in the reference translation")
    press(page, "2")
    press(page, "Enter")
    assert wait_until(
        lambda: Answer.objects.filter(criterion="adequacy", value=2).count() == 1, seconds=60
    )
    read = Answer.objects.filter(criterion="fluency").values("judgment__block__segment")
    assert read.count() == len(lent.hit.segment_ids)
    rated = Answer.objects.filter(criterion="adequacy")
    assert not rated.filter(judgment__block__segment__in=read).exists()
