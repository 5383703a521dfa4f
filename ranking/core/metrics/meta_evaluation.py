"""Meta-evaluation of metrics: agreement with people, ceiling and floor, tests between metrics, and groups of segments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, Protocol, get_args

import numpy as np

from ranking.core.arrays import FloatArray, Int32Array, Int64Array
from ranking.core.beside import Estimate, OutputScores
from ranking.core.counting.counts import Layout, counts_of_units
from ranking.core.counting.resampling import segment_keys
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.shares import expected_wins
from ranking.core.metrics.agreement import (
    Agreement,
    MetricAgreement,
    accuracy,
    agreement_of_metrics,
    estimates,
    measures_of_systems,
)
from ranking.core.metrics.evidence import (
    difference_spread,
    flipped_sums,
    normal_p_values,
    pair_differences,
    soft_pairwise_accuracy,
)
from ranking.core.metrics.pairs import Pairs, is_right, pairs_of_scores, tau_by_segment, taus
from ranking.core.metrics.people import Metric, NothingComparedError, People
from ranking.core.ranges import RankRanges, clusters

Tested = Literal["soft_pairwise", "acc_eq"]
Progress = Callable[[int, int], None]
#: Differences that are closer are equal, but for rounding.
_EQUAL = 1e-12
_RANDOM_METRICS = 20
#: Pairs of outputs that the floor is computed on.
_MOST_PAIRS = 400_000
_SPLITS = 200


class Side(Protocol):
    """The judgments of people, restricted to some systems and segments on request: one of `people` with what was judged."""

    def __call__(
        self, *, systems: Sequence[str] | None = None, segments: Int64Array | None = None
    ) -> People:
        """Return the judgments of these systems and segments (default: all). Raises NothingComparedError if there are none."""


@dataclass(frozen=True, eq=False)
class ComparedMetrics:
    """M metrics by one figure of their agreement with people.

    Attributes
    ----------
    values : float64, shape (M,)
        The figure on the segments that were compared: those that all the metrics score.
    p_value : float64, shape (M, M)
        One-sided, for "the first agrees better than the second"; NaN where there is no test.
    cluster : int64, shape (M,)
        1 for the best; from rank ranges: 1 + the metrics that agree significantly better … M − those that agree significantly
        worse.
    """

    values: FloatArray
    p_value: FloatArray
    cluster: Int64Array


@dataclass(frozen=True, eq=False, kw_only=True)
class MetaEvaluation:
    """Metrics compared with people.

    Attributes
    ----------
    people : People
    metrics : sequence of MetricAgreement
        In the order given.
    left_out : sequence of str
        Names of metrics that score fewer than two of the systems that people compare.
    ceiling, floor : Agreement or None
        The floor is None without metrics.
    compared : mapping of figure to ComparedMetrics
        Of the metrics in `compared_names`, which score all systems; empty for fewer than two.
    compared_names : sequence of str
    groups : mapping of str to (int, sequence of MetricAgreement)
        Number of segments and agreements in each group of segments; metrics with too few scores there are missing.
    """

    people: People
    metrics: Sequence[MetricAgreement]
    left_out: Sequence[str]
    ceiling: Agreement | None
    floor: Agreement | None
    compared: Mapping[Tested, ComparedMetrics]
    compared_names: Sequence[str]
    groups: Mapping[str, tuple[int, Sequence[MetricAgreement]]]


def meta_evaluation(
    side: Side,
    metrics: Sequence[Metric],
    *,
    ratings: OutputScores | None = None,
    groups: Mapping[str, Int64Array] | None = None,
    progress: Progress = lambda _done, _of: None,
) -> MetaEvaluation:
    """Compare metrics with people.

    Parameters
    ----------
    side : Side
    metrics : sequence of Metric
        With different names.
    ratings : OutputScores, optional
        Scores by judge, for the ceiling, if `side` is from scores.
    groups : mapping of str to int64
        Numbers of the segments of each group, such as those of a domain.
    progress : callable, optional
        Called with (steps done, all steps).

    Raises
    ------
    NothingComparedError
        If people compare no two systems.
    """
    people = side()
    of_groups = dict(groups or {})
    steps = 4 + len(of_groups)
    found, left_out = _found(side, people, metrics)
    progress(1, steps)
    scored = [
        each
        for each in found
        if each.threshold is not None and each.metric.systems == people.systems
    ]
    compared = (
        {figure: metrics_compared(people, scored, figure) for figure in get_args(Tested)}
        if len(scored) > 1
        else {}
    )
    progress(2, steps)
    lowest = floor(people) if metrics else None
    progress(3, steps)
    highest = ceiling(people, ratings)
    by_group: dict[str, tuple[int, Sequence[MetricAgreement]]] = {}
    for step, (name, segments) in enumerate(of_groups.items(), 5):
        try:
            some = side(segments=segments)
            within = [metric.within(segments) for metric in metrics]
            by_group[name] = len(some.segments), _found(side, some, within, segments)[0]
        except NothingComparedError:
            pass
        progress(step, steps)
    progress(steps, steps)
    return MetaEvaluation(
        people=people,
        metrics=found,
        left_out=left_out,
        ceiling=highest,
        floor=lowest,
        compared=compared,
        compared_names=[each.metric.name for each in scored] if compared else [],
        groups=by_group,
    )


def _found(
    side: Side, people: People, metrics: Sequence[Metric], segments: Int64Array | None = None
) -> tuple[list[MetricAgreement], list[str]]:
    """Return agreements in the order of the metrics; those that score the same systems are compared together."""
    if len(people.systems) < 2:
        raise NothingComparedError("fewer than two systems have a score")
    by_systems: dict[tuple[str, ...], list[Metric]] = {}
    for metric in metrics:
        systems = tuple(name for name in people.systems if name in metric.scored)
        by_systems.setdefault(systems, []).append(metric)
    found: dict[str, MetricAgreement] = {}
    for systems, members in by_systems.items():
        if len(systems) > 1:
            same = systems == people.systems
            some = people if same else side(systems=systems, segments=segments)
            given = [metric.take(some.systems) for metric in members]
            found |= {each.metric.name: each for each in agreement_of_metrics(some, given)}
    left_out = [metric.name for metric in metrics if metric.name not in found]
    return [found[metric.name] for metric in metrics if metric.name in found], left_out


def metrics_compared(
    people: People, agreements: Sequence[MetricAgreement], figure: Tested
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
    agreements : sequence of MetricAgreement
        Of M metrics, at least one.
    figure : "soft_pairwise" or "acc_eq"
        Pairs of metrics with p ≤ 1 − confidence differ; there is no correction for their number, as in WMT.

    References
    ----------
    D. Deutsch, R. Dror, D. Roth (2021), A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods, TACL 9.
    """
    count = len(agreements)
    test = _soft if figure == "soft_pairwise" else _right
    values, swapped = test(people, agreements)
    p_value = np.full((count, count), np.nan)
    for one, other in combinations(range(count), 2):
        if not np.isnan(values).any():
            apart, observed = swapped(one, other), values[one] - values[other]
            p_value[one, other] = np.mean(apart >= observed - _EQUAL)
            p_value[other, one] = np.mean(-apart >= -observed - _EQUAL)
    better = p_value <= round(1 - people.drawing.confidence, 12)
    ranges = RankRanges(
        low=1 + np.count_nonzero(better, axis=0), high=count - np.count_nonzero(better, axis=1)
    )
    return ComparedMetrics(values, p_value, clusters(ranges))


