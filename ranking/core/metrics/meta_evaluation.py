"""Meta-evaluation of metrics: agreement with people, ceiling and floor, tests between metrics, and groups of segments."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ranking.core.arrays import FloatArray, Int32Array, Int64Array, share
from ranking.core.beside import OutputScores
from ranking.core.counting.counts import Layout, counts_of_units
from ranking.core.diagnosis.correlation import kendall_influenced, order_balance
from ranking.core.estimates import FEWEST_SYSTEMS, MEASURES, Estimate
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.shares import expected_wins
from ranking.core.metrics import figures
from ranking.core.metrics.comparing import (
    ComparedMetric,
    comparison_of_metrics,
    soft_accuracy,
)
from ranking.core.metrics.figures import Drawing, Figure, Pairs
from ranking.core.metrics.people import Metric, NothingComparedError, People
from ranking.core.metrics.prediction_powered import predicted_scores
from ranking.core.scores import TIE_DECIMALS

#: Function that computes a figure from the scores of people and of a metric, each of shape (...,
#: n).
Measure = Callable[[FloatArray, FloatArray], FloatArray]


#: The agreement of a metric, of people among themselves, or of chance with people, by name:
#:
#: systems, segments (dict of str to Estimate): figures by name. For systems: pearson, spearman,
#: kendall, pairwise (accuracy), pairwise_separated, soft_pairwise (SPA), and for metrics judgments_saved. For segments, from scores:
#: pearson, kendall_by_segment, kendall_by_system, kendall_pooled; from rankings: tau_wmt12,
#: tau_wmt13, tau_wmt14; from both: acc_eq, with the threshold of ties tuned on the same pairs, and
#: acc_eq_folds, on other segments. Those that cannot be computed are left out. threshold (float or
#: None): of ties, for acc_eq. missing (int): outputs of judged segments that people compare and the
#: metric does not score. outputs (int): outputs that people compare. common (int or None): number of
#: segments that figures of systems use, if the metric does not score all systems on all its segments.
#: unjudged (int): segments that the metric scores and people did not judge.
Agreement = dict[str, Any]


def pairwise_accuracy(
    human: FloatArray, metric: FloatArray, least: FloatArray | float = 0.0
) -> FloatArray:
    """Return the share of pairs of systems that both put in the same order, shape (...), for scores
    of shape (..., n).

    `least`, shape (P,), has the minimum differences of human scores that count, for the pairs of
    ``np.triu_indices(n, 1)``. NaN without pairs, and where a score is NaN.
    """
    by_people = np.round(figures.pair_differences(human), TIE_DECIMALS)
    by_metric = np.round(figures.pair_differences(metric), TIE_DECIMALS)
    alike = np.sign(by_people) == np.sign(by_metric)
    known = ~np.isnan(by_people + by_metric).any(axis=-1)
    counted = np.abs(by_people) >= least
    pairs = np.count_nonzero(counted, axis=-1) * known
    return share(np.count_nonzero(alike & counted, axis=-1), pairs)


def _measures(systems: int) -> dict[str, Measure]:
    """Return the measures that need only systems' scores, for this number of systems."""
    return {"pairwise": pairwise_accuracy} | (
        dict(MEASURES) if systems >= FEWEST_SYSTEMS else {}
    )


def agreement_of_metric(
    people: People, metric: Metric, *, intervals: bool = True
) -> Agreement:
    """Compare a metric with people.

    If people score outputs, p-values for soft pairwise accuracy come from sign flips; if they rank
    them, from resamples.

    Parameters
    ----------
    people : People
    metric : Metric
        Over the same n systems.
    intervals : bool
        Whether to compute intervals.

    Notes
    -----
    Intervals are for the expected value of a figure over campaigns of this size with other segments
    and judges: the variance is that over segments + that over judges − that over each judge's
    judgments of a segment (Cameron, Gelbach and Miller 2011), with Student's t. The set of systems
    is fixed.
    """
    values = metric.of(people.segments)
    pairs = people.pairs
    common = metric.on_common_segments
    scored = metric.segments[~np.isnan(metric.values).all(axis=1)]
    compared = np.zeros(values.shape, dtype=np.bool_)
    compared[pairs.row, pairs.first] = compared[pairs.row, pairs.second] = True
    segments, threshold = _segment_figures(people, values, intervals=intervals)
    of_systems = _system_figures(people, common, values, intervals=intervals)
    if of_systems and intervals:
        saved = predicted_scores(people, metric).judgments_saved(people.drawing)
        if saved.low is not None:
            of_systems["judgments_saved"] = saved
    return {
        "systems": of_systems,
        "segments": segments,
        "threshold": threshold,
        "missing": int(np.count_nonzero(compared & np.isnan(values))),
        "outputs": int(np.count_nonzero(compared)),
        "common": None if common is metric else len(common.segments),
        "unjudged": int(np.count_nonzero(~np.isin(scored, people.segments))),
    }


