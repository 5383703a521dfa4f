"""Shards by threads and processes of this machine: the same as one after the other."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import psutil
import pytest

from launcher.data_directory import wait_until
from ranking.core.sharding import EngineError, ThisMachine, map_shards
from tests.shard_work import killed_always, killed_once, squares, squares_in_threads

Work = Callable[[range], npt.NDArray[np.int64]]
SHARDS = [range(start, start + 10) for start in range(0, 70, 10)]


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("work", [squares, squares_in_threads])
def test_results_come_in_the_order_of_the_shards(work: Work, workers: int) -> None:
    found = map_shards(work, SHARDS, engine=ThisMachine(workers))
    assert np.array_equal(found, [squares(shard) for shard in SHARDS])


def _process(_shard: range) -> int:
    return os.getpid()


def test_one_worker_and_threads_need_no_other_process_and_two_workers_do() -> None:
    assert set(map_shards(_process, SHARDS)) == {os.getpid()}
    assert set(map_shards(_process, SHARDS[:1], engine=ThisMachine(2))) == {os.getpid()}
    assert os.getpid() not in map_shards(_process, SHARDS, engine=ThisMachine(2))


def test_a_killed_process_costs_no_result(tmp_path: Path) -> None:
    work = partial(killed_once, tmp_path)
    found = map_shards(work, SHARDS, engine=ThisMachine(2))
    assert np.array_equal(found, [squares(shard) for shard in SHARDS])
    assert (tmp_path / "killed").exists()


def test_work_that_kills_every_process_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="ended 3 times before one of 7 shards"):
        map_shards(partial(killed_always, tmp_path), SHARDS, engine=ThisMachine(2))


_COMPUTES_FOR_EVER = """
import sys
from functools import partial
from pathlib import Path
from ranking.core.sharding import map_shards
from ranking.core.sharding import ThisMachine
from tests.shard_work import never_done
map_shards(partial(never_done, Path(sys.argv[1])), [range(1)] * 2, engine=ThisMachine(2))
"""


def test_processes_end_with_whoever_asked_for_them(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", _COMPUTES_FOR_EVER, tmp_path])
    assert wait_until(lambda: len(list(tmp_path.iterdir())) == 2, seconds=120)
    parent.kill()
    parent.wait()
    children = [int(each.name) for each in tmp_path.iterdir()]
    assert wait_until(lambda: not any(map(psutil.pid_exists, children)), seconds=60)


def _raises(shard: range) -> int:
    raise LookupError(f"not {shard.start}")


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_the_work_is_the_callers(workers: int) -> None:
    with pytest.raises(LookupError, match="not"):
        map_shards(_raises, SHARDS, engine=ThisMachine(workers))


def test_progress_counts_what_is_done() -> None:
    told: list[tuple[int, int]] = []
    sizes = [5, 1, 1, 1, 1, 1, 10]
    map_shards(squares, SHARDS, sizes=sizes, progress=lambda *done: told.append(done))
    assert told == [(5, 20), (6, 20), (7, 20), (8, 20), (9, 20), (10, 20), (20, 20)]
