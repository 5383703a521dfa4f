"""Meta-evaluation of metrics: agreement with people, ceiling and floor, tests between metrics, and groups of segments."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final, Literal, NamedTuple, NotRequired, TypedDict

import numpy as np

from ranking.core.arrays import FloatArray, Int32Array, Int64Array, share
from ranking.core.beside import NO_TIME, JudgedTask, OutputScores
from ranking.core.counting.counts import Layout, counts_of_units
from ranking.core.counting.resampling import bootstrap_wins
from ranking.core.diagnosis.correlation import kendall_influenced, order_balance
from ranking.core.estimates import FEWEST_SYSTEMS, MEASURES, UNITS, Estimate, Unit
from ranking.core.grouping import distinct_pairs, sums_by_cell
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.shares import expected_wins
from ranking.core.metrics import figures
from ranking.core.metrics.comparing import (
    ComparedMetric,
    ComparedPair,
    SoftAccuracy,
    comparison_of_metrics,
)
from ranking.core.metrics.figures import Drawing, Figure, Pairs
from ranking.core.metrics.people import Metric, NothingComparedError, People
from ranking.core.metrics.prediction_powered import predicted_scores
from ranking.core.scores import TIE_DECIMALS

#: Function that computes a figure from the scores of people and of a metric, each of shape (...,
#: n).
Measure = Callable[[FloatArray, FloatArray], FloatArray]


class Agreement(TypedDict):
    """The agreement of a metric, of people among themselves, or of chance with people.

    Attributes
    ----------
    systems, segments : dict of str to Estimate
        Figures by name, without those that cannot be computed. For systems: pearson, spearman, kendall, pairwise (accuracy),
        pairwise_separated, soft_pairwise (SPA), and for metrics judgments_saved. For segments, from scores: pearson,
        kendall_by_segment, kendall_by_system, kendall_pooled; from rankings: tau_wmt12, tau_wmt13, tau_wmt14; from both:
        acc_eq, with the threshold of ties tuned on the same pairs, and acc_eq_folds, on other segments.
    threshold : float or None
        Threshold of ties, for acc_eq.
    missing : int
        Outputs of judged segments that people compare and the metric does not score.
    outputs : int
        Outputs that people compare.
    common : int or None
        Number of segments that figures of systems use, if the metric does not score all systems on all its segments.
    unjudged : int
        Segments that the metric scores and people did not judge.
    """

    systems: dict[str, Estimate]
    segments: dict[str, Estimate]
    threshold: float | None
    missing: int
    outputs: int
    common: NotRequired[int | None]
    unjudged: NotRequired[int]


class NamedAgreement(Agreement):
    """The agreement of a metric, with its name, kind, and scores of systems.

    `doubt` is the reason to doubt the metric's direction, which reports add.
    """

    metric: str
    is_human: bool
    is_machine: bool
    scores: dict[str, float | None]
    doubt: NotRequired[str]


class GroupAgreement(TypedDict):
    """Number of segments of a group, and agreements by metric."""

    group: str
    segments: int
    metrics: dict[str, Agreement]


#: Scores of systems by people; numbers of segments, of pairs, of outputs of these segments, and of those without a score
#: (0 for rankings); `People.common`; and the kind of judgments.
PeopleSummary = TypedDict(
    "PeopleSummary",
    {
        "systems": dict[str, float | None],
        "segments": int,
        "pairs": int,
        "missing": int,
        "outputs": int,
        "common": int | None,
        "from": Literal["rankings", "scores"],
    },
)


class MetaEvaluation(TypedDict):
    """Metrics compared with people.

    Attributes
    ----------
    people : PeopleSummary
    metrics : list of NamedAgreement
        In the order given.
    left_out : list of str
        Metrics that score fewer than two of the systems compared by people.
    ceiling, floor : Agreement or None
        The floor is None without metrics.
    clusters, wmt_clusters, tests
        See `MetricComparison`; for metrics that score all systems.
    groups : list of GroupAgreement
        Without metrics with too few scores in a group.
    """

    people: PeopleSummary
    metrics: list[NamedAgreement]
    left_out: list[str]
    ceiling: Agreement | None
    floor: Agreement | None
    clusters: dict[str, dict[str, int]]
    wmt_clusters: dict[str, dict[str, int]]
    tests: list[ComparedPair]
    groups: list[GroupAgreement]


def pairwise_accuracy(
    human: FloatArray,
    metric: FloatArray,
    least: FloatArray | float = 0.0,
) -> FloatArray:
    """Return the share of pairs of systems that both put in the same order, shape (...), for scores
    of shape (..., n).

    `least`, shape (P,), has the minimum differences of human scores that count, for the pairs of
    ``np.triu_indices(n, 1)``. NaN without pairs, and where a score is NaN.
    """
    by_people = np.round(figures.pair_differences(human), TIE_DECIMALS)
    by_metric = np.round(figures.pair_differences(metric), TIE_DECIMALS)
    is_alike = np.sign(by_people) == np.sign(by_metric)
    is_known = ~np.isnan(by_people + by_metric).any(axis=-1)
    is_counted = np.abs(by_people) >= least
    pairs = np.count_nonzero(is_counted, axis=-1)
    alike = np.count_nonzero(is_alike & is_counted, axis=-1)
    return share(alike, pairs * is_known)


def _measures(systems: int) -> dict[str, Measure]:
    """Return the measures that need only systems' scores, for this number of systems."""
    measures: dict[str, Measure] = {"pairwise": pairwise_accuracy}
    if systems >= FEWEST_SYSTEMS:
        measures.update(MEASURES)
    return measures


