"""Several tasks on one test set: what a judge chooses from and is lent, and what they have seen already."""

from uuid import uuid4

import pytest

from annotation.models import JudgeAccount
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.onboarding import tasks_on_offer
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Judge, Protocol, Task
from campaign.services.campaigns import task_close, task_create
from campaign.services.judges import task_choose
from tests.at_work import assignment_lend, judge_all_of, lend
from tests.factories import make_campaign, make_judge, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def ranking() -> Task:
    return make_task(make_campaign(), documents=(3, 3), planned=2)


@pytest.fixture
def two(ranking: Task) -> Task:
    task = task_create(
        test_set=ranking.test_set,
        protocol=Protocol.TWO_OUTPUTS,
        by=None,
    )
    design_ensure(task=task, seed=8)
    hits_plan(task_id=task.pk, count=2)
    return task


@pytest.fixture
def judge(ranking: Task) -> Judge:
    return make_judge(ranking.test_set.campaign, languages=["en", "de"])


def test_judges_get_what_they_chose(ranking: Task, two: Task, judge: Judge) -> None:
    for chosen in (two, ranking):
        task_choose(judge=judge, task=chosen)
        assert lend(judge).hit.task == chosen
    # Each has its own numbers of HITs.
    assert set(
        JudgeAccount.objects.filter(judge=judge).values_list("task", "hits_lent"),
    ) == {
        (ranking.pk, 1),
        (two.pk, 1),
    }


def test_no_sentence_is_shown_twice_whichever_task_shows_it(
    ranking: Task,
    two: Task,
    judge: Judge,
) -> None:
    task_choose(judge=judge, task=ranking)
    first = lend(judge)
    judge_all_of(first)
    task_choose(judge=judge, task=two)
    second = assignment_lend(judge=judge)
    assert second is not None
    assert second.hit.task == two
    assert not set(first.hit.segment_ids) & set(second.hit.segment_ids)
    # They hold the three sentences of the second task.
    assert left(judge) == {ranking: 0, two: 3}


def test_without_a_choice_the_other_follows_when_one_is_closed(
    ranking: Task,
    two: Task,
    judge: Judge,
) -> None:
    held = lend(judge)
    assert held.hit.task == ranking
    judge_all_of(held)
    task_close(task=ranking)
    other = assignment_lend(judge=judge)
    assert other is not None
    assert other.hit.task == two


def left(judge: Judge) -> dict[Task, int]:
    return {offer.task: offer.sentences_left for offer in tasks_on_offer(judge=judge)}


def test_sentences_in_hand_are_left_until_they_are_judged(
    ranking: Task,
    two: Task,
    judge: Judge,
) -> None:
    task_choose(judge=judge, task=ranking)
    held = lend(judge)
    assert left(judge) == {ranking: 6, two: 3}
    block = assigned_blocks(held)[0]
    labels = [1] * len(block.candidates)
    sent = SentJudgment(labels=labels)
    judgment_submit(assigned=block, client_id=uuid4(), sent=sent)
    # They go to another task in the middle.
    task_choose(judge=judge, task=two)
    assert left(judge) == {ranking: 5, two: 3}


def test_no_more_is_left_than_a_judge_is_asked_for(
    ranking: Task,
    two: Task,
    judge: Judge,
) -> None:
    Judge.objects.update(blocks_asked=4)
    task_choose(judge=judge, task=ranking)
    held = lend(judge)
    # Three in hand, and one more in either task.
    assert left(judge) == {ranking: 4, two: 1}
    judge_all_of(held)
    assert left(judge) == {ranking: 1, two: 1}
    Judge.objects.update(blocks_asked=3)
    assert left(judge) == {ranking: 0, two: 0}
