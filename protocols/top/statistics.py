"""Active time per block of a task compared with another (Bojar et al. 2011, §2.1, expect it to be
shorter).
"""

from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np
from scipy.special import stdtrit

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.scores import Shortage
from ranking.core.uncertainty import variance_of_sum

#: Numbers of judges and of segments that each task needs for an interval.
FEWEST_UNITS = 2


@dataclass(frozen=True, eq=False)
class Times:
    """Times of B judged blocks of a task.

    Attributes
    ----------
    seconds : float, shape (B,)
        Active seconds; more than 0.
    judge, segment : int64, shape (B,)
        Numbers from 0; the same judge or segment has the same number in every task.
    candidates : int64, shape (B,)
        Number of outputs shown.
    """

    seconds: FloatArray
    judge: Int64Array
    segment: Int64Array
    candidates: Int64Array


@dataclass(frozen=True)
class TimesCompared:
    """Mean active time per block of two tasks.

    Attributes
    ----------
    means, medians : tuple of two float or None
        Seconds per block.
    ratio : float or None
        The first mean divided by the second; None where either is missing.
    low, high : float or None
        Interval of the ratio; None if the times do not determine it.
    shortage : Shortage or None
        Units that the task with fewer judges or segments lacks for an interval.
    judges : int
        Number of judges in either task.
    judges_of_both : int
    """

    means: tuple[float | None, float | None]
    medians: tuple[float | None, float | None]
    ratio: float | None
    low: float | None
    high: float | None
    shortage: Shortage | None
    judges: int
    judges_of_both: int


def times_compared(first: Times, second: Times, *, confidence: float = 0.95) -> TimesCompared:
    """Compare the mean active seconds per block of two tasks.

    Judges and segments differ in pace: the linearised variance of the log ratio is that over judges
    + that over segments − that over single blocks, and at least each of the first two. A judge's
    times in both tasks are correlated, so judges of both make the interval shorter. Student's t has
    one degree of freedom fewer than the smallest number of judges or segments in either task.
    """
    of_first, of_second = set(first.judge.tolist()), set(second.judge.tolist())
    one, other = _mean(first), _mean(second)
    ratio = None if one is None or other is None else one / other
    unit, fewest = _fewest(first, second)
    shortage = Shortage(unit, fewest, FEWEST_UNITS) if fewest < FEWEST_UNITS else None
    reach = None if ratio is None or shortage else _reach(first, second, fewest, confidence)
    return TimesCompared(
        means=(one, other),
        medians=(_median(first), _median(second)),
        ratio=ratio,
        low=None if ratio is None or reach is None else exp(log(ratio) - reach),
        high=None if ratio is None or reach is None else exp(log(ratio) + reach),
        shortage=shortage,
        judges=len(of_first | of_second),
        judges_of_both=len(of_first & of_second),
    )


def _mean(times: Times) -> float | None:
    return float(times.seconds.mean()) if len(times.seconds) else None


def _median(times: Times) -> float | None:
    return float(np.median(times.seconds)) if len(times.seconds) else None


def _fewest(first: Times, second: Times) -> tuple[str, int]:
    """Return the unit (judges or segments) with the smallest number in either task, and that
    number.
    """
    numbers = [
        (len(np.unique(units)), name)
        for times in (first, second)
        for name, units in (("judges", times.judge), ("segments", times.segment))
    ]
    fewest, unit = min(numbers)
    return unit, fewest


def _reach(first: Times, second: Times, fewest: int, confidence: float) -> float | None:
    """Return the half-width of the interval of the log ratio; None if it cannot be estimated."""
    parts = np.concatenate([_influence(first), -_influence(second)])
    over_judges, over_segments, alone = (
        variance_of_sum(parts, np.concatenate(units))
        for units in (
            (first.judge, second.judge),
            (first.segment, second.segment),
            (np.arange(len(parts)),),
        )
    )
    variance = max(over_judges + over_segments - alone, over_judges, over_segments)
    if variance <= 0:
        return None
    return float(stdtrit(fewest - 1, (1 + confidence) / 2)) * sqrt(variance)


def _influence(times: Times) -> FloatArray:
    mean = times.seconds.mean()
    return np.asarray((times.seconds - mean) / (mean * len(times.seconds)), dtype=np.float64)