def agreement_of_metric(
    people: People,
    metric: Metric,
    *,
    intervals: bool = True,
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
    has_score = ~np.isnan(metric.values).all(axis=1)
    is_unjudged = ~np.isin(metric.segments[has_score], people.segments)
    is_compared = np.zeros(values.shape, dtype=np.bool_)
    is_compared[pairs.row, pairs.first] = True
    is_compared[pairs.row, pairs.second] = True
    is_missing = is_compared & np.isnan(values)
    segments, threshold = _segment_figures(people, values, intervals=intervals)
    systems = _system_figures(people, common, values, intervals=intervals)
    if systems and intervals:
        saved = predicted_scores(people, metric).judgments_saved(people.drawing)
        if saved.low is not None:
            systems["judgments_saved"] = saved
    common_segments = None
    if common is not metric:
        common_segments = len(common.segments)
    return {
        "systems": systems,
        "segments": segments,
        "threshold": threshold,
        "missing": int(np.count_nonzero(is_missing)),
        "outputs": int(np.count_nonzero(is_compared)),
        "common": common_segments,
        "unjudged": int(np.count_nonzero(is_unjudged)),
    }


def _system_figures(
    people: People,
    metric: Metric,
    values: FloatArray,
    *,
    intervals: bool,
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
        pairwise_accuracy,
        least=people.least_separated,
    )
    value_by_name = {}
    for name, measure in measures.items():
        value_by_name[name] = float(measure(people.scores, metric.scores))
    soft_pairwise = figures.soft_pairwise_accuracy(people.p_values, p_values)
    value_by_name["soft_pairwise"] = float(soft_pairwise)
    if intervals:
        # Resamples have no p-values of their own: those of normal distributions stand in for them.
        measures["soft_pairwise"] = SoftAccuracy(
            human_spread=figures.difference_spread(people.resampled["segments"]),
            metric_spread=figures.difference_spread(drawn),
        )
    estimates = {}
    for name, value in value_by_name.items():
        if np.isnan(value):
            continue
        if not intervals:
            estimates[name] = Estimate(value, None, None)
            continue
        resampled = _resampled_measure(measures[name], people, metric.scores, drawn)
        least = _least_value(name)
        estimates[name] = people.interval(value, resampled, least=least, most=1.0)
    return estimates


def _resampled_measure(
    measure: Measure,
    people: People,
    scores: FloatArray,
    drawn: FloatArray,
) -> dict[Unit, FloatArray]:
    """Return a measure in resamples of each unit; only those of segments change the metric's scores."""
    resampled: dict[Unit, FloatArray] = {}
    for unit, human in people.resampled.items():
        if unit == "segments":
            resampled[unit] = measure(human, drawn)
        else:
            resampled[unit] = measure(human, scores)
    return resampled


def _least_value(figure: str) -> float:
    """Return the smallest possible value of a figure of systems: −1 for correlations, 0 for accuracies."""
    if figure in MEASURES:
        return -1.0
    return 0.0


#: Shares among the figures of segments; the others are correlations.
_ACCURACIES: Final = frozenset({"acc_eq", "acc_eq_folds"})


def _estimates(
    figures_by_name: Mapping[str, Figure],
    drawing: Drawing | None,
) -> dict[str, Estimate]:
    """Return figures with intervals, or without if `drawing` is None; figures that are NaN are left
    out.
    """
    estimates = {}
    for name, figure in figures_by_name.items():
        if np.isnan(figure.value):
            continue
        if drawing is None:
            estimates[name] = Estimate(figure.value, None, None)
        else:
            least = 0.0 if name in _ACCURACIES else -1.0
            estimates[name] = figure.estimate(drawing, least=least)
    return estimates


def _segment_figures(
    people: People,
    values: FloatArray,
    *,
    intervals: bool,
) -> tuple[dict[str, Estimate], float | None]:
    """Return figures of a metric, from its scores of the judged segments, and its threshold for
    ties.
    """
    pairs = people.pairs
    difference = pairs.differences(values)
    is_known = ~np.isnan(difference)
    if not is_known.all():
        pairs = pairs.take(is_known)
        difference = difference[is_known]
    if not len(pairs):
        return {}, None
    order = np.argsort(np.abs(difference))
    threshold, _best = figures.calibrated(pairs, difference, order)
    right = figures.is_right(pairs.human, difference, threshold)
    figures_by_name = {"acc_eq": pairs.accuracy(right)}
    if people.folds is not None:
        fold = people.folds[pairs.row]
        right_on_folds = figures.right_on_folds(pairs, difference, fold, order)
        figures_by_name["acc_eq_folds"] = pairs.accuracy(right_on_folds)
    if people.values is None:
        figures_by_name.update(figures.taus(pairs, difference))
    else:
        figures_by_name.update(_correlations(values, people.values))
        figures_by_name.update(figures.tau_by_segment(pairs, difference))
    drawing = None
    if intervals:
        drawing = people.drawing
    return _estimates(figures_by_name, drawing), threshold


def _correlations(metric: FloatArray, human: FloatArray) -> dict[str, Figure]:
    is_known = ~np.isnan(metric + human)
    row, system = np.nonzero(is_known)
    x = human[is_known]
    y = metric[is_known]
    if not _varies(x) or not _varies(y):
        return {}
    pooled = kendall_influenced(x, y)
    figures_by_name = {
        "pearson": _pearson(x, y, row),
        "kendall_pooled": Figure(
            value=pooled.value,
            influence=pooled.influence / len(row),
            kinds=(row,),
        ),
    }
    varied = []
    for number in range(is_known.shape[1]):
        own = np.flatnonzero(system == number)
        if _varies(x[own]) and _varies(y[own]):
            varied.append(own)
    if not varied:
        return figures_by_name
    balance = order_balance(x, y, system)
    values = []
    influences = []
    for own in varied:
        tau = kendall_influenced(x[own], y[own], balance[own])
        terms = len(own) * len(varied)
        values.append(tau.value)
        influences.append(tau.influence / terms)
    figures_by_name["kendall_by_system"] = Figure(
        value=float(np.mean(values)),
        influence=np.concatenate(influences),
        kinds=(row[np.concatenate(varied)],),
    )
    return figures_by_name


def _pearson(x: FloatArray, y: FloatArray, row: Int64Array) -> Figure:
    """Return Pearson's correlation of pairs of scores, with the segment row of each pair."""
    standard_x = (x - x.mean()) / x.std()
    standard_y = (y - y.mean()) / y.std()
    product = standard_x * standard_y
    value = float(product.mean())
    squares = standard_x**2 + standard_y**2
    influence = (product - value * squares / 2) / len(row)
    return Figure(value, influence, (row,))


def _no_progress(_completed: int, _of: int) -> None:
    """Report nothing."""


def _varies(values: FloatArray) -> bool:
    return len(values) > 1 and float(np.ptp(values)) > 0


Progress = Callable[[int, int], None]
_RANDOM_METRICS = 20
#: Approximate maximum number of pairs of outputs for computing the floor.
_MOST_PAIRS = 400_000
_SPLITS = 200
#: Number of these splits whose figures are resampled for intervals.
_RESAMPLED_SPLITS = 10


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
    progress: Progress = _no_progress,
) -> MetaEvaluation:
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

    Raises
    ------
    NothingComparedError
        If people compare no two systems.
    """
    people = side()
    segments_by_group = groups or {}
    if judged_only:
        metrics = _restrict_metrics(metrics, people.segments)
    steps = 4 + len(segments_by_group)
    agreements = _agreements(side, people, metrics)
    progress(1, steps)
    compared = _scoring_all_systems(people, agreements)
    between = comparison_of_metrics(people, compared)
    progress(2, steps)
    lowest = None
    if metrics:
        lowest = floor(_sample_segments(side, people))
    progress(3, steps)
    highest = ceiling(people, ratings)
    by_group = []
    for step, (name, segments) in enumerate(segments_by_group.items(), 5):
        with suppress(NothingComparedError):
            by_group.append(_group_agreement(side, metrics, name, segments))
        progress(step, steps)
    progress(steps, steps)
    agreeing = {metric.name for metric, _agreement in agreements}
    return {
        "people": _summary(people),
        "metrics": [
            _named_agreement(metric, agreement) for metric, agreement in agreements
        ],
        "left_out": [metric.name for metric in metrics if metric.name not in agreeing],
        "ceiling": highest,
        "floor": lowest,
        "clusters": between.clusters,
        "wmt_clusters": between.wmt_clusters,
        "tests": between.pairs,
        "groups": by_group,
    }


def _summary(people: People) -> PeopleSummary:
    kind: Literal["rankings", "scores"] = "scores"
    if people.values is None:
        kind = "rankings"
    return {
        "systems": _scores_by_system(people.systems, people.scores),
        "segments": len(people.segments),
        "pairs": len(people.pairs),
        "missing": people.missing,
        "outputs": len(people.segments) * len(people.systems),
        "common": people.common,
        "from": kind,
    }


def _named_agreement(metric: Metric, agreement: Agreement) -> NamedAgreement:
    scores = metric.on_common_segments.scores
    return {
        "metric": metric.name,
        "is_human": metric.is_human,
        "is_machine": metric.is_machine,
        "systems": agreement["systems"],
        "segments": agreement["segments"],
        "threshold": agreement["threshold"],
        "missing": agreement["missing"],
        "outputs": agreement["outputs"],
        "common": agreement["common"],
        "unjudged": agreement["unjudged"],
        "scores": _scores_by_system(metric.systems, scores),
    }


def _group_agreement(
    side: Side,
    metrics: Sequence[Metric],
    name: str,
    segments: Int64Array,
) -> GroupAgreement:
    people = side(segments=segments)
    within = _restrict_metrics(metrics, segments)
    agreements = {}
    for metric, agreement in _agreements(side, people, within, segments):
        agreements[metric.name] = agreement
    return {"group": name, "segments": len(people.segments), "metrics": agreements}


def _restrict_metrics(metrics: Sequence[Metric], segments: Int64Array) -> list[Metric]:
    return [metric.within(segments) for metric in metrics]


def _scores_by_system(
    systems: Sequence[str],
    scores: FloatArray,
) -> dict[str, float | None]:
    """Return scores by system; None where there is none."""
    score_by_system: dict[str, float | None] = {}
    for system, score in zip(systems, scores.tolist(), strict=True):
        if np.isnan(score):
            score_by_system[system] = None
        else:
            score_by_system[system] = score
    return score_by_system


def _scoring_all_systems(
    people: People,
    agreements: Sequence[tuple[Metric, Agreement]],
) -> list[ComparedMetric]:
    compared = []
    for metric, agreement in agreements:
        threshold = agreement["threshold"]
        soft_pairwise = agreement["systems"].get("soft_pairwise")
        if threshold is None or soft_pairwise is None:
            continue
        if metric.systems == people.systems:
            compared.append(ComparedMetric(metric, threshold, soft_pairwise.value))
    return compared


def _agreements(
    side: Side,
    people: People,
    metrics: Sequence[Metric],
    segments: Int64Array | None = None,
) -> list[tuple[Metric, Agreement]]:
    """Return agreements in the order of the metrics, each over the systems that it scores."""
    sides = {people.systems: people}
    agreements = []
    for metric in metrics:
        systems = tuple(name for name in people.systems if name in metric.scored)
        if len(systems) < 2:
            continue
        if systems not in sides:
            sides[systems] = side(systems=systems, segments=segments)
        own_side = sides[systems]
        chosen = metric.take(own_side.systems)
        agreements.append((chosen, agreement_of_metric(own_side, chosen)))
    return agreements


def _sample_segments(side: Side, people: People) -> People:
    """Return people on so many random segments that there are at most about 400,000 pairs of outputs."""
    count = len(people.segments)
    pairs = max(1, len(people.pairs))
    most = max(100, round(count * _MOST_PAIRS / pairs))
    if most >= count:
        return people
    random = np.random.default_rng(people.drawing.seed)
    segments = random.choice(people.segments, most, replace=False)
    return side(segments=np.sort(segments))


def floor(people: People) -> Agreement:
    """Return the figures of random scores: means over 20 metrics of normal deviates, with 95%
    ranges.
    """
    shape = (len(people.segments), len(people.systems))
    floors = []
    for number in range(_RANDOM_METRICS):
        random = np.random.default_rng([people.drawing.seed, number])
        metric = Metric(
            name="random",
            systems=people.systems,
            segments=people.segments,
            values=random.normal(size=shape),
        )
        floors.append(agreement_of_metric(people, metric, intervals=False))
    return {
        "systems": _spread([agreement["systems"] for agreement in floors]),
        "segments": _spread([agreement["segments"] for agreement in floors]),
        "threshold": None,
        "missing": 0,
        "outputs": floors[0]["outputs"],
    }


def _spread(draws: Sequence[Mapping[str, Estimate]]) -> dict[str, Estimate]:
    """Return means, with normal ranges of the draws."""
    spread = {}
    for name in draws[0]:
        drawn = [draw[name].value for draw in draws if name in draw]
        values = np.array(drawn)
        value = float(values.mean())
        reach = 1.96 * float(values.std(ddof=1))
        if "pairwise" in name or "acc_eq" in name:
            least = 0.0
        else:
            least = -1.0
        spread[name] = Estimate(
            value=value,
            low=max(least, value - reach),
            high=min(1.0, value + reach),
        )
    return spread


def ceiling(people: People, ratings: OutputScores | None = None) -> Agreement | None:
    """Return the agreement of people with each other; None if judges are unknown.

    Segment figures compare each judge with the others on outputs that both judged. Ties are those given by judges, so
    no threshold is tuned. System figures compare one half of the judges with the other: means over 200 random splits.
    Metrics are compared with twice as many judgments, so a metric may be better. Intervals are those of
    `agreement_of_metric`, over segments and judges.

    Parameters
    ----------
    people : People
    ratings : OutputScores, optional
        Scores by judge, if people score outputs.
    """
    systems: dict[str, Estimate] = {}
    if people.blocks is not None and people.pairs.judge is not None:
        pairs, difference = _judges_beside_each_other(people.pairs, people.pairs.judge)
        systems = _halves(people, people.blocks)
    elif ratings is not None:
        pairs, difference = _judge_beside_means(ratings)
    else:
        return None
    segments: dict[str, Estimate] = {}
    if len(pairs):
        right = figures.is_right(pairs.human, difference, 0.0)
        figures_by_name = {"acc_eq": pairs.accuracy(right)}
        if pairs.by_segment:
            figures_by_name.update(figures.tau_by_segment(pairs, difference))
            influenced = _influenced_by_means
        else:
            figures_by_name.update(figures.taus(pairs, difference))
            influenced = _influenced_by_both
        for name, figure in figures_by_name.items():
            figures_by_name[name] = influenced(figure)
        segments = _estimates(figures_by_name, people.drawing)
    if not segments and not systems:
        return None
    return {
        "systems": systems,
        "segments": segments,
        "threshold": 0.0,
        "missing": 0,
        "outputs": len(pairs),
    }


def _influenced_by_both(figure: Figure) -> Figure:
    """Return a figure of pairs of judges, in the order of `_judges_beside_each_other`, that both judges of a pair influence."""
    by_other = np.roll(figure.influence, len(figure.influence) // 2)
    return replace(figure, of_judge=figure.influence + by_other)


def _influenced_by_means(figure: Figure) -> Figure:
    """Return a figure of judges beside the means of the others, in which each judge has a part, too.

    The influence of a judge through the means of others is taken to be that of the judge's own scores, as it is for two judges and
    for any mean of products of two judges' scores.
    """
    return replace(figure, of_judge=2 * figure.influence)


def _judges_beside_each_other(
    pairs: Pairs,
    judge: Int32Array,
) -> tuple[Pairs, FloatArray]:
    """Pair each comparison with those of the same outputs by other judges, whose answers become
    differences. The second half of the result has the pairs of the first half in the other direction.
    """
    systems = int(pairs.second.max(initial=0)) + 1
    row = pairs.row.astype(np.int64)
    row_and_first = row * systems + pairs.first
    key = row_and_first * systems + pairs.second
    order = np.argsort(key, kind="stable")
    earlier = [order[:0]]
    later = [order[:0]]
    _keys, judgments = np.unique(key, return_counts=True)
    for distance in range(1, judgments.max(initial=1)):
        before = order[:-distance]
        after = order[distance:]
        is_same_pair = key[before] == key[after]
        is_other_judge = judge[before] != judge[after]
        matched = is_same_pair & is_other_judge
        earlier.append(before[matched])
        later.append(after[matched])
    own = np.concatenate([*earlier, *later])
    other = np.concatenate([*later, *earlier])
    others_answers = pairs.human[other].astype(np.float64)
    return pairs.take(own), others_answers


def _halves(people: People, blocks: Blocks) -> dict[str, Estimate]:
    """Return figures of systems of one half of the judges against the other."""
    layout = Layout(len(people.systems))
    judges, judge_index = np.unique(blocks.judge, return_inverse=True)
    if len(judges) < 2:
        return {}
    counts = counts_of_units(blocks, layout, judge_index, len(judges))
    random = np.random.default_rng(people.drawing.seed)
    in_half = np.zeros((_SPLITS, len(judges)), dtype=np.int64)
    half = len(judges) // 2
    for row in in_half:
        shuffled = random.permutation(len(judges))
        row[shuffled[:half]] = 1
    one = layout.unpack(in_half @ counts)
    other = layout.unpack((1 - in_half) @ counts)
    one_scores = expected_wins(one.wins).values
    other_scores = expected_wins(other.wins).values
    # Half of the judgments have twice the variance.
    spread = figures.difference_spread(people.resampled["segments"]) * np.sqrt(2)
    measures = _measures(len(people.systems))
    measures["soft_pairwise"] = SoftAccuracy(spread, spread)
    resampled = _resampled_halves(people, judge_index, in_half[:_RESAMPLED_SPLITS])
    estimates = {}
    for name, measure in measures.items():
        values = measure(one_scores, other_scores)
        values_known = values[~np.isnan(values)]
        if not len(values_known):
            continue
        drawn: dict[Unit, FloatArray] = {}
        for unit, halves in resampled.items():
            drawn[unit] = _mean_over_splits(measure(halves.one, halves.other))
        estimates[name] = people.interval(
            values_known.mean(),
            drawn,
            least=_least_value(name),
            most=1.0,
        )
    return estimates


class _Halves(NamedTuple):
    """Scores of systems by the judges in one half and by the others, for K splits in R resamples, each of shape (K, R, n)."""

    one: FloatArray
    other: FloatArray


def _resampled_halves(
    people: People,
    judge: Int64Array,
    in_half: Int64Array,
) -> dict[Unit, _Halves]:
    """Return scores in resamples of each unit, with the weights of the human ranking.

    Parameters
    ----------
    people : People
        People who rank outputs.
    judge : int64, shape (B,)
        Judge of each block.
    in_half : int64, shape (K, J)
        1 for the judges in one half, otherwise 0.
    """
    assert people.blocks is not None  # noqa: S101  for the type checker
    task = JudgedTask("people", people.blocks, NO_TIME)
    drawing = people.drawing
    n = len(people.systems)
    shape = (len(in_half), drawing.resamples, n, n)
    resampled: dict[Unit, _Halves] = {}
    for unit in UNITS:
        keyed = task.keyed(unit)
        one = np.zeros(shape, dtype=np.int64)
        other = np.zeros_like(one)
        for index, is_in_half in enumerate(in_half.T == 1):
            own = keyed.take(judge == index)
            wins = bootstrap_wins(own, resamples=drawing.resamples, seed=drawing.seed)
            one[is_in_half] += wins
            other[~is_in_half] += wins
        resampled[unit] = _Halves(_scores_of_splits(one), _scores_of_splits(other))
    return resampled


def _scores_of_splits(wins: Int64Array) -> FloatArray:
    """Return Expected Wins, shape (K, R, n), one split at a time to save memory."""
    return np.stack([expected_wins(wins_of_split).values for wins_of_split in wins])


def _mean_over_splits(values: FloatArray) -> FloatArray:
    """Return the mean of the defined values of each resample, shape (R,), for values of shape (K, R)."""
    is_defined = ~np.isnan(values)
    return share(np.nansum(values, axis=0), is_defined.sum(axis=0))


def _judge_beside_means(ratings: OutputScores) -> tuple[Pairs, FloatArray]:
    """Return pairs by the means of the other judges, and how each judge scores them, on outputs that both scored."""
    _names, judge = np.unique(ratings.judge, return_inverse=True)
    _segments, segment = np.unique(ratings.segment, return_inverse=True)
    # One row for each judge and segment.
    judge_of_row, segment_of_row, row = distinct_pairs(judge, segment)
    systems = len(ratings.systems)
    all_judges = sums_by_cell(
        segment,
        ratings.system,
        ratings.score,
        shape=(int(segment.max()) + 1, systems),
    )
    own = sums_by_cell(
        row,
        ratings.system,
        ratings.score,
        shape=(len(judge_of_row), systems),
    )
    other_sums = all_judges.sums[segment_of_row] - own.sums
    other_counts = all_judges.counts[segment_of_row] - own.counts
    is_shared = (own.counts > 0) & (other_counts > 0)
    other_means = other_sums / np.maximum(1, other_counts)
    own_means = own.sums / np.maximum(1, own.counts)
    pairs = figures.pairs_of_scores(np.where(is_shared, other_means, np.nan))
    difference = pairs.differences(own_means)
    pairs = replace(
        pairs,
        row=segment_of_row[pairs.row].astype(np.int32),
        judge=judge_of_row[pairs.row].astype(np.int32),
    )
    return pairs, difference
