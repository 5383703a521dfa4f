"""Rank ranges from resampled scores, and their clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ranking.core.arrays import BoolArray, FloatArray, Int64Array
from ranking.core.counting.resampling import trim_count
from ranking.core.counting.tallies import chunks
from ranking.core.scores import TIE_DECIMALS, Scores

_RESAMPLES_AT_A_TIME = 256


@dataclass(frozen=True, eq=False)
class RankRanges:
    """The ranks that each of n systems may have, both ends included.

    Attributes
    ----------
    low : int64, shape (n,)
        The better end, 1 … n.
    high : int64, shape (n,)
        The worse end, low … n.
    """

    low: Int64Array
    high: Int64Array


def rank_ranges(scores: Scores, *, confidence: float = 0.95) -> RankRanges:
    """Return rank ranges from resampled scores (Koehn 2012, §5.1).

    The ranks of a system in the resamples are sorted, and the same number is trimmed at both ends:
    at 95 %, the best 25 and the worst 25 of 1,000. The range is the remaining ranks. Systems tied
    in a resample share a span of ranks; its best rank is used for the lower ends, its worst rank
    for the upper ends. A system that is not estimable in a resample may have any rank in it, and so
    may a system of another group. So sparse data make ranges wide, but not arbitrary.

    Parameters
    ----------
    scores : Scores of shape (R, n)
        Scores in R resamples; scores that are equal to `TIE_DECIMALS` decimals are tied.
    confidence : float
        Share of the resamples to keep, between 0 and 1.

    Returns
    -------
    RankRanges
        Ranges of the n systems.

    Raises
    ------
    ValueError
        If there is no resample or `confidence` is not between 0 and 1.
    """
    resamples = len(scores.values)
    cut = trim_count(resamples, confidence)
    best = np.empty(scores.values.shape, dtype=np.int64)
    worst = np.empty(scores.values.shape, dtype=np.int64)
    for rows in chunks(resamples, _RESAMPLES_AT_A_TIME):
        group = None if scores.group is None else scores.group[rows]
        best[rows], worst[rows] = _spans(scores.values[rows], scores.estimable[rows], group)
    return RankRanges(
        low=np.sort(best, axis=0)[cut],
        high=np.sort(worst, axis=0)[resamples - 1 - cut],
    )


def _spans(
    values: FloatArray,
    estimable: BoolArray,
    group: Int64Array | None,
) -> tuple[Int64Array, Int64Array]:
    """Return the best and worst possible ranks in each resample, both of shape (R, n)."""
    score = np.where(estimable, np.round(values, TIE_DECIMALS), -np.inf)
    own, other = score[:, :, np.newaxis], score[:, np.newaxis, :]
    unknown = np.count_nonzero(~estimable, axis=1, keepdims=True)
    better, as_good = other > own, other >= own
    if group is not None:
        apart = group[:, :, np.newaxis] != group[:, np.newaxis, :]
        better &= ~apart
        as_good |= apart & estimable[:, np.newaxis, :]
    best = 1 + np.count_nonzero(better, axis=2)
    worst = np.count_nonzero(as_good, axis=2) + unknown
    return np.where(estimable, best, 1), np.where(estimable, worst, values.shape[1])


def clusters(ranges: RankRanges) -> Int64Array:
    """Return clusters of systems with overlapping rank ranges (Koehn 2012, eq. 6).

    Equation 6 seeks the largest set of clusters such that ranges of different clusters do not
    overlap: these are the connected groups of overlapping ranges. The ranges of two systems of a
    cluster need not overlap, if a chain of overlapping ranges connects them.

    Parameters
    ----------
    ranges : RankRanges of n systems

    Returns
    -------
    int64, shape (n,)
        The cluster of each system, 1 for the best ranks.
    """
    order = np.argsort(ranges.low, kind="stable")
    reached = np.maximum.accumulate(ranges.high[order])
    # In order of their starts, a range begins a new cluster if all ranges before it have ended.
    begins = np.ones(len(order), dtype=np.int64)
    begins[1:] = ranges.low[order][1:] > reached[:-1]
    result = np.empty(len(order), dtype=np.int64)
    result[order] = np.cumsum(begins)
    return result
