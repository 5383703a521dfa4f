"""Agreement of metrics with human judgments: figures for systems and segments, with intervals, for several metrics at
once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import MappingProxyType

import numpy as np

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.beside import (
    FEWEST_SYSTEMS,
    UNITS,
    Estimate,
    Unit,
    estimate,
    kendall_tau_b,
    pearson,
    spearman,
)
from ranking.core.counting.resampling import segment_keys
from ranking.core.metrics.evidence import (
    difference_spread,
    flipped_p_values,
    normal_p_values,
    ratios,
    resampled_means,
    resampled_p_values,
    soft_pairwise_accuracy,
)
from ranking.core.metrics.people import People
from ranking.core.metrics.segments import SegmentFigures
from ranking.core.scores import TIE_DECIMALS

FOLDS = 100
#: A figure of the scores of people and of a metric, of shape (..., n) each.
Measure = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True, eq=False, kw_only=True)
class Metric:
    """The scores of a metric, or of people without judges, for n systems.

    Attributes
    ----------
    name : str
    systems : tuple of str, length n
    segments : int64, shape (S',)
        Numbers of the segments with scores, ascending, whether people judged them or not.
    values : float64, shape (S', n)
        Higher is better; NaN where it has none.
    of_systems : float64, shape (n,)
        Scores of whole systems; NaN for the mean over its segments.
    is_human : bool
    """

    name: str
    systems: tuple[str, ...]
    segments: Int64Array
    values: FloatArray
    of_systems: FloatArray
    is_human: bool = False

    @property
    def scored(self) -> frozenset[str]:
        """Systems with any score."""
        return frozenset(np.array(self.systems)[~np.isnan(self.scores)].tolist())

    def take(self, systems: Sequence[str]) -> Metric:
        """Return the scores of some of the systems."""
        columns = [self.systems.index(name) for name in systems]
        return replace(
            self,
            systems=tuple(systems),
            values=self.values[:, columns],
            of_systems=self.of_systems[columns],
        )

    def within(self, segments: Int64Array) -> Metric:
        """Return the scores of some of the segments; those of systems are means over them."""
        rows = np.isin(self.segments, segments)
        return replace(
            self,
            segments=self.segments[rows],
            values=self.values[rows],
            of_systems=np.full(len(self.systems), np.nan),
        )

    @cached_property
    def means(self) -> FloatArray:
        """Means over segments, shape (n,); NaN for a system without scores of segments."""
        known = ~np.isnan(self.values)
        count = known.sum(axis=0)
        sums = np.where(known, self.values, 0.0).sum(axis=0)
        return ratios(sums, count)

    @property
    def scores(self) -> FloatArray:
        """Scores of systems, shape (n,)."""
        return np.where(np.isnan(self.of_systems), self.means, self.of_systems)

    def of(self, segments: Int64Array) -> FloatArray:
        """Return the scores of some segments, NaN for those without, shape (len(segments), n)."""
        found = np.full((len(segments), self.values.shape[1]), np.nan)
        if len(self.segments):
            place = np.minimum(np.searchsorted(self.segments, segments), len(self.segments) - 1)
            there = self.segments[place] == segments
            found[there] = self.values[place[there]]
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricAgreement:
    """The agreement of one metric with people.

    Attributes
    ----------
    metric : Metric
        Over the systems of `People`.
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

    metric: Metric
    systems: Mapping[str, Estimate]
    segments: Mapping[str, Estimate]
    threshold: float | None
    missing: int
    outputs: int


def pairwise_accuracy(
    human: FloatArray, metric: FloatArray, least: FloatArray | None = None
) -> FloatArray:
    """Return the share of pairs of systems that both order alike, shape (...), for scores of shape (..., n).

    `least`, shape (P,), are the smallest differences of human scores that count, for the pairs of ``np.triu_indices(n, 1)``.
    NaN without pairs, and where a score is NaN.
    """
    first, second = np.triu_indices(human.shape[-1], 1)
    by_people, by_metric = (
        np.round(each[..., first] - each[..., second], TIE_DECIMALS) for each in (human, metric)
    )
    alike = np.sign(by_people) == np.sign(by_metric)
    known = ~np.isnan(by_people + by_metric).any(axis=-1)
    counted = np.ones(alike.shape, bool) if least is None else np.abs(by_people) >= least
    pairs = np.count_nonzero(counted, axis=-1) * known
    right = np.count_nonzero(alike & counted, axis=-1)
    return ratios(right, pairs)


CORRELATIONS: Mapping[str, Measure] = MappingProxyType(
    {"pearson": pearson, "spearman": spearman, "kendall": kendall_tau_b}
)


def agreement_of_metrics(
    people: People,
    metrics: Sequence[Metric],
    *,
    confidence: float = 0.95,
    flips: int = 1000,
    folds: int = FOLDS,
    intervals: bool = True,
    more: bool = True,
) -> list[MetricAgreement]:
    """Compare metrics with people.

    Parameters
    ----------
    people : People
    metrics : sequence of Metric
        Over the same n systems.
    confidence : float
        Of intervals, and of the tests of pairs of systems, between 0 and 1.
    flips : int
        Sign flips for soft pairwise accuracy, where people score outputs. Where they rank them, p-values come from resamples.
    folds : int
        Of segments, for the threshold of ties.
    intervals : bool
        Whether to compute intervals.
    more : bool
        Whether to compute what the shared task's scorer leaves out: Kendall's τ by system and of all outputs, and acc_eq on other
        folds.

    Returns
    -------
    list of MetricAgreement

    Notes
    -----
    Intervals hold what a figure is on average over campaigns of this size, with other segments and other judges: the variance
    over segments + over judges − that over what a judge judged of a segment (Cameron, Gelbach and Miller 2011), with Student's t.
    Systems are taken as they are.
    """
    of_systems = _SystemFigures(
        people, metrics, confidence=confidence, flips=flips, intervals=intervals
    )
    of_segments = SegmentFigures(
        people, confidence=confidence, folds=folds if more else 0, intervals=intervals, more=more
    )
    return [
        _agreement(people, metric, of_systems.of(index), of_segments)
        for index, metric in enumerate(metrics)
    ]


def _agreement(
    people: People, metric: Metric, systems: Mapping[str, Estimate], of_segments: SegmentFigures
) -> MetricAgreement:
    values = metric.of(people.segments)
    compared = np.zeros(values.shape, dtype=np.bool_)
    compared[people.pairs.row, people.pairs.first] = True
    compared[people.pairs.row, people.pairs.second] = True
    figures, threshold = of_segments.of(values)
    return MetricAgreement(
        metric=metric,
        systems=systems,
        segments=figures,
        threshold=threshold,
        missing=int(np.count_nonzero(compared & np.isnan(values))),
        outputs=int(np.count_nonzero(compared)),
    )


class _SystemFigures:
    """Figures of systems of all metrics, whose scores are resampled together."""

    def __init__(
        self,
        people: People,
        metrics: Sequence[Metric],
        *,
        confidence: float,
        flips: int,
        intervals: bool,
    ) -> None:
        self._people = people
        self._metrics = metrics
        self._confidence = confidence
        self._intervals = intervals
        self._least = people.least_separated(confidence)
        self._resampled = resampled_scores(metrics, resamples=people.resamples, seed=people.seed)
        self._soft = self._soft_accuracies(flips)
        self._spread = difference_spread(people.resampled["segments"])

    def _soft_accuracies(self, flips: int) -> list[float]:
        people = self._people
        if people.values is None:
            human = people.p_values()
            return [
                float(soft_pairwise_accuracy(human, resampled_p_values(each)))
                if np.ptp(each, axis=0).any()
                else float("nan")
                for each in self._resampled
            ]
        unknown = np.isnan(people.values)
        scored = [np.where(unknown, np.nan, metric.of(people.segments)) for metric in self._metrics]
        human, *found = flipped_p_values(
            [people.values, *scored], people.keys, flips=flips, seed=people.seed
        )
        return [
            float("nan") if np.isnan(values).all() else float(soft_pairwise_accuracy(human, p))
            for values, p in zip(scored, found, strict=True)
        ]

    def of(self, index: int) -> dict[str, Estimate]:
        """Return the figures of a metric."""
        found = {"pairwise": self._figure(pairwise_accuracy, index, least=0.0)}
        if len(self._people.systems) >= FEWEST_SYSTEMS:
            found |= {name: self._figure(measure, index) for name, measure in CORRELATIONS.items()}
        # The pairs that humans separate vary as well.
        separated = partial(pairwise_accuracy, least=self._least)
        found["pairwise_separated"] = self._figure(separated, index, least=0.0)
        soft = self._soft[index]
        if self._intervals and not np.isnan(soft):
            measure = self._soft_measure(index)
            found["soft_pairwise"] = self._figure(measure, index, value=soft, least=0.0)
        else:
            found["soft_pairwise"] = Estimate(soft, None, None)
        return {name: each for name, each in found.items() if not np.isnan(each.value)}

    def _soft_measure(self, index: int) -> Measure:
        """Return soft pairwise accuracy of scores, with normal p-values whose standard errors are those of the campaign."""
        spread = difference_spread(self._resampled[index])

        def measure(human: FloatArray, metric: FloatArray) -> FloatArray:
            return soft_pairwise_accuracy(
                normal_p_values(human, self._spread), normal_p_values(metric, spread)
            )

        return measure

    def _figure(
        self, measure: Measure, index: int, *, value: float | None = None, least: float = -1.0
    ) -> Estimate:
        people, scores = self._people, self._metrics[index].scores
        found = float(measure(people.scores, scores)) if value is None else value
        if not self._intervals or np.isnan(found):
            return Estimate(found, None, None)
        resampled: dict[Unit, FloatArray] = {}
        for unit in UNITS:
            drawn = (
                self._resampled[index]
                if unit == "segments"
                else np.broadcast_to(scores, people.resampled[unit].shape)
            )
            resampled[unit] = measure(people.resampled[unit], drawn)
        return estimate(
            found,
            resampled,
            fewest_units=people.fewest_units,
            confidence=self._confidence,
            least=least,
            most=1.0,
        )


def resampled_scores(metrics: Sequence[Metric], *, resamples: int, seed: int) -> list[FloatArray]:
    """Return scores of systems in resamples of segments, shape (R, n) for each metric.

    Deviations are those of means over segments, also where a metric scores whole systems otherwise, as BLEU does; without
    scores of segments there are none.
    """
    groups: dict[bytes, list[int]] = {}
    for index, metric in enumerate(metrics):
        groups.setdefault(metric.segments.tobytes(), []).append(index)
    found: list[FloatArray] = [np.zeros(0)] * len(metrics)
    for members in groups.values():
        segments = metrics[members[0]].segments
        values = np.concatenate([metrics[index].values for index in members], axis=1)
        drawn = resampled_means(values, segment_keys(segments), resamples=resamples, seed=seed)
        for index, means in zip(members, np.split(drawn, len(members), axis=1), strict=True):
            metric = metrics[index]
            apart = np.where(np.isnan(metric.means), 0.0, means - metric.means)
            found[index] = metric.scores + apart
    return found
