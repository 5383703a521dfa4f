"""Judgments become rankings: with everything up, with the broker away, after a worker was killed."""

import os
import signal
from collections.abc import Callable
from subprocess import Popen
from uuid import uuid4

import pytest

from annotation.models import Judgment
from annotation.selectors.judging import assigned_blocks
from annotation.services.planning.pool import hits_plan
from annotation.services.submission import judgment_submit
from campaign.models import Judge, Task
from launcher.valkey import Valkey
from ranking.models import LatestRanking
from tests.at_work import assignment_lend
from tests.factories import make_campaign, make_judge, make_task
from tests.roles import owner_cursor

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
        judgment_submit(assigned=block, client_id=uuid4(), labels=labels)
    return Judgment.objects.count()


def ranked_up_to(number: int) -> Callable[[], bool]:
    return lambda: LatestRanking.objects.filter(watermark=number).exists()


@pytest.mark.thorough
def test_a_worker_keeps_its_connection_until_it_is_of_no_use(
    start_worker: StartWorker, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Statements are prepared once a connection, not once a task."""
    _task, judge = campaign_with_a_judge()
    with monkeypatch.context() as inside:
        inside.setitem(os.environ, "PGAPPNAME", "keeps_its_connection")
        start_worker("ranking")
    eventually(ranked_up_to(judge_one_hit(judge)))
    first = connections_of("keeps_its_connection")
    assert first
    eventually(ranked_up_to(judge_one_hit(judge)))
    # A second process of the worker may have come in between.
    assert first <= connections_of("keeps_its_connection")
    with owner_cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s) pid", [sorted(first)])
    other = make_judge(judge.campaign, "other")
    eventually(ranked_up_to(judge_one_hit(other)))
    assert connections_of("keeps_its_connection").isdisjoint(first)


def connections_of(name: str) -> set[int]:
    """Return the processes of PostgreSQL that serve connections of this name."""
    with owner_cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_stat_activity "
            "WHERE application_name = %s AND backend_type = 'client backend'",
            [name],
        )
        return {pid for (pid,) in cursor.fetchall()}


@pytest.mark.thorough
def test_what_was_judged_while_the_broker_was_away_is_ranked(
    broker: Valkey, start_worker: StartWorker, eventually: Eventually
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
def test_a_killed_worker_loses_nothing(start_worker: StartWorker, eventually: Eventually) -> None:
    _task, judge = campaign_with_a_judge()
    worker = start_worker()
    eventually(ranked_up_to(judge_one_hit(judge)))
    number = judge_one_hit(judge)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    start_worker()
    eventually(ranked_up_to(number))