#: The figure of each metric, NaN without a segment to compare; and its difference between two of them in swaps.
_Swaps = tuple[FloatArray, Callable[[int, int], FloatArray]]


def _right(people: People, agreements: Sequence[MetricAgreement]) -> _Swaps:
    scored = [each.metric.of(people.segments) for each in agreements]
    # Segments that all metrics score whole, as far as people score them.
    unknown = np.isnan(sum(scored))
    if people.values is not None:
        unknown &= ~np.isnan(people.values)
    pairs = people.pairs.take(~unknown.any(axis=1)[people.pairs.row])
    rows, place = np.unique(pairs.row, return_inverse=True)
    by_segment: FloatArray = np.stack(
        [
            np.bincount(
                place,
                pairs.weights
                * is_right(pairs.human, pairs.differences(values), each.threshold or 0.0),
            )
            for values, each in zip(scored, agreements, strict=True)
        ],
        axis=1,
    )
    flipped = flipped_sums(by_segment, people.keys[rows], people.drawing)
    values = by_segment.sum(axis=0) if len(rows) else np.full(len(agreements), np.nan)
    return values, lambda one, other: flipped[:, one] - flipped[:, other]


def _soft(people: People, agreements: Sequence[MetricAgreement]) -> _Swaps:
    metrics = [each.metric for each in agreements]
    numbers = people.segments
    if people.values is None:
        # Rankings say of systems, not of outputs: the other segments tell as much of a metric.
        numbers = metrics[0].segments
        for metric in metrics[1:]:
            numbers = np.intersect1d(numbers, metric.segments)
    scored = [metric.of(numbers) for metric in metrics]
    if people.values is not None:
        scored = [np.where(np.isnan(people.values), np.nan, each) for each in scored]
    rows = ~np.isnan(sum(scored)).any(axis=1)
    if np.count_nonzero(rows) < 2:
        return np.full(len(metrics), np.nan), lambda _one, _other: np.zeros(0)
    keys = segment_keys(numbers[rows])
    human = normal_p_values(people.scores, difference_spread(people.resampled["segments"]))

    standard = [(each[rows] - each[rows].mean()) / (each[rows].std() or 1.0) for each in scored]
    apart = [pair_differences(each) ** 2 for each in standard]
    sums, squares = ([each.sum(axis=0) for each in of] for of in (standard, apart))
    flipped, flipped_squares = (
        [flipped_sums(each, keys, people.drawing) for each in of] for of in (standard, apart)
    )

    def agreement(sums: FloatArray, squares: FloatArray) -> FloatArray:
        spread = np.sqrt(np.maximum(squares, 0.0))
        return soft_pairwise_accuracy(human, normal_p_values(sums, spread))

    def swapped(one: int, other: int) -> FloatArray:
        middle, middle_squares = ((of[one] + of[other]) / 2 for of in (sums, squares))
        moved, moved_squares = ((of[one] - of[other]) / 2 for of in (flipped, flipped_squares))
        return agreement(middle + moved, middle_squares + moved_squares) - agreement(
            middle - moved, middle_squares - moved_squares
        )

    return np.array([agreement(*each) for each in zip(sums, squares, strict=True)]), swapped


