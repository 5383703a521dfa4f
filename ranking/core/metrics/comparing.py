"""Comparisons of metrics with each other: which of two metrics agrees better with people.

A test swaps the two metrics in random segments, as the official test of WMT does. It treats segments as a sample and the
systems as given: metrics that err on whole systems differ for these systems, and can be equally good for others.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from ranking.core.arrays import FloatArray, Int64Array, UInt64Array
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
        is_ahead = self.values[:, np.newaxis] > self.values
        return clusters(ranges_of_better(is_ahead & (self.p_value <= self.level)))

    @property
    def wmt_cluster(self) -> Int64Array:
        """Clusters from the one-sided p-values, as in WMT, shape (M,).

        Each pair is tested in both directions, so equally good metrics differ with a probability of twice the level.
        """
        return clusters(ranges_of_better(self.wmt_p_value <= self.level))


@dataclass(frozen=True)
class MetricComparison:
    """Metrics compared with each other; empty for fewer than two.

    Attributes
    ----------
    clusters, wmt_clusters : dict of dict of int
        By figure, the cluster of each metric by name, from two-sided p-values and from the one-sided ones of WMT.
    pairs : list of dict
        One for each pair of metrics, the one with higher soft pairwise accuracy first: `metric` and `other` (names), and
        for each figure `difference_…` (Estimate), `p_…` and `wmt_p_…`.
    """

    clusters: dict[str, dict[str, int]] = field(default_factory=dict)
    wmt_clusters: dict[str, dict[str, int]] = field(default_factory=dict)
    pairs: list[dict[str, Any]] = field(default_factory=list)


def comparison_of_metrics(
    people: People, metrics: Sequence[ComparedMetric]
) -> MetricComparison:
    """Compare each pair of metrics by soft pairwise accuracy and by acc_eq."""
    if len(metrics) < 2:
        return MetricComparison()
    names = [compared.metric.name for compared in metrics]
    tests: dict[Tested, SwapTests] = {
        figure: swap_tests(people, metrics, figure) for figure in TESTED
    }
    differences: dict[Tested, Callable[[ComparedMetric, ComparedMetric], Estimate]] = {
        "soft_pairwise": _soft_differences(people, metrics),
        "acc_eq": partial(_acc_eq_difference, people),
    }
    by_soft_pairwise = np.argsort(
        -tests["soft_pairwise"].values, kind="stable"
    ).tolist()
    pairs = []
    for one, other in combinations(by_soft_pairwise, 2):
        row: dict[str, Any] = {"metric": names[one], "other": names[other]}
        for figure, test in tests.items():
            row[f"difference_{figure}"] = differences[figure](
                metrics[one], metrics[other]
            )
            row[f"p_{figure}"] = test.p_value[one, other]
            row[f"wmt_p_{figure}"] = test.wmt_p_value[one, other]
        pairs.append(row)
    return MetricComparison(
        clusters={
            figure: _by_name(names, test.cluster) for figure, test in tests.items()
        },
        wmt_clusters={
            figure: _by_name(names, test.wmt_cluster) for figure, test in tests.items()
        },
        pairs=pairs,
    )


def _by_name(names: Sequence[str], cluster: Int64Array) -> dict[str, int]:
    return dict(zip(names, cluster.tolist(), strict=True))


def swap_tests(
    people: People, metrics: Sequence[ComparedMetric], figure: Tested
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
        summed = _soft(people, metrics)
    else:
        summed = _right(people, metrics)
    count = len(metrics)
    values = np.full(count, np.nan)
    p_value, wmt_p_value = np.full((2, count, count), np.nan)
    totals = []
    swapped = []
    if len(summed.keys):
        for number, columns in enumerate(summed.columns):
            totals.append(columns.sum(axis=0))
            swapped.append(figures.flipped_sums(columns, summed.keys, people.drawing))
            values[number] = summed.figure(totals[number])
    for one, other in combinations(range(len(totals)), 2):
        middle = (totals[one] + totals[other]) / 2
        moved = (swapped[one] - swapped[other]) / 2
        drawn = summed.figure(middle + moved) - summed.figure(middle - moved)
        observed = values[one] - values[other]
        is_as_far = np.abs(drawn) >= abs(observed) - _EQUAL
        p_value[one, other] = p_value[other, one] = np.mean(is_as_far)
        wmt_p_value[one, other] = np.mean(drawn >= observed - _EQUAL)
        wmt_p_value[other, one] = np.mean(-drawn >= -observed - _EQUAL)
    level = round(1 - people.drawing.confidence, 12)
    return SwapTests(values, p_value, wmt_p_value, level)


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


def _right(people: People, metrics: Sequence[ComparedMetric]) -> _Summed:
    scored = [compared.metric.of(people.segments) for compared in metrics]
    # Segments on which all metrics score every output that people score.
    unknown = np.isnan(np.sum(scored, axis=0))
    if people.values is not None:
        unknown &= ~np.isnan(people.values)
    pairs = people.pairs.take(~unknown.any(axis=1)[people.pairs.row])
    rows, index = np.unique(pairs.row, return_inverse=True)

    def column(values: FloatArray, threshold: float) -> FloatArray:
        right = figures.is_right(pairs.human, pairs.differences(values), threshold)
        return np.bincount(index, pairs.weights * right).astype(np.float64)[
            :, np.newaxis
        ]

    thresholds = [compared.threshold for compared in metrics]
    columns = (column(*each) for each in zip(scored, thresholds, strict=True))
    return _Summed(columns, people.keys[rows], lambda sums: sums[..., 0])


def _soft(people: People, metrics: Sequence[ComparedMetric]) -> _Summed:
    numbers = people.segments
    if people.values is None:
        # Rankings are about systems, not outputs, so unjudged segments are as informative about a
        # metric.
        numbers = reduce(
            np.intersect1d, [compared.metric.segments for compared in metrics]
        )
    scored = [compared.metric.of(numbers) for compared in metrics]
    rows = ~np.isnan(sum(scored)).any(axis=1)
    if people.values is not None:
        rows &= ~np.isnan(people.values).any(axis=1)
    spread = figures.difference_spread(people.resampled["segments"])
    human = figures.normal_p_values(people.scores, spread)

    def columns(values: FloatArray) -> FloatArray:
        standard = (values - values.mean()) / (values.std() or 1.0)
        return np.concatenate(
            [standard, figures.pair_differences(standard) ** 2], axis=1
        )

    def agreement(sums: FloatArray) -> FloatArray:
        scores, squares = np.split(sums, [len(people.systems)], axis=-1)
        spread = np.sqrt(np.maximum(squares, 0.0))
        return figures.soft_pairwise_accuracy(
            human, figures.normal_p_values(scores, spread)
        )

    return _Summed(
        (columns(values[rows]) for values in scored),
        segment_keys(numbers[rows]),
        agreement,
    )


def soft_accuracy(
    spreads: Sequence[FloatArray], human: FloatArray, metric: FloatArray
) -> FloatArray:
    """Return soft pairwise accuracy of scores, using normal p-values with these standard errors of
    differences.
    """
    scores = zip((human, metric), spreads, strict=True)
    return figures.soft_pairwise_accuracy(
        *(figures.normal_p_values(*score) for score in scores)
    )


def _resampled_soft_accuracy(people: People, metric: Metric) -> dict[Unit, FloatArray]:
    """Return a metric's soft pairwise accuracy in resamples of each unit, shape (R,).

    Resamples have no p-values of their own: those of normal distributions stand in for them.
    """
    common = metric.on_common_segments
    drawn = common.resampled(people.drawing)
    spreads = [
        figures.difference_spread(each)
        for each in (people.resampled["segments"], drawn)
    ]
    return {
        unit: soft_accuracy(
            spreads, human, drawn if unit == "segments" else common.scores
        )
        for unit, human in people.resampled.items()
    }


def _soft_differences(
    people: People, metrics: Sequence[ComparedMetric]
) -> Callable[[ComparedMetric, ComparedMetric], Estimate]:
    """Return a function for the difference of soft pairwise accuracy of two metrics, with its interval."""
    resampled = {
        compared.metric.name: _resampled_soft_accuracy(people, compared.metric)
        for compared in metrics
    }

    def difference(one: ComparedMetric, other: ComparedMetric) -> Estimate:
        of_one = resampled[one.metric.name]
        of_other = resampled[other.metric.name]
        apart = {unit: of_one[unit] - of_other[unit] for unit in of_one}
        return people.interval(
            one.soft_pairwise - other.soft_pairwise, apart, least=-1.0, most=1.0
        )

    return difference


def _acc_eq_difference(
    people: People, one: ComparedMetric, other: ComparedMetric
) -> Estimate:
    """Return the difference of acc_eq of two metrics on the pairs that both score, with its interval."""
    pairs = people.pairs
    of_one = pairs.differences(one.metric.of(people.segments))
    of_other = pairs.differences(other.metric.of(people.segments))
    known = ~np.isnan(of_one + of_other)
    pairs = pairs.take(known)
    right = figures.is_right(pairs.human, of_one[known], one.threshold)
    right_too = figures.is_right(pairs.human, of_other[known], other.threshold)
    ahead = right.astype(np.float64) - right_too
    return pairs.accuracy(ahead).estimate(people.drawing)
