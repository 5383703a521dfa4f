"""Every engine gives the same bits, with any number of workers, also when one is killed in the middle."""

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from io import StringIO
from pathlib import Path
from subprocess import Popen
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection, transaction

from annotation.notification import broker
from launcher.data_directory import wait_until
from ranking.core.counting.counts import tally
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.sharding import EncodingError, Engine, EngineError, encode, map_shards
from ranking.core.simulation.measures import _measure
from ranking.core.simulation.model import Model, _measure_all
from ranking.engines.by_celery import CeleryEngine
from ranking.engines.by_dask import dask_engine
from ranking.management.file_command import ENGINES
from ranking.models import ShardJob, ShardResult
from ranking.services.shards import shard_compute, shard_job_create, shard_jobs_forget
from tests.shard_work import killed_once, squares

StartWorker = Callable[..., "Popen[bytes]"]
SYSTEMS = "abcdef"


def drawn_blocks() -> Blocks:
    rng = np.random.default_rng(11)
    return blocks_from_rows(
        [
            BlockRow(
                f"judge{rng.integers(5)}",
                int(rng.integers(1, 40)),
                [(name,) for name in rng.permutation(list(SYSTEMS))[:4].tolist()],
                rng.integers(1, 5, 4).tolist(),
            )
            for _ in range(120)
        ],
        tuple(SYSTEMS),
    )


#: Three, which take longer to begin: Dask's by `make test-thorough`, and processes of this machine in
#: tests/unit/ranking/files/test_counting.py and core/uncertainty/test_two_way.py.
ONE_AND_TWO = (1, 2)


def celery(start_worker: StartWorker) -> Iterator[Engine]:
    for workers in ONE_AND_TWO:
        start_worker("shards")
        yield CeleryEngine(workers=workers)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ENGINES)
def test_a_command_says_the_same_with_every_engine(name: str, start_worker: StartWorker) -> None:
    def said(*options: object) -> str:
        out = StringIO()
        arguments = ["--systems", 4, "--comparisons", 200, "--experiments", 21, "--format", "json"]
        call_command("simulate_campaigns", *map(str, [*arguments, *options]), stdout=out)
        return out.getvalue()

    if name == "celery":
        start_worker("shards")
    assert said("--engine", name, "--jobs", 2) == said("--jobs", 1)


@pytest.mark.thorough
def test_work_is_sent_again_when_its_messages_are_lost(start_worker: StartWorker) -> None:
    said: list[str] = []
    computed = CeleryEngine(say=said.append).compute(*experiments())
    # Nobody serves the queue yet: what is emptied here are the first messages.
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(_smallest_shard, computed)
        assert wait_until(ShardJob.objects.exists, seconds=600)
        assert wait_until(lambda: broker().llen("shards") >= 12, seconds=600)
        broker().flushdb()
        assert wait_until(lambda: bool(said), seconds=600)
        start_worker("shards")
        assert waiting.result() == 0
    assert "12 shards are sent again" in said[0]
    assert not ShardJob.objects.exists()


def _smallest_shard(computed: Any) -> int:
    try:
        with closing(computed):
            return int(min(shard for shard, _result in computed))
    finally:
        connection.close()


def experiments(times: int = 1) -> tuple[Callable[[Any], Any], Sequence[Any]]:
    """Return work in twelve shards, or so many times as much work in each."""
    bootstrap = {"level": "blocks", "resamples": 100}
    model, methods = Model(systems=10, noise=8), ("expected_wins",)
    measure = partial(_measure, model, (2000,), methods, 0.95, bootstrap, 3)
    return partial(_measure_all, measure), [
        list(range(3 * times * k, 3 * times * (k + 1))) for k in range(12)
    ]


def kill(worker: Popen[bytes]) -> None:
    worker.send_signal(signal.SIGKILL)
    worker.wait()


@pytest.mark.thorough
def test_a_killed_worker_of_celery_costs_no_result(start_worker: StartWorker) -> None:
    # So much that the first worker is not done before its first result is seen.
    work, shards = experiments(times=4)
    first = start_worker("shards")
    found: dict[int, Any] = {}
    for shard, result in CeleryEngine().compute(work, shards):
        found[shard] = result
        if len(found) == 1:
            kill(first)
            # No other worker runs yet, so what is there now is all the killed one has left.
            assert ShardResult.objects.count() < len(shards)
            start_worker("shards")
    assert encode([found[k] for k in range(len(shards))]) == encode(map_shards(work, shards))
    assert not ShardResult.objects.exists()


@pytest.mark.thorough
def test_a_killed_worker_of_dask_costs_no_result(tmp_path: Path) -> None:
    shards = [range(start, start + 10) for start in range(0, 70, 10)]
    with dask_engine(scheduler=None, workers=2) as engine:
        found = map_shards(partial(killed_once, tmp_path), shards, engine=engine)
    assert (tmp_path / "killed").exists()
    assert np.array_equal(found, [squares(shard) for shard in shards])


@pytest.mark.django_db(transaction=True)
class TestCelery:
    """Without a worker: what the engine and a worker leave in the database."""

    def test_messages_that_come_twice_change_nothing(self) -> None:
        job = experiments_job()
        for _ in range(2):
            shard_compute(job_id=job.pk, shard=0)
        assert list(ShardResult.objects.values_list("shard", "failure")) == [(0, "")]

    def test_unmarked_functions_are_not_sent(self) -> None:
        with pytest.raises(EncodingError, match="not marked"):
            map_shards(tally, [drawn_blocks()], engine=CeleryEngine())
        assert not ShardJob.objects.exists()

    def test_a_failure_is_stored_with_its_reason(self) -> None:
        job = shard_job_create(work=experiments()[0], shards=["not a list of numbers"])
        shard_compute(job_id=job.pk, shard=0)
        result = ShardResult.objects.get()
        assert result.result is None
        assert "TypeError" in result.failure or "ValueError" in result.failure

    @pytest.mark.usefixtures("dead_broker")
    def test_the_broker_that_takes_no_messages_is_named(self) -> None:
        with pytest.raises(EngineError, match="the broker takes no messages"):
            map_shards(*experiments(), engine=CeleryEngine())
        assert not ShardJob.objects.exists()

    def test_inside_a_transaction_nothing_is_asked_for(self) -> None:
        with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
            map_shards(*experiments(), engine=CeleryEngine())

    def test_jobs_that_nobody_waits_for_are_forgotten_with_their_results(self) -> None:
        left, watched = experiments_job(), experiments_job()
        shard_compute(job_id=left.pk, shard=0)
        ShardJob.objects.filter(pk=left.pk).update(watched_at="2026-01-01T00:00Z")
        assert shard_jobs_forget() == 1
        assert list(ShardJob.objects.all()) == [watched]
        assert not ShardResult.objects.exists()


def experiments_job() -> ShardJob:
    work, shards = experiments()
    return shard_job_create(work=work, shards=shards)
