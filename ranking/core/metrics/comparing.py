"""Comparisons of metrics with each other: which of two metrics agrees better with people.

A test swaps the two metrics in random segments, as the official test of WMT does. It treats segments as a sample and the
systems as given: metrics that err on whole systems differ for these systems, and can be equally good for others.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations
from typing import Literal, TypedDict, get_args

import numpy as np

from ranking.core.arrays import (
    FloatArray,
    Int64Array,
    UInt64Array,
    as_column,
)
from ranking.core.counting.resampling import segment_keys
from ranking.core.estimates import Estimate, Unit
from ranking.core.metrics import figures
from ranking.core.metrics.people import Metric, People
from ranking.core.ranges import clusters, ranges_of_better
from ranking.core.words import word_check

Tested = Literal["soft_pairwise", "acc_eq"]
TESTED: tuple[Tested, ...] = get_args(Tested)
#: Closer differences are equal up to rounding.
_EQUAL = 1e-12


@dataclass(frozen=True)
class ComparedMetric:
    """A metric that scores all systems.

    Attributes
    ----------
    metric : Metric
    threshold : float
        Differences of its scores up to this are ties.
    soft_pairwise : float
        Its soft pairwise accuracy.
    """

    metric: Metric
    threshold: float
    soft_pairwise: float


@dataclass(frozen=True, eq=False)
class SwapTests:
    """Tests of each pair of M metrics with one figure.

    Attributes
    ----------
    values : float64, shape (M,)
        The figure on the compared segments, which are those scored by all metrics.
    p_value : float64, shape (M, M)
        Two-sided p-values, symmetric; NaN where there is no test.
    wmt_p_value : float64, shape (M, M)
        One-sided p-values for "the first agrees better than the second", as in WMT; NaN where there is no test.
    level : float
        Pairs with a p-value up to this differ; there is no correction for their number, as in WMT.
    """

    values: FloatArray
    p_value: FloatArray
    wmt_p_value: FloatArray
    level: float

    @property
    def cluster(self) -> Int64Array:
        """Cluster of each metric, 1 for the best, shape (M,): groups of overlapping rank ranges."""
        is_ahead = as_column(self.values) > self.values
        return clusters(ranges_of_better(is_ahead & (self.p_value <= self.level)))

    @property
    def wmt_cluster(self) -> Int64Array:
        """Clusters from the one-sided p-values, as in WMT, shape (M,).

        Each pair is tested in both directions, so equally good metrics differ with a probability of twice the level.
        """
        return clusters(ranges_of_better(self.wmt_p_value <= self.level))

    def clusters_by_name(self, names: Sequence[str]) -> dict[str, int]:
        """Return `cluster` by the names of the metrics."""
        return dict(zip(names, self.cluster.tolist(), strict=True))

    def wmt_clusters_by_name(self, names: Sequence[str]) -> dict[str, int]:
        """Return `wmt_cluster` by the names of the metrics."""
        return dict(zip(names, self.wmt_cluster.tolist(), strict=True))


class ComparedPair(TypedDict):
    """Two metrics by name; for each figure the difference, and two-sided and one-sided p-values."""

    metric: str
    other: str
    difference_soft_pairwise: Estimate
    p_soft_pairwise: float
    wmt_p_soft_pairwise: float
    difference_acc_eq: Estimate
    p_acc_eq: float
    wmt_p_acc_eq: float


@dataclass(frozen=True)
class MetricComparison:
    """Metrics compared with each other; empty for fewer than two.

    Attributes
    ----------
    clusters, wmt_clusters : dict of dict of int
        By figure, the cluster of each metric by name, from two-sided p-values and from the one-sided ones of WMT.
    pairs : list of ComparedPair
        One for each pair of metrics, the one with higher soft pairwise accuracy first.
    """

    clusters: dict[str, dict[str, int]] = field(default_factory=dict)
    wmt_clusters: dict[str, dict[str, int]] = field(default_factory=dict)
    pairs: list[ComparedPair] = field(default_factory=list)


def comparison_of_metrics(
    people: People,
    metrics: Sequence[ComparedMetric],
) -> MetricComparison:
    """Compare each pair of metrics by soft pairwise accuracy and by acc_eq."""
    if len(metrics) < 2:
        return MetricComparison()
    names = [compared.metric.name for compared in metrics]
    soft_pairwise = swap_tests(people, metrics, "soft_pairwise")
    acc_eq = swap_tests(people, metrics, "acc_eq")
    resampled = _resampled_soft_accuracies(people, metrics)
    best_first = np.argsort(-soft_pairwise.values, kind="stable")
    pairs: list[ComparedPair] = []
    for one, other in combinations(best_first.tolist(), 2):
        soft_difference = _soft_difference(
            people,
            metrics[one],
            metrics[other],
            resampled,
        )
        acc_eq_difference = _acc_eq_difference(people, metrics[one], metrics[other])
        pairs.append(
            {
                "metric": names[one],
                "other": names[other],
                "difference_soft_pairwise": soft_difference,
                "p_soft_pairwise": soft_pairwise.p_value[one, other],
                "wmt_p_soft_pairwise": soft_pairwise.wmt_p_value[one, other],
                "difference_acc_eq": acc_eq_difference,
                "p_acc_eq": acc_eq.p_value[one, other],
                "wmt_p_acc_eq": acc_eq.wmt_p_value[one, other],
            },
        )
    return MetricComparison(
        clusters={
            "soft_pairwise": soft_pairwise.clusters_by_name(names),
            "acc_eq": acc_eq.clusters_by_name(names),
        },
        wmt_clusters={
            "soft_pairwise": soft_pairwise.wmt_clusters_by_name(names),
            "acc_eq": acc_eq.wmt_clusters_by_name(names),
        },
        pairs=pairs,
    )


@dataclass(frozen=True, eq=False)
class _Summed:
    """Columns of each metric whose sums over segments determine a figure.

    Attributes
    ----------
    columns : iterator of float64, shape (S', k)
    keys : uint64, shape (S',)
        Keys of these segments.
    figure : callable
        Computes the figure from sums of shape (..., k).
    """

    columns: Iterator[FloatArray]
    keys: UInt64Array
    figure: Callable[[FloatArray], FloatArray]


def swap_tests(
    people: People,
    metrics: Sequence[ComparedMetric],
    figure: Tested,
) -> SwapTests:
    """Test for each pair of metrics whether the two agree equally well with people.

    If they do, it does not matter which of them scored a segment. So the two are swapped on random
    segments, for all systems at once, and p is the share of swaps with a difference at least as
    large as the observed one (with few segments, of all swaps): in either direction, or, for the
    one-sided p-value of WMT, in the observed one. For soft pairwise accuracy, the standardised
    scores are swapped (PERM-BOTH of Deutsch et al. 2021), and p-values of pairs of systems come
    from the normal distribution. For acc_eq, the right pairs are swapped, so that each metric keeps
    its threshold for ties.

    Parameters
    ----------
    people : People
    metrics : sequence of ComparedMetric
        M metrics, at least one.
    figure : "soft_pairwise" or "acc_eq"

    Raises
    ------
    ValueError
        If there is no such figure.

    References
    ----------
    D. Deutsch, R. Dror, D. Roth (2021), A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods, TACL 9.
    """
    word_check("figure", figure, Tested)
    if figure == "soft_pairwise":
        summed = _soft_sums(people, metrics)
    else:
        summed = _right_pairs(people, metrics)
    count = len(metrics)
    values = np.full(count, np.nan)
    p_value = np.full((count, count), np.nan)
    wmt_p_value = np.full((count, count), np.nan)
    totals = []
    swapped = []
    if len(summed.keys):
        for number, columns in enumerate(summed.columns):
            total = columns.sum(axis=0)
            totals.append(total)
            swapped.append(figures.flipped_sums(columns, summed.keys, people.drawing))
            values[number] = summed.figure(total)
    for one, other in combinations(range(len(totals)), 2):
        # A swap moves a segment's half difference from one sum to the other.
        middle = (totals[one] + totals[other]) / 2
        moved = (swapped[one] - swapped[other]) / 2
        drawn = summed.figure(middle + moved) - summed.figure(middle - moved)
        observed = values[one] - values[other]
        is_as_far = np.abs(drawn) >= abs(observed) - _EQUAL
        is_as_high = drawn >= observed - _EQUAL
        is_as_low = -drawn >= -observed - _EQUAL
        p = np.mean(is_as_far)
        p_value[one, other] = p
        p_value[other, one] = p
        wmt_p_value[one, other] = np.mean(is_as_high)
        wmt_p_value[other, one] = np.mean(is_as_low)
    return SwapTests(
        values=values,
        p_value=p_value,
        wmt_p_value=wmt_p_value,
        level=round(1 - people.drawing.confidence, 12),
    )


def _right_pairs(people: People, metrics: Sequence[ComparedMetric]) -> _Summed:
    """Return the weights of the pairs that each metric orders as people do, summed by segment."""
    scored = []
    for compared in metrics:
        scored.append(compared.metric.of(people.segments))
    # Segments on which all metrics score every output that people score.
    unknown = np.isnan(np.sum(scored, axis=0))
    if people.values is not None:
        unknown &= ~np.isnan(people.values)
    is_complete = ~unknown.any(axis=1)
    pairs = people.pairs.take(is_complete[people.pairs.row])
    rows, index = np.unique(pairs.row, return_inverse=True)

    def columns() -> Iterator[FloatArray]:
        for compared, values in zip(metrics, scored, strict=True):
            right = figures.is_right(
                human=pairs.human,
                difference=pairs.differences(values),
                threshold=compared.threshold,
            )
            sums = np.bincount(index, pairs.weights * right)
            yield as_column(sums.astype(np.float64))

    def accuracy(sums: FloatArray) -> FloatArray:
        return sums[..., 0]

    return _Summed(columns(), people.keys[rows], accuracy)


def _soft_sums(people: People, metrics: Sequence[ComparedMetric]) -> _Summed:
    """Return standardised scores and squared differences of pairs, by segment."""
    numbers = people.segments
    if people.values is None:
        # Rankings are about systems, not outputs, so unjudged segments are as informative about a
        # metric.
        segments = [compared.metric.segments for compared in metrics]
        numbers = reduce(np.intersect1d, segments)
    scored = []
    for compared in metrics:
        scored.append(compared.metric.of(numbers))
    rows = ~np.isnan(sum(scored)).any(axis=1)
    if people.values is not None:
        rows &= ~np.isnan(people.values).any(axis=1)
    spread = figures.difference_spread(people.resampled["segments"])
    human = figures.normal_p_values(people.scores, spread)

    def columns() -> Iterator[FloatArray]:
        for all_values in scored:
            values = all_values[rows]
            deviation = values.std() or 1.0
            standard = (values - values.mean()) / deviation
            squares = figures.pair_differences(standard) ** 2
            yield np.concatenate([standard, squares], axis=1)

    def agreement(sums: FloatArray) -> FloatArray:
        scores, squares = np.split(sums, [len(people.systems)], axis=-1)
        spread = np.sqrt(np.maximum(squares, 0.0))
        metric = figures.normal_p_values(scores, spread)
        return figures.soft_pairwise_accuracy(human, metric)

    return _Summed(columns(), segment_keys(numbers[rows]), agreement)


@dataclass(frozen=True, eq=False)
class SoftAccuracy:
    """Soft pairwise accuracy of scores, using normal p-values.

    Attributes
    ----------
    human_spread, metric_spread : float64, shape (P,)
        Standard errors of the differences of pairs of systems.
    """

    human_spread: FloatArray
    metric_spread: FloatArray

    def __call__(self, human: FloatArray, metric: FloatArray) -> FloatArray:
        """Return the soft pairwise accuracy, shape (...), for scores of shape (..., n)."""
        return figures.soft_pairwise_accuracy(
            human=figures.normal_p_values(human, self.human_spread),
            metric=figures.normal_p_values(metric, self.metric_spread),
        )


def _resampled_soft_accuracy(people: People, metric: Metric) -> dict[Unit, FloatArray]:
    """Return a metric's soft pairwise accuracy in resamples of each unit, shape (R,).

    Resamples have no p-values of their own: those of normal distributions stand in for them.
    """
    common = metric.on_common_segments
    drawn = common.resampled(people.drawing)
    soft_accuracy = SoftAccuracy(
        human_spread=figures.difference_spread(people.resampled["segments"]),
        metric_spread=figures.difference_spread(drawn),
    )
    resampled = {}
    for unit, human in people.resampled.items():
        if unit == "segments":
            scores = drawn
        else:
            scores = common.scores
        resampled[unit] = soft_accuracy(human, scores)
    return resampled


def _resampled_soft_accuracies(
    people: People,
    metrics: Sequence[ComparedMetric],
) -> dict[str, dict[Unit, FloatArray]]:
    """Return resampled soft pairwise accuracies by the name of the metric."""
    resampled = {}
    for compared in metrics:
        metric = compared.metric
        resampled[metric.name] = _resampled_soft_accuracy(people, metric)
    return resampled


def _soft_difference(
    people: People,
    one: ComparedMetric,
    other: ComparedMetric,
    resampled: Mapping[str, Mapping[Unit, FloatArray]],
) -> Estimate:
    """Return the difference of soft pairwise accuracy of two metrics, with its interval."""
    other_resampled = resampled[other.metric.name]
    differences = {}
    for unit, accuracy in resampled[one.metric.name].items():
        differences[unit] = accuracy - other_resampled[unit]
    difference = one.soft_pairwise - other.soft_pairwise
    return people.interval(difference, differences, least=-1.0, most=1.0)


def _acc_eq_difference(
    people: People,
    one: ComparedMetric,
    other: ComparedMetric,
) -> Estimate:
    """Return the difference of acc_eq of two metrics on the pairs that both score, with its interval."""
    pairs = people.pairs
    by_one = pairs.differences(one.metric.of(people.segments))
    by_other = pairs.differences(other.metric.of(people.segments))
    is_known = ~np.isnan(by_one + by_other)
    pairs = pairs.take(is_known)
    one_right = figures.is_right(pairs.human, by_one[is_known], one.threshold)
    other_right = figures.is_right(pairs.human, by_other[is_known], other.threshold)
    ahead = one_right.astype(np.float64) - other_right
    return pairs.accuracy(ahead).estimate(people.drawing)
