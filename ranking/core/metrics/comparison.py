"""Metrics compared with each other: paired permutation tests, rank ranges and clusters of metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ranking.core.arrays import BoolArray, FloatArray, Int64Array
from ranking.core.counting.resampling import segment_keys
from ranking.core.metrics.agreement import Metric
from ranking.core.metrics.evidence import (
    difference_spread,
    flipped_sums,
    normal_p_values,
    soft_pairwise_accuracy,
)
from ranking.core.metrics.pairs import is_right
from ranking.core.metrics.people import People
from ranking.core.ranges import RankRanges, clusters

#: Differences that are closer are equal, but for rounding.
_EQUAL = 1e-12

Figure = Literal["soft_pairwise", "acc_eq"]


@dataclass(frozen=True, eq=False)
class ComparedMetrics:
    """M metrics by one figure of their agreement with people.

    Attributes
    ----------
    figure : str
    values : float64, shape (M,)
        The figure on the segments that were compared.
    p_value : float64, shape (M, M)
        One-sided, for "the first agrees better than the second"; NaN where there is no test.
    ranges : RankRanges
        1 + the metrics that agree significantly better … M − those that agree significantly worse.
    cluster : int64, shape (M,)
        From the ranges, 1 for the best.
    segments : int
        Compared segments: those that all the metrics score.
    """

    figure: Figure
    values: FloatArray
    p_value: FloatArray
    ranges: RankRanges
    cluster: Int64Array
    segments: int


def metrics_compared(
    people: People,
    metrics: Sequence[Metric],
    thresholds: Sequence[float],
    figure: Figure,
    *,
    confidence: float = 0.95,
    flips: int = 1000,
) -> ComparedMetrics:
    """Test which metrics agree better with people than which others.

    If two metrics agree alike with people, it makes no difference which of them scored a segment. So the two are swapped
    in random segments, for all systems at once, and p is the share of swaps whose difference is at least the observed one (with few
    segments, of all swaps). For soft pairwise accuracy the standardised scores are swapped (PERM-BOTH of Deutsch et al.
    2021), and p-values of pairs of systems come from the normal distribution. For acc_eq it is swapped which pairs
    are right, so that each metric keeps its threshold of ties.

    Parameters
    ----------
    people : People
    metrics : sequence of Metric
        M of them.
    thresholds : sequence of float
        Of ties, for each metric.
    figure : "soft_pairwise" or "acc_eq"
    confidence : float
        Pairs of metrics with p ≤ 1 − confidence differ; there is no correction for their number, as in WMT.
    flips : int

    Returns
    -------
    ComparedMetrics

    References
    ----------
    D. Deutsch, R. Dror, D. Roth (2021), A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods, TACL 9.
    """
    test = _soft if figure == "soft_pairwise" else _right
    values, p_value, segments = test(people, metrics, thresholds, flips)
    better = p_value <= round(1 - confidence, 12)
    ranges = RankRanges(
        low=1 + np.count_nonzero(better, axis=0),
        high=len(metrics) - np.count_nonzero(better, axis=1),
    )
    return ComparedMetrics(figure, values, p_value, ranges, clusters(ranges), segments)


Tested = tuple[FloatArray, FloatArray, int]


def _none(metrics: int) -> Tested:
    return np.full(metrics, np.nan), np.full((metrics, metrics), np.nan), 0


def _complete(people: People, values: Sequence[FloatArray]) -> BoolArray:
    """Return the segments that all metrics score whole, as far as people score them."""
    asked = np.ones(len(values[0]), dtype=np.bool_)
    for each in values:
        unknown = np.isnan(each)
        if people.values is not None and len(people.values) == len(each):
            unknown &= ~np.isnan(people.values)
        asked &= ~unknown.any(axis=1)
    return asked


def _right(
    people: People, metrics: Sequence[Metric], thresholds: Sequence[float], flips: int
) -> Tested:
    scored = [metric.of(people.segments) for metric in metrics]
    chosen = _complete(people, scored)[people.pairs.row] if scored else np.zeros(0, bool)
    pairs = people.pairs.take(chosen)
    if not len(pairs):
        return _none(len(metrics))
    weights = pairs.weights()
    rows, place = np.unique(pairs.row, return_inverse=True)
    by_segment: FloatArray = np.stack(
        [
            np.bincount(place, weights * is_right(pairs.human, pairs.differences(values), limit))
            for values, limit in zip(scored, thresholds, strict=True)
        ],
        axis=1,
    )
    flipped = flipped_sums(by_segment, people.keys[rows], flips=flips, seed=people.seed)
    values = by_segment.sum(axis=0)
    p_value = np.full((len(metrics),) * 2, np.nan)
    for first, second in zip(*np.triu_indices(len(metrics), 1), strict=True):
        apart = flipped[:, first] - flipped[:, second]
        observed = values[first] - values[second]
        p_value[first, second] = np.mean(apart >= observed - _EQUAL)
        p_value[second, first] = np.mean(-apart >= -observed - _EQUAL)
    return values, p_value, len(rows)


def _soft(
    people: People, metrics: Sequence[Metric], thresholds: Sequence[float], flips: int
) -> Tested:
    del thresholds
    count = len(metrics)
    numbers = people.segments
    if people.values is None and metrics:
        # Rankings say of systems, not of outputs: the other segments tell as much of a metric.
        numbers = metrics[0].segments
        for metric in metrics[1:]:
            numbers = np.intersect1d(numbers, metric.segments)
    scored = [metric.of(numbers) for metric in metrics]
    if not scored or not len(numbers):
        return _none(count)
    if people.values is not None:
        scored = [np.where(np.isnan(people.values), np.nan, each) for each in scored]
    rows = ~np.isnan(sum(scored)).any(axis=1)
    if np.count_nonzero(rows) < 2:
        return _none(count)
    standard = [(each[rows] - each[rows].mean()) / (each[rows].std() or 1.0) for each in scored]
    first, second = np.triu_indices(len(people.systems), 1)
    keys = segment_keys(numbers[rows])
    flipping = {"flips": flips, "seed": people.seed}
    flipped = [flipped_sums(each, keys, **flipping) for each in standard]
    sums = [each.sum(axis=0) for each in standard]
    of_squares, flipped_squares = [], []
    for each in standard:
        squares = (each[:, first] - each[:, second]) ** 2
        of_squares.append(squares.sum(axis=0))
        flipped_squares.append(flipped_sums(squares, keys, **flipping))
    human = normal_p_values(people.scores, difference_spread(people.resampled["segments"]))

    def accuracy(sums: FloatArray, of_squares: FloatArray) -> FloatArray:
        spread = np.sqrt(np.maximum(of_squares, 0.0))
        return soft_pairwise_accuracy(human, normal_p_values(sums, spread))

    values = np.array([accuracy(*each) for each in zip(sums, of_squares, strict=True)])
    p_value = np.full((count, count), np.nan)
    for one, other in zip(*np.triu_indices(count, 1), strict=True):
        swapped = (flipped[one] - flipped[other]) / 2
        swapped_squares = (flipped_squares[one] - flipped_squares[other]) / 2
        middle, middle_squares = ((x[one] + x[other]) / 2 for x in (sums, of_squares))
        apart = accuracy(middle + swapped, middle_squares + swapped_squares) - accuracy(
            middle - swapped, middle_squares - swapped_squares
        )
        observed = values[one] - values[other]
        p_value[one, other] = np.mean(apart >= observed - _EQUAL)
        p_value[other, one] = np.mean(-apart >= -observed - _EQUAL)
    return values, p_value, int(np.count_nonzero(rows))