def _system_figures(
    people: People, metric: Metric, values: FloatArray, *, intervals: bool
) -> dict[str, Estimate]:
    if np.isnan([people.scores, metric.scores]).any():
        # Means over different segments are not comparable.
        return {}
    drawn = np.zeros((0, len(people.systems)))
    if intervals or people.values is None:
        drawn = metric.resampled(people.drawing)
    if people.values is None:
        p_values = figures.resampled_p_values(drawn)
    else:
        scored = np.where(np.isnan(people.values), np.nan, values)
        p_values = figures.flipped_p_values(scored, people.keys, people.drawing)
    measures = _measures(len(people.systems))
    # The set of pairs separated by people varies as well.
    measures["pairwise_separated"] = partial(
        pairwise_accuracy, least=people.least_separated
    )
    found = {
        name: float(measure(people.scores, metric.scores))
        for name, measure in measures.items()
    }
    found["soft_pairwise"] = float(
        figures.soft_pairwise_accuracy(people.p_values, p_values)
    )
    known = {name: value for name, value in found.items() if not np.isnan(value)}
    if not intervals:
        return {name: Estimate(value, None, None) for name, value in known.items()}
    # Resamples have no p-values of their own: those of normal distributions stand in for them.
    spreads = [
        figures.difference_spread(each)
        for each in (people.resampled["segments"], drawn)
    ]
    measures["soft_pairwise"] = partial(soft_accuracy, spreads)

    def estimated(name: str, value: float) -> Estimate:
        resampled = {
            unit: measures[name](human, drawn if unit == "segments" else metric.scores)
            for unit, human in people.resampled.items()
        }
        return people.interval(
            value, resampled, least=-1.0 if name in MEASURES else 0.0, most=1.0
        )

    return {name: estimated(name, value) for name, value in known.items()}


def _estimates(
    figures_by_name: Mapping[str, Figure], drawing: Drawing | None
) -> dict[str, Estimate]:
    """Return figures with intervals, or without if `drawing` is None; figures that are NaN are left
    out.
    """
    return {
        name: Estimate(each.value, None, None)
        if drawing is None
        else each.estimate(drawing)
        for name, each in figures_by_name.items()
        if not np.isnan(each.value)
    }


def _segment_figures(
    people: People, values: FloatArray, *, intervals: bool
) -> tuple[dict[str, Estimate], float | None]:
    """Return figures of a metric, from its scores of the judged segments, and its threshold for
    ties.
    """
    pairs = people.pairs
    difference = pairs.differences(values)
    known = ~np.isnan(difference)
    if not known.all():
        pairs = pairs.take(known)
        difference = difference[known]
    if not len(pairs):
        return {}, None
    order = np.argsort(np.abs(difference))
    threshold, _best = figures.calibrated(pairs, difference, order)
    figures_by_name = {
        "acc_eq": pairs.accuracy(figures.is_right(pairs.human, difference, threshold))
    }
    if people.folds is not None:
        right = figures.right_on_folds(
            pairs, difference, people.folds[pairs.row], order
        )
        figures_by_name["acc_eq_folds"] = pairs.accuracy(right)
    if people.values is None:
        figures_by_name |= figures.taus(pairs, difference)
    else:
        figures_by_name |= _correlations(
            values, people.values
        ) | figures.tau_by_segment(pairs, difference)
    return _estimates(figures_by_name, people.drawing if intervals else None), threshold