def floor(people: People) -> Agreement:
    """Return the figures of random scores: means over 20 metrics of normal deviates, and the range of 95 % of such metrics.

    Segments are sampled so that there are about 400,000 pairs of outputs at most.
    """
    most = max(100, round(len(people.segments) * _MOST_PAIRS / max(1, len(people.pairs))))
    if most < len(people.segments):
        random = np.random.default_rng(people.drawing.seed)
        rows = np.sort(random.choice(len(people.segments), most, replace=False))
        pairs = people.pairs.take(np.isin(people.pairs.row, rows))
        people = replace(
            people,
            segments=people.segments[rows],
            values=None if people.values is None else people.values[rows],
            pairs=replace(pairs, row=np.searchsorted(rows, pairs.row).astype(np.int32)),
        )
    shape = (len(people.segments), len(people.systems))
    metrics = [
        Metric(
            name="random",
            systems=people.systems,
            segments=people.segments,
            values=np.random.default_rng([people.drawing.seed, number]).normal(size=shape),
            of_systems=np.full(shape[1], np.nan),
        )
        for number in range(_RANDOM_METRICS)
    ]
    found = agreement_of_metrics(people, metrics, intervals=False)
    return Agreement(
        systems=_spread([each.systems for each in found]),
        segments=_spread([each.segments for each in found]),
        threshold=None,
        missing=0,
        outputs=found[0].outputs,
    )


def _spread(drawn: Sequence[Mapping[str, Estimate]]) -> dict[str, Estimate]:
    """Return means, with normal ranges of the draws."""
    found = {}
    for name in drawn[0]:
        values = np.array([each[name].value for each in drawn if name in each])
        value, reach = float(values.mean()), 1.96 * float(values.std(ddof=1))
        least = 0.0 if "pairwise" in name or "acc_eq" in name else -1.0
        found[name] = Estimate(value, max(least, value - reach), min(1.0, value + reach))
    return found


def ceiling(people: People, ratings: OutputScores | None = None) -> Agreement | None:
    """Return how far people agree with people; None where judges are not known.

    Figures of segments are of each judge against the others, on outputs that both judged; the intervals are over segments and
    judges. Their ties are their own, so that no threshold is tuned. Figures of systems are of half of the judges against the
    other half, on average over 200 random halves, with the range of 95 % of them. Half of the judgments is less than metrics
    are compared with, so that a metric may be better.

    Parameters
    ----------
    people : People
    ratings : OutputScores, optional
        What judges scored, where people score outputs.
    """
    systems: Mapping[str, Estimate] = {}
    if people.blocks is not None and people.pairs.judge is not None:
        pairs, difference = _judges_beside_each_other(people.pairs, people.pairs.judge)
        systems = _halves(people, people.blocks)
    elif ratings is not None:
        pairs, difference = _judge_beside_means(ratings)
    else:
        return None
    segments: Mapping[str, Estimate] = {}
    if len(pairs):
        figures = accuracy(pairs, is_right(pairs.human, difference, 0.0))
        figures |= (tau_by_segment if pairs.by_segment else taus)(pairs, difference)
        segments = estimates(figures, people.drawing)
    if not segments and not systems:
        return None
    return Agreement(
        systems=systems, segments=segments, threshold=0.0, missing=0, outputs=len(pairs)
    )


