"""A judge of a sort answers on the screen of two outputs, and is not told of the sort."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from annotation.services import design_ensure, pool_fill
from campaign.models import Judge, Protocol, Task
from campaign.services import task_close
from tests.browser.conftest import SignIn
from tests.browser.judging import all_sent, at_sentence
from tests.browser.test_two_outputs import begin, output, press
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def judge() -> Judge:
    ranking = make_task(make_campaign(), documents=(6, 6), identical=())
    task_close(task=ranking)
    task = Task.objects.create(test_set=ranking.test_set, protocol=Protocol.SORTING)
    design_ensure(task=task, seed=7)
    pool_fill(task_id=task.pk, size=6)
    return make_judge(task.test_set.campaign)


def test_it_is_answered_as_two_outputs(page: Page, judge: Judge, sign_in: SignIn) -> None:
    judging = begin(page, judge, sign_in)
    expect(output(judging, "B")).to_be_visible()
    expect(judging.locator("[data-verdict=both_fine]:visible")).to_have_count(0)
    for position, key in enumerate("132", start=1):
        at_sentence(judging, position)
        press(judging, key)
    at_sentence(judging, 1)
    all_sent(judging)
    stored = Judgment.objects.filter(judge=judge).order_by("pk")
    assert [each.labels for each in stored] == [[1, 2], [2, 1], [1, 1]]
