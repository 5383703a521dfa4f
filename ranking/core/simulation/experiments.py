"""Independent experiments, measured by any engine with the same results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.counting.tallies import chunks
from ranking.core.sharding.marks import on_any_engine
from ranking.core.sharding.shards import Engine, map_shards

Progress = Callable[[int, int], None]
Measure = Callable[[int], npt.NDArray[Any]]

#: Number of experiments in a shard, and between two reports of progress.
_AT_A_TIME = 20


def measure_experiments(
    measure: Measure,
    experiments: Sequence[int],
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> npt.NDArray[Any]:
    """Return the stacked measurements of experiments.

    Parameters
    ----------
    measure : callable
        Returns an array that depends only on the number of an experiment: a function marked by
        `on_any_engine`, or a partial of one.
    experiments : sequence of int
        Numbers of the experiments, at least one.
    engine : Engine, optional
        Does not affect the result.
    progress : callable, optional
        Called with (experiments done, all of them).

    Returns
    -------
    array, shape (E, …)
        In the order of `experiments`.

    Raises
    ------
    ValueError
        If there is no experiment.
    """
    if not len(experiments):
        raise ValueError("experiments: expected at least one")
    parts = [list(experiments[rows]) for rows in chunks(len(experiments), _AT_A_TIME)]
    if progress is not None:
        progress(0, len(experiments))
    measured = map_shards(
        partial(_measure_all, measure),
        parts,
        engine=engine,
        progress=progress,
        sizes=[len(part) for part in parts],
    )
    return np.array([each for part in measured for each in part])


@on_any_engine()
def _measure_all(measure: Measure, experiments: Sequence[int]) -> list[npt.NDArray[Any]]:
    return [measure(experiment) for experiment in experiments]
