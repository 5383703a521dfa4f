"""Judgments become rankings: with everything up, with the broker away, after a worker was killed."""

import signal
from collections.abc import Callable
from subprocess import Popen
from uuid import uuid4

import pytest

from annotation.models import Judgment
from annotation.selectors.judging import assigned_blocks
from annotation.services.planning.pool import hits_plan
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Judge, Task
from launcher.services import Valkey
from ranking.models import LatestRanking
from tests.at_work import assignment_lend
from tests.factories import make_campaign, make_judge, make_task

Eventually = Callable[[Callable[[], bool]], None]
StartWorker = Callable[..., "Popen[bytes]"]


def campaign_with_a_judge() -> tuple[Task, Judge]:
    task = make_task(make_campaign())
    hits_plan(task_id=task.pk, count=10)
    return task, make_judge(task.test_set.campaign)


def judge_one_hit(judge: Judge) -> int:
    """Judge all blocks of a HIT; how many judgments there are then."""
    assignment = assignment_lend(judge=judge)
    assert assignment is not None
    for block in assigned_blocks(assignment):
        labels = list(range(1, len(block.candidates) + 1))
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(labels=labels),
        )
    return Judgment.objects.count()


def ranked_up_to(number: int) -> Callable[[], bool]:
    return lambda: LatestRanking.objects.filter(watermark=number).exists()


@pytest.mark.thorough
def test_judgments_made_without_a_broker_are_ranked(
    broker: Valkey,
    start_worker: StartWorker,
    eventually: Eventually,
) -> None:
    _task, judge = campaign_with_a_judge()
    start_worker()
    eventually(ranked_up_to(judge_one_hit(judge)))
    eventually(ranked_up_to(judge_one_hit(judge)))
    other = make_judge(judge.campaign, "other")
    broker.stop()
    number = judge_one_hit(other)
    broker.start()
    eventually(ranked_up_to(number))


@pytest.mark.thorough
def test_a_killed_worker_loses_nothing(
    start_worker: StartWorker,
    eventually: Eventually,
) -> None:
    _task, judge = campaign_with_a_judge()
    worker = start_worker()
    eventually(ranked_up_to(judge_one_hit(judge)))
    number = judge_one_hit(judge)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    start_worker()
    eventually(ranked_up_to(number))