def _correlations(metric: FloatArray, human: FloatArray) -> dict[str, Figure]:
    known = ~np.isnan(metric + human)
    row, system = np.nonzero(known)
    x = human[known]
    y = metric[known]
    if not _varies(x) or not _varies(y):
        return {}
    of_x = (x - x.mean()) / x.std()
    of_y = (y - y.mean()) / y.std()
    value = float((of_x * of_y).mean())
    apart = (of_x * of_y - value * (of_x**2 + of_y**2) / 2) / len(row)
    pooled = kendall_influenced(x, y)
    figures_by_name = {
        "pearson": Figure(value, apart, (row,)),
        "kendall_pooled": Figure(pooled.value, pooled.influence / len(row), (row,)),
    }
    systems = [np.flatnonzero(system == number) for number in range(known.shape[1])]
    varied = [own for own in systems if _varies(x[own]) and _varies(y[own])]
    if varied:
        balance = order_balance(x, y, system)
        taus = [kendall_influenced(x[own], y[own], balance[own]) for own in varied]
        value = float(np.mean([tau.value for tau in taus]))
        moved = [tau.influence / (len(tau.influence) * len(taus)) for tau in taus]
        figures_by_name["kendall_by_system"] = Figure(
            value, np.concatenate(moved), (row[np.concatenate(varied)],)
        )
    return figures_by_name


def _varies(values: FloatArray) -> bool:
    return len(values) > 1 and float(np.ptp(values)) > 0


Progress = Callable[[int, int], None]
_RANDOM_METRICS = 20
#: Approximate maximum number of pairs of outputs for computing the floor.
_MOST_PAIRS = 400_000
_SPLITS = 200


#: The judgments of people of given `systems` and `segments` (default: all): one of `people` with what was judged. Raises
#: NothingComparedError if there are none.
Side = Callable[..., People]


def meta_evaluation(
    side: Side,
    metrics: Sequence[Metric],
    *,
    ratings: OutputScores | None = None,
    groups: Mapping[str, Int64Array] | None = None,
    judged_only: bool = False,
    progress: Progress = lambda _done, _of: None,
) -> dict[str, Any]:
    """Compare metrics with people.

    Parameters
    ----------
    side : Side
    metrics : sequence of Metric
        Metrics with different names.
    ratings : OutputScores, optional
        Scores by judge, for the ceiling, if `side` is from scores.
    groups : mapping of str to int64
        Numbers of the segments of each group, such as those of a domain.
    judged_only : bool
        Whether scores of segments that people did not judge are left out.
    progress : callable, optional
        Called with (steps done, all steps).

    Returns
    -------
    dict
        people: systems' scores, numbers of segments, of pairs, of outputs of these segments, and of those without a
        score (0 for rankings), `People.common`, and the kind of judgments.
        metrics: an Agreement for each, in the order given, with its name and scores. left_out:
        names of metrics that score fewer than two of the systems compared by people. ceiling,
        floor: an Agreement or None; the floor is None without metrics. clusters, wmt_clusters and
        tests: see `MetricComparison`; for metrics that score all systems. groups: number of segments and
        agreements for each group of segments, without metrics with too few scores in it.

    Raises
    ------
    NothingComparedError
        If people compare no two systems.
    """
    people = side()
    of_groups = groups or {}
    if judged_only:
        metrics = [metric.within(people.segments) for metric in metrics]
    steps = 4 + len(of_groups)
    correlations = _found(side, people, metrics)
    known = {metric.name for metric, _agreement in correlations}
    progress(1, steps)
    between = comparison_of_metrics(people, _scoring_all_systems(people, correlations))
    progress(2, steps)
    lowest = None
    if metrics:
        lowest = floor(_sampled(side, people))
    progress(3, steps)
    highest = ceiling(people, ratings)
    by_group = []
    for step, (name, segments) in enumerate(of_groups.items(), 5):
        try:
            some = side(segments=segments)
            within = [metric.within(segments) for metric in metrics]
            agreements = {
                metric.name: of for metric, of in _found(side, some, within, segments)
            }
            by_group.append(
                {"group": name, "segments": len(some.segments), "metrics": agreements}
            )
        except NothingComparedError:
            pass
        progress(step, steps)
    progress(steps, steps)
    return {
        "people": {
            "systems": _by_system(people.systems, people.scores),
            "segments": len(people.segments),
            "pairs": len(people.pairs),
            "missing": people.missing,
            "outputs": len(people.segments) * len(people.systems),
            "common": people.common,
            "from": "rankings" if people.values is None else "scores",
        },
        "metrics": [
            {
                "metric": metric.name,
                "is_human": metric.is_human,
                "is_machine": metric.is_machine,
                **agreement,
            }
            | {"scores": _by_system(metric.systems, metric.on_common_segments.scores)}
            for metric, agreement in correlations
        ],
        "left_out": [metric.name for metric in metrics if metric.name not in known],
        "ceiling": highest,
        "floor": lowest,
        "clusters": between.clusters,
        "wmt_clusters": between.wmt_clusters,
        "tests": between.pairs,
        "groups": by_group,
    }


