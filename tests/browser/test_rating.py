"""Rating an output: a digit gives points, Enter goes on; fluency is asked of the output alone."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import HIT
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan, pool_fill
from campaign.models import Judge, Protocol, Task
from campaign.services.campaigns import task_close
from launcher.data_directory import wait_until
from protocols.models import RatingAnswer
from tests.browser.conftest import SignIn
from tests.browser.judging import press
from tests.factories import make_campaign, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def task() -> Task:
    ranking = make_task(make_campaign(), documents=(3,), identical=())
    task_close(task=ranking)
    task = Task.objects.create(test_set=ranking.test_set, protocol=Protocol.RATING)
    design_ensure(task=task, seed=7)
    hits_plan(task_id=task.pk, count=1)
    return task


def test_a_judge_rates_fluency_and_then_adequacy(
    page: Page, task: Task, judge: Judge, sign_in: SignIn
) -> None:
    page.clock.install()
    sign_in(page, judge)
    question = page.locator("#question")
    expect(question).to_have_text("Is the text written in good German?")
    expect(page.locator(".best-points")).to_have_text("Spotless German")
    expect(page.locator(".worst-points")).to_have_text("Incomprehensible German")
    expect(page.locator("#source-part")).to_be_hidden()
    expect(page.locator("#reference-part")).to_be_empty()
    expect(page.locator("#differences")).to_be_hidden()
    text = page.locator(".rating-text")

    # Nothing goes on without points.
    shown = text.inner_text()
    press(page, "Enter")
    expect(page.locator("#missing")).to_have_text("Rate the output, or skip the sentence.")
    press(page, "4")
    expect(page.locator(".point input[value='4']")).to_be_checked()
    press(page, "2")
    press(page, "Enter")
    expect(text).not_to_have_text(shown)
    for key in "53":
        press(page, key)
        press(page, "Enter")
    assert wait_until(lambda: RatingAnswer.objects.count() == len("253"), seconds=60)
    assert list(RatingAnswer.objects.order_by("pk").values_list("points", flat=True)) == [
        [2],
        [5],
        [3],
    ]

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
