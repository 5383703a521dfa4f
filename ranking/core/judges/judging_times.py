"""The median time that judges take for a block, from counted times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, bdtrik

from ranking.core.judges.keyed_sums import JUDGE_BITS, KeyedSums

Int64Array = npt.NDArray[np.int64]

#: Judge, and milliseconds to three significant digits.
_KEY = (JUDGE_BITS, 42)

NO_TIMES = KeyedSums.empty(_KEY, 1)


@dataclass(frozen=True)
class MedianTime:
    """The median of a judge's times.

    Attributes
    ----------
    blocks : int
        Number of times.
    seconds : float
    low, high : float or None
        Its interval, between two of the times (order statistics); None with few times.
    """

    blocks: int
    seconds: float
    low: float | None
    high: float | None


def tally_times(judge: npt.NDArray[np.integer], seconds: npt.NDArray[np.floating]) -> KeyedSums:
    """Count the times of each judge's blocks, in milliseconds to three significant digits.

    So at most some thousand different times are kept for a judge with any number of blocks, and a
    median is off by at most half a percent.

    Parameters
    ----------
    judge : integer, shape (B,)
        Index of the judge.
    seconds : float, shape (B,)
        NaN where unknown.

    Returns
    -------
    KeyedSums
        With a single value, the blocks.

    Raises
    ------
    ValueError
        If a time is negative.
    """
    known = ~np.isnan(seconds)
    times = np.rint(seconds[known] * 1000).astype(np.int64)
    if np.any(times < 0):
        raise ValueError("seconds: expected no negative time")
    return KeyedSums.of(
        _KEY, [judge[known], _three_digits(times)], np.ones((len(times), 1), dtype=np.int64)
    )


def _three_digits(times: Int64Array) -> Int64Array:
    step = np.ones_like(times)
    while np.any(larger := times >= 1000 * step):
        step[larger] *= 10
    return (times + step // 2) // step * step


def median_times_of_tallies(
    times: KeyedSums, judges: int, *, confidence: float = 0.95
) -> list[MedianTime | None]:
    """Return the median of each of so many judges, with its interval; None without times.

    The interval lies between two of the times (Conover 1999, §3.2).
    """
    judge, milliseconds = times.columns()
    ends = np.searchsorted(judge, np.arange(judges + 1))
    up_to = np.concatenate([[0], np.cumsum(times.values[:, 0])])
    counts = np.diff(up_to[ends])
    below = _binomial_quantiles((1 - confidence) / 2, counts)
    found: list[MedianTime | None] = []
    for index, count in enumerate(counts.tolist()):
        if not count:
            found.append(None)
            continue
        own = slice(ends[index], ends[index + 1])
        found.append(
            _median(milliseconds[own], np.cumsum(times.values[own, 0]), count, int(below[index]))
        )
    return found


def _binomial_quantiles(share: float, counts: Int64Array) -> Int64Array:
    """Return the least number of heads in so many tosses that has at least this share at or below it.

    As `scipy.stats.binom.ppf`, whose module takes as long to import as a small test set to rank.
    """
    above = np.ceil(bdtrik(share, np.maximum(counts, 1), 0.5))
    below = np.maximum(above - 1, 0)
    return np.where(bdtr(below, counts, 0.5) >= share, below, above).astype(np.int64)


def _median(milliseconds: Int64Array, up_to: Int64Array, count: int, below: int) -> MedianTime:
    def of_order(place: int) -> float:
        return int(milliseconds[np.searchsorted(up_to, place, side="right")]) / 1000

    low, high = (of_order(below - 1), of_order(count - below)) if below > 0 else (None, None)
    middle = (of_order((count - 1) // 2) + of_order(count // 2)) / 2
    return MedianTime(count, middle, low, high)