def _by_system(systems: Sequence[str], scores: FloatArray) -> dict[str, float | None]:
    known = [None if np.isnan(score) else score for score in scores.tolist()]
    return dict(zip(systems, known, strict=True))


def _scoring_all_systems(
    people: People, agreements: Sequence[tuple[Metric, Agreement]]
) -> list[ComparedMetric]:
    return [
        ComparedMetric(
            metric, agreement["threshold"], agreement["systems"]["soft_pairwise"].value
        )
        for metric, agreement in agreements
        if agreement["threshold"] is not None
        and metric.systems == people.systems
        and "soft_pairwise" in agreement["systems"]
    ]


def _found(
    side: Side,
    people: People,
    metrics: Sequence[Metric],
    segments: Int64Array | None = None,
) -> list[tuple[Metric, Agreement]]:
    """Return agreements in the order of the metrics, each over the systems that it scores."""
    sides = {people.systems: people}
    found = []
    for metric in metrics:
        systems = tuple(name for name in people.systems if name in metric.scored)
        if len(systems) < 2:
            continue
        if systems not in sides:
            sides[systems] = side(systems=systems, segments=segments)
        chosen = metric.take(sides[systems].systems)
        found.append((chosen, agreement_of_metric(sides[systems], chosen)))
    return found


def _sampled(side: Side, people: People) -> People:
    """Return people on so many random segments that there are at most about 400,000 pairs of outputs."""
    count = len(people.segments)
    most = max(100, round(count * _MOST_PAIRS / max(1, len(people.pairs))))
    if most >= count:
        return people
    random = np.random.default_rng(people.drawing.seed)
    return side(segments=np.sort(random.choice(people.segments, most, replace=False)))


def floor(people: People) -> Agreement:
    """Return the figures of random scores: means over 20 metrics of normal deviates, with 95%
    ranges.
    """
    shape = (len(people.segments), len(people.systems))
    floors = []
    for number in range(_RANDOM_METRICS):
        values = np.random.default_rng([people.drawing.seed, number]).normal(size=shape)
        metric = Metric(
            name="random",
            systems=people.systems,
            segments=people.segments,
            values=values,
        )
        floors.append(agreement_of_metric(people, metric, intervals=False))
    parts = {
        part: _spread([each[part] for each in floors])
        for part in ("systems", "segments")
    }
    return {**parts, "threshold": None, "missing": 0, "outputs": floors[0]["outputs"]}


def _spread(drawn: Sequence[Mapping[str, Estimate]]) -> dict[str, Estimate]:
    """Return means, with normal ranges of the draws."""
    spread = {}
    for name in drawn[0]:
        values = np.array([each[name].value for each in drawn if name in each])
        value = float(values.mean())
        reach = 1.96 * float(values.std(ddof=1))
        if "pairwise" in name or "acc_eq" in name:
            least = 0.0
        else:
            least = -1.0
        spread[name] = Estimate(
            value, max(least, value - reach), min(1.0, value + reach)
        )
    return spread


