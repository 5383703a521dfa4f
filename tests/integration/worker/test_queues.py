"""Whatever becomes of rankings and of their worker, HITs are planned for judges who ask."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from subprocess import Popen

import psutil
import psycopg2
import pytest
from django.db import connection

from annotation.models import HIT
from annotation.services.lending.work_requests import work_request
from campaign.models import Judge, Task
from ranking.models import RankingRun
from tests.at_work import assignment_lend, judge_one_hit
from tests.conftest import test_database_url as database_url
from tests.factories import make_campaign, make_judge, make_long_task

pytestmark = pytest.mark.thorough


Eventually = Callable[[Callable[[], bool]], None]
StartWorker = Callable[..., "Popen[bytes]"]


@pytest.fixture
def task(transactional_db: None) -> Task:
    """Nothing is planned."""
    return make_long_task(make_campaign(), segments=60, systems=3)


def work_comes(judge: Judge) -> Callable[[], bool]:
    """Ask for work as a judge's page does, and judge what comes."""

    def asked() -> bool:
        if judge_one_hit(judge) is not None:
            return True
        work_request(judge=judge)
        return False

    return asked


def nothing_is_left(judge: Judge) -> bool:
    return assignment_lend(judge=judge) is None


@contextmanager
def rankings_blocked() -> Iterator[Callable[[], bool]]:
    """Hold a lock that every ranking needs; says whether one waits for it."""
    holder, looker = psycopg2.connect(database_url()), psycopg2.connect(database_url())
    looker.autocommit = True

    def waits() -> bool:
        with looker.cursor() as cursor:
            cursor.execute(
                "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted"
                " AND relation = 'ranking_rankingrun'::regclass)",
            )
            return bool(cursor.fetchone() == (True,))

    try:
        with holder.cursor() as cursor:
            cursor.execute("LOCK TABLE ranking_rankingrun IN ACCESS EXCLUSIVE MODE")
        yield waits
    finally:
        holder.close()
        looker.close()


def start_two(start_worker: StartWorker) -> None:
    """As on a server."""
    start_worker("planning")
    start_worker("ranking")


def start_threads(start_worker: StartWorker) -> None:
    """As `make start` does."""
    start_worker(threads=4)


@pytest.mark.parametrize("start", [start_two, start_threads])
def test_a_ranking_that_does_not_end_holds_no_planning_up(
    start: Callable[[StartWorker], None],
    task: Task,
    start_worker: StartWorker,
    eventually: Eventually,
) -> None:
    first, second = (
        make_judge(task.test_set.campaign, name) for name in ("first", "second")
    )
    start(start_worker)
    with rankings_blocked() as ranking_waits:
        eventually(work_comes(first))
        eventually(ranking_waits)
        # Another test set, of which nothing is planned yet.
        other = make_long_task(
            task.test_set.campaign,
            segments=60,
            systems=3,
            name="other",
        )
        second.chosen_task = other
        second.save()
        assert nothing_is_left(second)
        eventually(work_comes(second))
        assert ranking_waits()
    eventually(
        lambda: (
            set(RankingRun.objects.values_list("task", flat=True))
            == {task.pk, other.pk}
        ),
    )


def test_a_stopped_ranking_worker_holds_no_planning_up(
    task: Task,
    start_worker: StartWorker,
    eventually: Eventually,
) -> None:
    judge = make_judge(task.test_set.campaign)
    ranking = start_worker("ranking")
    start_worker("planning")
    os.killpg(ranking.pid, signal.SIGSTOP)
    eventually(work_comes(judge))
    assert not RankingRun.objects.exists()
    os.killpg(ranking.pid, signal.SIGCONT)
    eventually(RankingRun.objects.exists)


def test_a_worker_with_threads_is_one_process_and_keeps_no_connection(
    task: Task,
    start_worker: StartWorker,
    eventually: Eventually,
) -> None:
    worker = psutil.Process(start_worker(threads=4).pid)
    # Beat has sent something, and it was done.
    eventually(HIT.objects.filter(task=task).exists)
    assert worker.children() == []

    def none_is_connected() -> bool:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'worker'",
            )
            return bool(cursor.fetchone() == (True,))

    eventually(none_is_connected)
