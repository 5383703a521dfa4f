"""How many pairs of systems a way of judging decides, and how many in an hour."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.beside.judged_task import UNITS, TimedTask
from ranking.core.beside.spread import Estimate, estimate
from ranking.core.ranges.sign_tests import Correction, better

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DecidedPairs:
    """Which pairs of n systems are decided.

    Attributes
    ----------
    systems : tuple of str, length n
        Those that anything compares.
    wins : int64, shape (n, n)
        Comparisons that the first won against the second.
    better : bool, shape (n, n)
        Whether the first is significantly better than the second.
    pairs : int
        All pairs of these systems.
    per_hour : Estimate or None
        Decided pairs per hour of active time; None without that time, or without a pair.
    """

    systems: tuple[str, ...]
    wins: Int64Array
    better: BoolArray
    pairs: int
    per_hour: Estimate | None

    @property
    def decided(self) -> int:
        """Number of decided pairs."""
        return int(np.count_nonzero(self.better))

    def won_and_lost(self, system: str, other: str) -> tuple[int, int]:
        """Return how many comparisons a system won against another one, and lost."""
        one, two = self.systems.index(system), self.systems.index(other)
        return int(self.wins[one, two]), int(self.wins[two, one])


def decided_pairs(
    task: TimedTask, *, resamples: int = 1000, confidence: float = 0.95, seed: int = 0
) -> DecidedPairs:
    """Return which pairs of systems are decided, and how many in an hour.

    A pair is decided if the two-sided exact sign test of its own comparisons, without ties, has p ≤ 1 − `confidence` after
    Holm's correction for all pairs of the task. The test takes comparisons for independent. Where outputs are scored one
    by one, a comparison is a segment.

    Parameters
    ----------
    task : TimedTask
    resamples : int
        Of each unit, for the interval of `per_hour`.
    confidence : float
        Between 0 and 1: of the tests, and of the interval.
    seed : int
        0 ≤ seed < 2**64.

    Returns
    -------
    DecidedPairs
        The interval of `per_hour` is of decided pairs ÷ hours, linearised: of what decided − rate · hours is in resamples.
    """
    wins = task.wins()
    is_better = _better(wins, confidence)
    n = len(task.systems)
    hours = task.time.hours
    per_hour = None
    if hours is not None and n > 1:
        decided = int(np.count_nonzero(is_better))
        rate = decided / hours
        resampled = {}
        for unit in UNITS:
            drawn = task.wins_resampled(unit, seed=seed, resamples=resamples)
            count = np.count_nonzero(_better(drawn, confidence), axis=(-2, -1))
            spent = task.hours_resampled(unit, seed=seed, resamples=resamples)
            resampled[unit] = rate + (count - rate * spent) / hours
        per_hour = estimate(
            rate, resampled, fewest_units=task.fewest_units, confidence=confidence, least=0.0
        )
    return DecidedPairs(task.systems, wins, is_better, n * (n - 1) // 2, per_hour)


def _better(wins: Int64Array, confidence: float) -> BoolArray:
    level = round(1 - confidence, 12)
    return better(wins, level=level, sides=2, correction=Correction.HOLM)