def _judges_beside_each_other(pairs: Pairs, judge: Int32Array) -> tuple[Pairs, FloatArray]:
    """Return each comparison with each of the same outputs by another judge, and that one's answer as a difference."""
    systems = int(pairs.second.max(initial=0)) + 1
    key = (pairs.row.astype(np.int64) * systems + pairs.first) * systems + pairs.second
    order = np.argsort(key, kind="stable")
    _keys, begins, sizes = np.unique(key[order], return_index=True, return_counts=True)
    one, other = [order[:0]], [order[:0]]
    for size in np.unique(sizes[sizes > 1]).tolist():
        members = order[begins[sizes == size][:, np.newaxis] + np.arange(size)]
        for apart in range(1, size):
            one.append(members.ravel())
            other.append(np.roll(members, apart, axis=1).ravel())
    mine, theirs = np.concatenate(one), np.concatenate(other)
    apart_judges = judge[mine] != judge[theirs]
    return pairs.take(mine[apart_judges]), pairs.human[theirs[apart_judges]].astype(np.float64)


def _halves(people: People, blocks: Blocks) -> dict[str, Estimate]:
    """Return figures of systems of one half of the judges against the other."""
    layout = Layout(len(people.systems))
    judges, of_block = np.unique(blocks.judge, return_inverse=True)
    if len(judges) < 2:
        return {}
    wins = counts_of_units(blocks, layout, of_block, len(judges))
    random = np.random.default_rng(people.drawing.seed)
    half = np.zeros((_SPLITS, len(judges)), dtype=np.int64)
    for row in half:
        row[random.permutation(len(judges))[: len(judges) // 2]] = 1
    one, other = (
        expected_wins(layout.unpack(chosen @ wins).wins).values for chosen in (half, 1 - half)
    )
    # Half of the judgments has twice the variance.
    spread = difference_spread(people.resampled["segments"]) * np.sqrt(2)
    found = {
        name: measure(one, other)
        for name, measure in measures_of_systems(len(people.systems)).items()
    } | {
        "soft_pairwise": soft_pairwise_accuracy(
            normal_p_values(one, spread), normal_p_values(other, spread)
        )
    }
    estimated = {}
    for name, values in found.items():
        known = values[~np.isnan(values)]
        if len(known):
            low, high = np.quantile(known, (0.025, 0.975)).tolist()
            estimated[name] = Estimate(float(known.mean()), low, high)
    return estimated


def _judge_beside_means(ratings: OutputScores) -> tuple[Pairs, FloatArray]:
    """Return pairs by the means of the other judges, and how each judge scores them, on outputs that both scored."""
    _names, judge = np.unique(ratings.judge, return_inverse=True)
    _segments, segment = np.unique(ratings.segment, return_inverse=True)
    # A row for each judge and segment.
    segments = int(segment.max()) + 1
    keys, row = np.unique(judge * segments + segment, return_inverse=True)

    def by_system(place: Int64Array, rows: int) -> tuple[FloatArray, Int64Array]:
        cell, shape = place * len(ratings.systems) + ratings.system, (rows, len(ratings.systems))
        size = rows * len(ratings.systems)
        sums, counts = np.bincount(cell, ratings.score, size), np.bincount(cell, minlength=size)
        return sums.reshape(shape), counts.reshape(shape)

    sums, counts = (each[keys % segments] for each in by_system(segment, segments))
    own, own_counts = by_system(row, len(keys))
    shared = (own_counts > 0) & (counts > own_counts)
    means = np.where(shared, (sums - own) / np.maximum(1, counts - own_counts), np.nan)
    pairs = pairs_of_scores(means)
    difference = pairs.differences(own / np.maximum(1, own_counts))
    of_pair = keys[pairs.row]
    return replace(
        pairs,
        row=(of_pair % segments).astype(np.int32),
        judge=(of_pair // segments).astype(np.int32),
    ), difference