def ceiling(people: People, ratings: OutputScores | None = None) -> Agreement | None:
    """Return the agreement of people with each other; None if judges are unknown.

    Segment figures compare each judge with the others on outputs that both judged; their intervals
    are over segments and judges. Ties are those given by judges, so no threshold is tuned. System
    figures compare one half of the judges with the other: means over 200 random splits, with 95%
    ranges. Metrics are compared with twice as many judgments, so a metric may be better.

    Parameters
    ----------
    people : People
    ratings : OutputScores, optional
        Scores by judge, if people score outputs.
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
        figures_by_name = {
            "acc_eq": pairs.accuracy(figures.is_right(pairs.human, difference, 0.0))
        }
        figures_by_name |= (
            figures.tau_by_segment if pairs.by_segment else figures.taus
        )(pairs, difference)
        segments = _estimates(figures_by_name, people.drawing)
    if not segments and not systems:
        return None
    counts = {"missing": 0, "outputs": len(pairs)}
    return {"systems": systems, "segments": segments, "threshold": 0.0, **counts}


def _judges_beside_each_other(
    pairs: Pairs, judge: Int32Array
) -> tuple[Pairs, FloatArray]:
    """Pair each comparison with those of the same outputs by other judges, whose answers become
    differences.
    """
    systems = int(pairs.second.max(initial=0)) + 1
    key = (pairs.row.astype(np.int64) * systems + pairs.first) * systems + pairs.second
    order = np.argsort(key, kind="stable")
    one = [order[:0]]
    other = [order[:0]]
    for apart in range(1, np.unique(key, return_counts=True)[1].max(initial=1)):
        before = order[:-apart]
        after = order[apart:]
        matched = (key[before] == key[after]) & (judge[before] != judge[after])
        one.append(before[matched])
        other.append(after[matched])
    mine = np.concatenate([*one, *other])
    theirs = np.concatenate([*other, *one])
    return pairs.take(mine), pairs.human[theirs].astype(np.float64)


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
    one = expected_wins(layout.unpack(half @ wins).wins).values
    other = expected_wins(layout.unpack((1 - half) @ wins).wins).values
    # Half of the judgments have twice the variance.
    spread = figures.difference_spread(people.resampled["segments"]) * np.sqrt(2)
    measures = _measures(len(people.systems))
    measures["soft_pairwise"] = partial(soft_accuracy, [spread, spread])
    estimated = {}
    for name, measure in measures.items():
        values = measure(one, other)
        known = values[~np.isnan(values)]
        if len(known):
            low, high = np.quantile(known, (0.025, 0.975)).tolist()
            estimated[name] = Estimate(float(known.mean()), low, high)
    return estimated


def _judge_beside_means(ratings: OutputScores) -> tuple[Pairs, FloatArray]:
    """Return pairs by the means of the other judges, and how each judge scores them, on outputs that both scored."""
    _names, judge = np.unique(ratings.judge, return_inverse=True)
    _segments, segment = np.unique(ratings.segment, return_inverse=True)
    # One row for each judge and segment.
    segments = int(segment.max()) + 1
    keys, row = np.unique(judge * segments + segment, return_inverse=True)

    def by_system(position: Int64Array, rows: int) -> Iterator[Any]:
        shape = (rows, len(ratings.systems))
        cell = position * shape[1] + ratings.system
        size = rows * shape[1]
        yield np.bincount(cell, ratings.score, size).reshape(shape)
        yield np.bincount(cell, minlength=size).reshape(shape)

    sums, counts = (each[keys % segments] for each in by_system(segment, segments))
    own, own_counts = by_system(row, len(keys))
    shared = (own_counts > 0) & (counts > own_counts)
    means = np.where(shared, (sums - own) / np.maximum(1, counts - own_counts), np.nan)
    pairs = figures.pairs_of_scores(means)
    difference = pairs.differences(own / np.maximum(1, own_counts))
    of_judge, of_segment = (
        each.astype(np.int32) for each in np.divmod(keys[pairs.row], segments)
    )
    return replace(pairs, row=of_segment, judge=of_judge), difference
