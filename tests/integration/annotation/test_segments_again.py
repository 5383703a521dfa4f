"""Tasks in which judges meet segments again that other tasks of the test set showed them."""

from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError

from annotation.selectors.judging import assigned_blocks
from annotation.selectors.onboarding import tasks_on_offer
from annotation.services.lending.lend import assignment_lend
from annotation.services.planning.designs import design_change, design_ensure
from annotation.services.planning.for_judge import judge_plan
from annotation.services.planning.pool import hits_plan
from annotation.services.submission import SentJudgment, judgment_submit
from annotation.services.tasks import task_segments_again_change, task_with_rules_create
from campaign.models import Judge, Protocol, Task
from campaign.services.judges import task_choose
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def ranking() -> Task:
    task = make_task(make_campaign(), documents=(3, 3), planned=0)
    design_change(task=task, segment_order="sequential")
    hits_plan(task_id=task.pk, count=2)
    return task


def beside(ranking: Task, protocol: Protocol, *, segments_again: bool = True) -> Task:
    """Add a task and plan as many HITs as show all segments once."""
    task = task_with_rules_create(
        test_set=ranking.test_set,
        protocol=protocol,
        by=None,
        rules={},
        segments_again=segments_again,
    )
    design_ensure(task=task, seed=8)
    design_change(task=task, segment_order="sequential")
    hits_plan(task_id=task.pk, count=2)
    return task


@pytest.fixture
def judge(ranking: Task) -> Judge:
    return make_judge(ranking.test_set.campaign)


ANSWERS: dict[str, dict[str, Any]] = {
    Protocol.RANKING: {"labels": [1, 2, 3, 4, 5]},
    Protocol.TWO_OUTPUTS: {"answer": {"verdict": "first"}},
    Protocol.TOP: {"answer": {"top": [True, False, False, False, False]}},
}


def all_met(judge: Judge, task: Task) -> list[int]:
    """Judge all that is lent of a task; return the segments in the order in which they came."""
    task_choose(judge=judge, task=task)
    met: list[int] = []
    while (lent := assignment_lend(judge=judge)) is not None:
        assert lent.assignment.hit.task == task
        met += lent.assignment.hit.segment_ids
        for block in assigned_blocks(lent.assignment):
            said = dict(ANSWERS[task.protocol])
            if "labels" in said:
                said["labels"] = said["labels"][: len(block.candidates)]
            if "top" in said.get("answer", ()):
                said["answer"] = {"top": said["answer"]["top"][: len(block.candidates)]}
            judgment_submit(
                assigned=block,
                client_id=uuid4(),
                sent=SentJudgment(**said),
            )
    return met


@pytest.mark.thorough
def test_segment_is_seen_once_in_a_separate_task_and_once_in_all_others(
    ranking: Task,
) -> None:
    two = beside(ranking, Protocol.TWO_OUTPUTS)
    top = beside(ranking, Protocol.TOP, segments_again=False)
    segments = set(ranking.test_set.segments.values_list("pk", flat=True))
    for order in ((two, ranking, top), (ranking, two, top)):
        other = make_judge(ranking.test_set.campaign, f"judge{order[0].pk}")
        left = {
            offer.task: offer.sentences_left for offer in tasks_on_offer(judge=other)
        }
        assert left == {ranking: 6, two: 6, top: 6}
        for task in (ranking, two, top):
            hits_plan(task_id=task.pk, count=2)
        met = {task: all_met(other, task) for task in order}
        assert sorted(met[two]) == sorted(met[ranking]) == sorted(segments)
        # The ranking and this one count together.
        assert met[top] == []
        assert {offer.sentences_left for offer in tasks_on_offer(judge=other)} == {0}
        # The planner knows of nothing else either.
        assert [judge_plan(task_id=task.pk, judge_id=other.pk) for task in order] == [
            0,
            0,
            0,
        ]


def test_the_planner_draws_for_a_judge_what_another_task_showed(
    ranking: Task,
    judge: Judge,
) -> None:
    assert len(all_met(judge, ranking)) == 6
    for again in (False, True):
        protocol = Protocol.TWO_OUTPUTS if again else Protocol.TOP
        task = task_with_rules_create(
            test_set=ranking.test_set,
            protocol=protocol,
            by=None,
            rules={},
            segments_again=again,
        )
        design_ensure(task=task, seed=8)
        assert bool(judge_plan(task_id=task.pk, judge_id=judge.pk)) == again


def test_segments_again_is_fixed_once_lent_and_never_allowed_for_the_ranking(
    ranking: Task,
    judge: Judge,
) -> None:
    two = beside(ranking, Protocol.TWO_OUTPUTS, segments_again=False)
    task_segments_again_change(task=two, segments_again=True)
    assert Task.objects.get(pk=two.pk).segments_again
    task_choose(judge=judge, task=two)
    lend(judge)
    task_segments_again_change(task=two, segments_again=True)
    with pytest.raises(ValidationError, match="judging has started"):
        task_segments_again_change(task=two, segments_again=False)
    with pytest.raises(ValidationError, match="Not available for the ranking task"):
        task_segments_again_change(task=ranking, segments_again=True)
