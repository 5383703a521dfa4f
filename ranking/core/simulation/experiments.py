"""Independent experiments in one or several processes, with the same results."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.counting.tallies import chunks

Progress = Callable[[int, int], None]
Measure = Callable[[int], npt.NDArray[Any]]

#: Number of experiments given to a worker at a time, and between two reports of progress.
_AT_A_TIME = 20


def measure_experiments(
    measure: Measure,
    experiments: Sequence[int],
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> npt.NDArray[Any]:
    """Return the stacked measurements of experiments.

    Parameters
    ----------
    measure : callable
        Returns an array that depends only on the number of an experiment. With several jobs it is
        pickled for other processes: a function of a module, or a partial of one.
    experiments : sequence of int
        Numbers of the experiments, at least one.
    jobs : int
        Number of worker processes; 1 uses this process.
    progress : callable, optional
        Called with (experiments done, all of them).

    Returns
    -------
    array, shape (E, …)
        In the order of `experiments`, for any number of jobs.

    Raises
    ------
    ValueError
        If there is no experiment or no job.
    """
    if not len(experiments) or jobs < 1:
        raise ValueError("experiments and jobs: expected at least one")
    report = progress or (lambda _done, _total: None)
    parts = [list(experiments[rows]) for rows in chunks(len(experiments), _AT_A_TIME)]
    measured: list[npt.NDArray[Any]] = []
    report(0, len(experiments))
    if jobs == 1 or len(parts) == 1:
        for part in parts:
            measured += _measure_all(measure, part)
            report(len(measured), len(experiments))
        return np.array(measured)
    # Spawned instead of forked, because the caller may have threads and connections.
    pool = ProcessPoolExecutor(
        min(jobs, len(parts)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_leave_interrupts_to_the_parent,
    )
    try:
        for result in pool.map(_measure_all, [measure] * len(parts), parts):
            measured += result
            report(len(measured), len(experiments))
    finally:
        pool.shutdown(cancel_futures=True)
    return np.array(measured)


def _measure_all(measure: Measure, experiments: Sequence[int]) -> list[npt.NDArray[Any]]:
    return [measure(experiment) for experiment in experiments]


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
