"""Both engines give the same bits, with any number of workers, also when one is killed in the middle.

Processes of this machine: tests/unit/ranking/core/sharding; a cluster of several: test_dask_cluster.py.
"""

from functools import partial
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command

from ranking.core.dask_engine import dask_engine
from ranking.core.sharding import map_shards
from tests.shard_work import killed_once, squares

pytestmark = pytest.mark.thorough


def test_a_command_says_the_same_with_both_engines() -> None:
    def report(*options: object) -> str:
        out = StringIO()
        arguments = [
            "--systems",
            4,
            "--comparisons",
            200,
            "--experiments",
            21,
            "--format",
            "json",
        ]
        call_command(
            "simulate_campaigns",
            *map(str, [*arguments, *options]),
            stdout=out,
        )
        return out.getvalue()

    assert report("--engine", "dask", "--jobs", 2) == report("--jobs", 1)


def test_a_killed_worker_of_dask_costs_no_result(tmp_path: Path) -> None:
    shards = [range(start, start + 10) for start in range(0, 70, 10)]
    with dask_engine(scheduler=None, workers=2) as engine:
        found = map_shards(partial(killed_once, tmp_path), shards, engine=engine)
    assert (tmp_path / "killed").exists()
    assert np.array_equal(found, [squares(shard) for shard in shards])
