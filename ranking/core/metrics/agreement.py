"""Agreement of metrics with human judgments: figures for systems and segments, with intervals, for several metrics at
once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np

from ranking.core.arrays import BoolArray, FloatArray
from ranking.core.beside import (
    FEWEST_SYSTEMS,
    Estimate,
    Unit,
    kendall_tau_b,
    pearson,
    spearman,
)
from ranking.core.counting.resampling import segment_keys
from ranking.core.diagnosis.correlation import kendall_influenced
from ranking.core.metrics.evidence import (
    Drawing,
    difference_spread,
    flipped_p_values,
    normal_p_values,
    pair_differences,
    ratios,
    resampled_means,
    resampled_p_values,
    soft_pairwise_accuracy,
)
from ranking.core.metrics.pairs import (
    Figure,
    Pairs,
    calibrated,
    is_right,
    right_on_folds,
    tau_by_segment,
    taus,
)
from ranking.core.metrics.people import Metric, People
from ranking.core.scores import TIE_DECIMALS

#: A figure of the scores of people and of a metric, of shape (..., n) each.
Measure = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True, eq=False, kw_only=True)
class Agreement:
    """The agreement of a metric, of people among themselves, or of chance with people.

    Attributes
    ----------
    systems, segments : mapping of str to Estimate
        Figures by name. Of systems: pearson, spearman, kendall, pairwise (accuracy), pairwise_separated, soft_pairwise (SPA).
        Of segments, from scores: pearson, kendall_by_segment, kendall_by_system, kendall_pooled; from rankings: tau_wmt12,
        tau_wmt13, tau_wmt14; from both: acc_eq, with the threshold of ties tuned on the same pairs, and acc_eq_folds, on
        other segments. Those that cannot be computed are left out.
    threshold : float or None
        Of ties, for acc_eq.
    missing : int
        Outputs of judged segments that people compare and the metric does not score.
    outputs : int
        Outputs that people compare.
    """

    systems: Mapping[str, Estimate]
    segments: Mapping[str, Estimate]
    threshold: float | None
    missing: int
    outputs: int


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricAgreement(Agreement):
    """That of a metric, over the systems of `People`."""

    metric: Metric


def pairwise_accuracy(
    human: FloatArray, metric: FloatArray, least: FloatArray | None = None
) -> FloatArray:
    """Return the share of pairs of systems that both order alike, shape (...), for scores of shape (..., n).

    `least`, shape (P,), are the smallest differences of human scores that count, for the pairs of ``np.triu_indices(n, 1)``.
    NaN without pairs, and where a score is NaN.
    """
    by_people, by_metric = (
        np.round(pair_differences(each), TIE_DECIMALS) for each in (human, metric)
    )
    alike = np.sign(by_people) == np.sign(by_metric)
    known = ~np.isnan(by_people + by_metric).any(axis=-1)
    counted = np.ones(alike.shape, bool) if least is None else np.abs(by_people) >= least
    pairs = np.count_nonzero(counted, axis=-1) * known
    return ratios(np.count_nonzero(alike & counted, axis=-1), pairs)


_CORRELATIONS: Mapping[str, Measure] = MappingProxyType(
    {"pearson": pearson, "spearman": spearman, "kendall": kendall_tau_b}
)


def measures_of_systems(systems: int) -> dict[str, Measure]:
    """Return the figures that compare the scores of so many systems and nothing else."""
    return {"pairwise": pairwise_accuracy} | (
        dict(_CORRELATIONS) if systems >= FEWEST_SYSTEMS else {}
    )


def agreement_of_metrics(
    people: People, metrics: Sequence[Metric], *, intervals: bool = True
) -> list[MetricAgreement]:
    """Compare metrics with people.

    Where people score outputs, p-values for soft pairwise accuracy come from sign flips; where they rank them, from resamples.

    Parameters
    ----------
    people : People
    metrics : sequence of Metric
        At least one, over the same n systems.
    intervals : bool
        Whether to compute intervals.

    Returns
    -------
    list of MetricAgreement

    Notes
    -----
    Intervals hold what a figure is on average over campaigns of this size, with other segments and other judges: the variance
    over segments + over judges − that over what a judge judged of a segment (Cameron, Gelbach and Miller 2011), with Student's t.
    Systems are taken as they are.
    """
    compared = np.zeros((len(people.segments), len(people.systems)), dtype=np.bool_)
    compared[people.pairs.row, people.pairs.first] = True
    compared[people.pairs.row, people.pairs.second] = True
    found = []
    of_systems = _system_figures(people, metrics, intervals=intervals)
    for metric, systems in zip(metrics, of_systems, strict=True):
        values = metric.of(people.segments)
        figures, threshold = _segment_figures(people, values)
        found.append(
            MetricAgreement(
                metric=metric,
                systems=systems,
                segments=estimates(figures, people.drawing if intervals else None),
                threshold=threshold,
                missing=int(np.count_nonzero(compared & np.isnan(values))),
                outputs=int(np.count_nonzero(compared)),
            )
        )
    return found


def estimates(figures: Mapping[str, Figure], drawing: Drawing | None) -> dict[str, Estimate]:
    """Return figures with their intervals, without those if `drawing` is None; figures that are NaN are left out."""
    return {
        name: Estimate(each.value, None, None) if drawing is None else each.estimate(drawing)
        for name, each in figures.items()
        if not np.isnan(each.value)
    }


def _system_figures(
    people: People, metrics: Sequence[Metric], *, intervals: bool
) -> Iterator[dict[str, Estimate]]:
    measures = measures_of_systems(len(people.systems))
    # The pairs that humans separate vary as well.
    measures["pairwise_separated"] = partial(pairwise_accuracy, least=people.least_separated)
    resampled = _resampled_scores(metrics, people.drawing)
    softs = _soft_accuracies(people, metrics, resampled)
    for metric, drawn, soft in zip(metrics, resampled, softs, strict=True):
        values = {
            name: float(measure(people.scores, metric.scores)) for name, measure in measures.items()
        } | {"soft_pairwise": soft}
        measured = measures | {"soft_pairwise": partial(_soft_accuracy, people, drawn)}
        yield {
            name: _estimate(people, metric, drawn, value, name, measured[name])
            if intervals
            else Estimate(value, None, None)
            for name, value in values.items()
            if not np.isnan(value)
        }


def _soft_accuracy(
    people: People, drawn: FloatArray, human: FloatArray, metric: FloatArray
) -> FloatArray:
    """Return soft pairwise accuracy of scores, with normal p-values whose standard errors are those of the campaign."""
    return soft_pairwise_accuracy(
        normal_p_values(human, difference_spread(people.resampled["segments"])),
        normal_p_values(metric, difference_spread(drawn)),
    )


def _estimate(
    people: People, metric: Metric, drawn: FloatArray, value: float, name: str, measure: Measure
) -> Estimate:
    def resampled(unit: Unit) -> FloatArray:
        own = drawn if unit == "segments" else np.broadcast_to(metric.scores, drawn.shape)
        return measure(people.resampled[unit], own)

    least = -1.0 if name in _CORRELATIONS else 0.0
    return people.interval(value, resampled, least=least, most=1.0)


def _soft_accuracies(
    people: People, metrics: Sequence[Metric], resampled: Sequence[FloatArray]
) -> list[float]:
    if people.values is None:
        human = resampled_p_values(people.resampled["segments"])
        return [
            float(soft_pairwise_accuracy(human, resampled_p_values(each)))
            if np.ptp(each, axis=0).any()
            else float("nan")
            for each in resampled
        ]
    unknown = np.isnan(people.values)
    scored = [np.where(unknown, np.nan, metric.of(people.segments)) for metric in metrics]
    human, *found = flipped_p_values([people.values, *scored], people.keys, people.drawing)
    return [
        float("nan") if np.isnan(values).all() else float(soft_pairwise_accuracy(human, p))
        for values, p in zip(scored, found, strict=True)
    ]


def _resampled_scores(metrics: Sequence[Metric], drawing: Drawing) -> list[FloatArray]:
    """Return scores of systems in resamples of segments, shape (R, n) for each metric.

    Deviations are those of means over segments, also where a metric scores whole systems otherwise, as BLEU does; without
    scores of segments there are none.
    """
    segments = np.unique(np.concatenate([metric.segments for metric in metrics]))
    values = np.concatenate([metric.of(segments) for metric in metrics], axis=1)
    drawn = resampled_means(values, segment_keys(segments), drawing)
    return [
        metric.scores + np.where(np.isnan(metric.means), 0.0, means - metric.means)
        for metric, means in zip(metrics, np.split(drawn, len(metrics), axis=1), strict=True)
    ]


def _segment_figures(people: People, values: FloatArray) -> tuple[dict[str, Figure], float | None]:
    """Return figures of a metric, from its scores of the judged segments, and the threshold of its ties."""
    pairs = people.pairs
    difference = pairs.differences(values)
    known = ~np.isnan(difference)
    if not known.all():
        pairs, difference = pairs.take(known), difference[known]
    if not len(pairs):
        return {}, None
    order = np.argsort(np.abs(difference))
    threshold, _accuracy = calibrated(pairs.human, difference, pairs.groups, order)
    found = accuracy(pairs, is_right(pairs.human, difference, threshold))
    if people.folds is not None:
        fold = people.folds[pairs.row]
        right = right_on_folds(pairs.human, difference, pairs.weights, fold, order)
        found |= accuracy(pairs, right, "acc_eq_folds")
    if people.values is None:
        return found | taus(pairs, difference), threshold
    found |= _correlations(values, people.values)
    return found | tau_by_segment(pairs, difference), threshold


def accuracy(
    pairs: Pairs, right: BoolArray | FloatArray, name: str = "acc_eq"
) -> dict[str, Figure]:
    """Return the share of pairs that are right."""
    return {name: Figure.of_sums(pairs.weights * right, pairs.weights, pairs.kinds)}


def _correlations(metric: FloatArray, human: FloatArray) -> dict[str, Figure]:
    known = ~np.isnan(metric + human)
    row, _system = np.nonzero(known)
    x, y = human[known], metric[known]
    if not _varies(x) or not _varies(y):
        return {}
    of_x, of_y = ((each - each.mean()) / each.std() for each in (x, y))
    value = float((of_x * of_y).mean())
    apart = (of_x * of_y - value * (of_x**2 + of_y**2) / 2) / len(row)
    pooled = kendall_influenced(x, y)
    found = {
        "pearson": Figure(value, apart, (row,)),
        "kendall_pooled": Figure(pooled.value, pooled.influence / len(row), (row,)),
    }
    by_system = [
        (rows, kendall_influenced(human[rows, system], metric[rows, system]))
        for system in range(human.shape[1])
        if len(rows := np.flatnonzero(known[:, system])) > 1
        and _varies(human[rows, system])
        and _varies(metric[rows, system])
    ]
    if by_system:
        value = float(np.mean([each.value for _rows, each in by_system]))
        moved = [each.influence / (len(rows) * len(by_system)) for rows, each in by_system]
        rows = np.concatenate([rows for rows, _each in by_system])
        found["kendall_by_system"] = Figure(value, np.concatenate(moved), (rows,))
    return found


def _varies(values: FloatArray) -> bool:
    return len(values) > 1 and float(np.ptp(values)) > 0
