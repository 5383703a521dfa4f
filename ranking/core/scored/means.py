"""Mean scores of systems, raw and standardised by judge, with intervals for segments or documents.

The intervals ignore judges: with several, they miss 16% to 42% of the true means in simulation,
regardless of the number of segments, so means then have no intervals. With one judge, they need
`FEWEST_GROUPS` segments (or documents).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import FloatArray, Int64Array, share
from ranking.core.estimates import t_quantile
from ranking.core.grouping import sums_by_group
from ranking.core.ranges import RankRanges, clusters, rank_confidence_sets
from ranking.core.scored.columns import ScoreColumns
from ranking.core.scores import Scores, Shortage, shared_ranks
from ranking.core.words import confidence_check, word_check

#: Unit for pairing scores of two systems: the segment, with its scores averaged (as in WMT26), or
#: the segment and the round, so that first scores of a segment are paired with first and second
#: with second (as in WMT25).
Unit = Literal["segment", "round"]
#: Units of the intervals.
Drawn = Literal["segments", "documents"]

#: Number of segments (or documents) needed for intervals of one judge's scores.
FEWEST_GROUPS = 45
#: Number of them on which a system needs scores.
_FEWEST_OF_SYSTEM = 8


@dataclass(frozen=True, eq=False)
class UnitScores:
    """Scores of n systems on U units.

    Attributes
    ----------
    values : float64, shape (U, n)
        Mean score on the unit; NaN without scores.
    segment : int64, shape (U,)
        The segment of each unit.
    """

    values: FloatArray
    segment: Int64Array


def unit_scores(
    columns: ScoreColumns,
    *,
    scores: FloatArray | None = None,
    unit: Unit = "segment",
) -> UnitScores:
    """Return the scores by unit and system.

    Parameters
    ----------
    columns : ScoreColumns
    scores : float64, shape (N,), optional
        Scores to use instead of `columns.score`; NaN is left out.
    unit : "segment" or "round"
    """
    word_check("unit", unit, Unit)
    values = columns.score
    if scores is not None:
        values = scores
    is_finite = np.isfinite(values)
    rounds = 1
    row = columns.segment.astype(np.int64)
    if unit == "round":
        rounds = int(columns.round.max()) + 1
        row = row * rounds + columns.round
    rows = len(columns.segments) * rounds
    systems = len(columns.systems)
    shape = (rows, systems)
    cell = row[is_finite] * systems + columns.system[is_finite]
    size = rows * systems
    total = np.bincount(cell, weights=values[is_finite], minlength=size).reshape(shape)
    count = np.bincount(cell, minlength=size).reshape(shape)
    is_used = count.any(axis=1)
    with np.errstate(invalid="ignore"):
        mean = total / np.where(count, count, np.nan)
    segment = np.arange(rows) // rounds
    return UnitScores(values=mean[is_used], segment=segment[is_used])


def standardised(columns: ScoreColumns) -> FloatArray:
    """Return z = (x − x̄_j) / s_j of each score, with the mean and standard deviation of its judge
    (WMT's DA).

    Returns
    -------
    float64, shape (N,)
        NaN for judges with a single score, or with equal scores only, who have no scale.
    """
    return standardised_by_judge(columns.score, columns.judge, len(columns.judges))


def standardised_by_judge(
    values: FloatArray,
    judge: npt.NDArray[np.integer],
    judges: int,
) -> FloatArray:
    """Return `standardised` of N values by N judges, each below `judges`."""
    count = np.bincount(judge, minlength=judges)
    total = np.bincount(judge, values, judges)
    mean = share(total, count)
    deviation = values - mean[judge]
    squares = np.bincount(judge, deviation**2, judges)
    spread = np.sqrt(share(squares, count - 1))
    # The mean of equal values may have a rounding error.
    scale = np.where(spread > 1e-9, spread, np.nan)
    return share(deviation, scale[judge])


@dataclass(frozen=True, eq=False)
class SystemMeans:
    """Means of n systems over units.

    Attributes
    ----------
    systems : tuple of str
    mean, low, high : float64, shape (n,)
        Mean and ends of its interval; NaN for a system without scores, and for ends with several
        judges or a shortage.
    z, z_low, z_high : float64, shape (n,)
        The same for standardised scores.
    scores, units : int64, shape (n,)
        Numbers of scores, and of units with a score.
    rank : int64, shape (n,)
        By `mean`, shared if equal; 0 for a system without scores.
    ranges : RankRanges
        Confidence sets (`ranking.core.ranges`) from the covariance of the raw means; 0 with several
        judges or a shortage.
    cluster : int64, shape (n,)
        0 with several judges or a shortage.
    judges : int
        With more than one, there are no intervals, ranges and clusters: use
        `ranking.core.scored.additive`.
    shortage : Shortage or None
        Shortage of segments or documents, with one judge.
    unscaled_judges : tuple of str
        Judges without a standardised score.
    drawn : "segments" or "documents"
    confidence : float
    seed : int
    """

    systems: tuple[str, ...]
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    z: FloatArray
    z_low: FloatArray
    z_high: FloatArray
    scores: Int64Array
    units: Int64Array
    rank: Int64Array
    ranges: RankRanges
    cluster: Int64Array
    judges: int
    shortage: Shortage | None
    unscaled_judges: tuple[str, ...]
    drawn: Drawn
    confidence: float
    seed: int


def system_means(
    columns: ScoreColumns,
    *,
    drawn: Drawn = "segments",
    scale: tuple[float, float] = (-np.inf, np.inf),
    confidence: float = 0.95,
    seed: int = 0,
) -> SystemMeans:
    """Return mean scores with intervals of Student's t over segments, or over documents.

    These are the means printed by WMT. They compare systems fairly only if all were judged on the
    same segments by the same judges; `ranking.core.scored.additive` does not require that.

    Intervals of raw means end where the `scale` of scores ends: no mean lies beyond.

    Raises
    ------
    ValueError
        If `confidence` is out of range, or documents are the units and fewer than two are named.
    """
    word_check("drawn", drawn, Drawn)
    confidence_check(confidence)
    if drawn == "documents" and sum(map(bool, columns.documents)) < 2:
        raise ValueError("fewer than two documents are named, so none can be drawn")
    if drawn == "segments":
        groups = np.arange(len(columns.segments))
    else:
        groups = columns.document.astype(np.int64)
    number = len(np.unique(groups))
    raw = unit_scores(columns)
    z_of_scores = standardised(columns)
    z = unit_scores(columns, scores=z_of_scores)
    mean = _means(raw.values)
    z_mean = _means(z.values)
    is_scored = np.isfinite(mean)
    judges = len(np.unique(columns.judge))
    shortage = None
    if number < FEWEST_GROUPS:
        unit = "counted_segments" if drawn == "segments" else drawn
        shortage = Shortage(unit, number, FEWEST_GROUPS)
    none = np.zeros(len(mean), dtype=np.int64)
    reach = np.full(len(mean), np.nan)
    z_reach = np.full(len(mean), np.nan)
    ranges = RankRanges(low=none, high=none)
    cluster = none
    if judges == 1 and shortage is None:
        covariance = _covariance(raw, groups)
        variance = covariance.diagonal()
        ranges = rank_confidence_sets(
            np.where(np.isfinite(variance), mean, np.nan),
            np.nan_to_num(covariance),
            confidence=confidence,
            degrees_of_freedom=number - 1,
            seed=seed,
        )
        cluster = clusters(ranges)
        quantile = t_quantile(confidence, number - 1)
        z_variance = _covariance(z, groups).diagonal()
        reach = quantile * np.sqrt(variance)
        z_reach = quantile * np.sqrt(z_variance)
    unscaled = np.unique(columns.judge[~np.isfinite(z_of_scores)])
    rank, _last = shared_ranks(Scores(values=mean, estimable=is_scored))
    units = np.count_nonzero(np.isfinite(raw.values), axis=0)
    return SystemMeans(
        systems=columns.systems,
        mean=mean,
        low=np.clip(mean - reach, *scale),
        high=np.clip(mean + reach, *scale),
        z=z_mean,
        z_low=z_mean - z_reach,
        z_high=z_mean + z_reach,
        scores=np.bincount(columns.system, minlength=len(columns.systems)),
        units=units.astype(np.int64),
        rank=rank,
        ranges=ranges,
        cluster=cluster,
        judges=judges,
        shortage=shortage,
        unscaled_judges=tuple(columns.judges[judge] for judge in unscaled),
        drawn=drawn,
        confidence=confidence,
        seed=seed,
    )


def _means(values: FloatArray) -> FloatArray:
    is_scored = np.isfinite(values)
    total = np.where(is_scored, values, 0).sum(axis=0)
    return share(total, is_scored.sum(axis=0))


def _covariance(units: UnitScores, group_of: Int64Array) -> FloatArray:
    """Return the covariance of means between samples of groups of segments, shape (n, n); NaN for a
    system with scores in too few groups.
    """
    is_scored = np.isfinite(units.values)
    deviation = np.where(is_scored, units.values - _means(units.values), 0)
    influence = share(deviation, is_scored.sum(axis=0))
    groups, group = np.unique(group_of[units.segment], return_inverse=True)
    count = len(groups)
    sums = sums_by_group(influence, group, count)
    scores = sums_by_group(is_scored, group, count)
    groups_with_scores = np.count_nonzero(scores, axis=0)
    sums[:, groups_with_scores < _FEWEST_OF_SYSTEM] = np.nan
    return np.asarray(sums.T @ sums * count / (count - 1))
