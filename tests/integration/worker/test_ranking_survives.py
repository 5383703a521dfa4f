"""Workers rank the same test set in turn; one is killed while it ranks: the other goes on, with the same bits."""

import os
import signal
from collections.abc import Callable, Iterator
from subprocess import Popen

import psycopg2
import pytest
from django.db import connection
from psycopg2 import extensions

from annotation.models import Judgment
from campaign.models import Campaign
from ranking.models import LatestRanking
from ranking.services.reproduced_runs import ranking_run_reproduce, tallies_check
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.thorough


Eventually = Callable[[Callable[[], bool]], None]
StartWorker = Callable[..., "Popen[bytes]"]

_RANKING = (
    "SELECT application_name FROM pg_stat_activity"
    " WHERE wait_event_type = 'Lock' AND query LIKE '%ranking_latestranking%'"
)


@pytest.fixture
def holding(transactional_db: None) -> Iterator[extensions.connection]:
    """A session that keeps locks until it is rolled back."""
    session = psycopg2.connect(**connection.get_connection_params())
    yield session
    session.close()


@pytest.fixture
def writer(transactional_db: None) -> TestSetWriter:
    campaign = Campaign.objects.create(slug="museum", name="A day at the museum")
    return TestSetWriter(campaign, "one", "ABC")


def judge(writer: TestSetWriter, times: int = 1) -> None:
    for _ in range(times):
        number = Judgment.objects.count()
        block = writer.block(number % 5 + 1, ["A", "B", "C"])
        labels = [1, 2, 3] if number % 3 else [2, 1, 1]
        writer.judgment(f"j{number % 4}", block, labels, is_numbered=False)


def is_ranked() -> bool:
    latest = LatestRanking.objects.first()
    return latest is not None and latest.watermark == Judgment.objects.count()


def ranking_workers() -> list[str]:
    """The workers that computed a ranking and wait to store it."""
    with connection.cursor() as cursor:
        cursor.execute(_RANKING)
        return [name for (name,) in cursor.fetchall()]


def test_a_worker_killed_while_it_ranks_leaves_nothing_wrong(
    writer: TestSetWriter,
    holding: extensions.connection,
    start_worker: StartWorker,
    eventually: Eventually,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workers = {}
    for name in ("first", "second"):
        monkeypatch.setitem(os.environ, "PGAPPNAME", name)
        workers[name] = start_worker("ranking")
    for _ in range(4):
        judge(writer)
        eventually(is_ranked)
    with holding.cursor() as cursor:
        cursor.execute("SELECT FROM ranking_latestranking FOR UPDATE")
    judge(writer)
    eventually(lambda: bool(ranking_workers()))
    [killed] = ranking_workers()
    os.killpg(workers[killed].pid, signal.SIGKILL)
    workers[killed].wait()
    holding.rollback()
    eventually(is_ranked)
    judge(writer, times=3)
    eventually(is_ranked)

    run = LatestRanking.objects.get().as_run()
    assert run.watermark == 8
    assert ranking_run_reproduce(run) == run.result
    assert tallies_check(task_id=writer.task.pk) == []
