"""Comparison of the orders of systems by a metric and by people: ranges, contradictions, and
segments with the largest differences.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypedDict

import numpy as np

from ranking.core.arrays import BoolArray, FloatArray, as_column
from ranking.core.counting.resampling import segment_keys
from ranking.core.estimates import Estimate
from ranking.core.metrics.figures import Figure
from ranking.core.metrics.people import Metric, People
from ranking.core.metrics.texts import (
    ERROR_RATES,
    Range,
    known_sums,
    metric_values,
    ranged,
    resampled_range,
    resampled_values,
)
from ranking.core.scores import EQUAL_WITHIN

#: Method for ranges: ratio estimator, resampling of segments, spread of segment scores, or none.
RangeKind = Literal["exact", "resampled", "mean", "none"]


#: Kinds of values that are ratios of sums over segments.
_LINEAR = ("exact", "mean")
PLACES = ("rank", "rank_low", "rank_high")
#: A row of plain values by name.


class PeopleRow(TypedDict):
    """A system as ranked by people."""

    system: str
    score: Estimate
    rank: int
    rank_low: int
    rank_high: int


class MetricRow(TypedDict):
    """A system as ranked by a metric.

    Attributes
    ----------
    system : str
    value : Range or None
    rank, rank_low, rank_high : int or None
        The range leaves room for all systems that do not differ significantly, pair by pair.
    missing : int
        Segments without a score.
    """

    system: str
    value: Range | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    missing: int


class MetricContradiction(TypedDict):
    """A pair that people separate and the metric orders the other way round.

    Attributes
    ----------
    metric : str
    better, worse : str
        As people order them.
    by_people : Estimate
        Difference of the scores that people give the two.
    difference : Range or None
        Difference of the metric, the better one minus the worse one, in the metric's own direction.
    is_separated : bool
        Whether the metric's range of it leaves 0 out.
    """

    metric: str
    better: str
    worse: str
    by_people: Estimate
    difference: Range | None
    is_separated: bool


class Discord(TypedDict):
    """A segment on which a metric and people differ.

    Attributes
    ----------
    segment : int
    better, worse : str
        As people order them.
    by_people, by_metric : float
        Differences in units of their root mean square; below 0 for the metric.
    """

    segment: int
    better: str
    worse: str
    by_people: float
    by_metric: float


class MetricOrder(TypedDict):
    """A metric compared with human rankings.

    Attributes
    ----------
    name, signature : str
    is_higher_better : bool
    range_kind : RangeKind
    segments : int
        Segments with a score of any system; 0 where the metric scores systems alone.
    missing : int
        Outputs without a score.
    rows : list of MetricRow
        The systems, best first, then those without a score.
    agreeing : int
        Pairs that people separate and the metric orders alike.
    contradictions : list of MetricContradiction
    discords : list of Discord
        Segments with the largest differences, largest first.
    """

    name: str
    signature: str
    is_higher_better: bool
    range_kind: RangeKind
    segments: int
    missing: int
    rows: list[MetricRow]
    agreeing: int
    contradictions: list[MetricContradiction]
    discords: list[Discord]


def people_order(people: People) -> list[PeopleRow]:
    """Return the systems as ordered by people, best first: system, score, rank, rank_low and
    rank_high.

    The rank range of a system includes all systems that people do not separate from it.
    """
    ranks = _ranks(people.scores, people.better)
    rows: list[PeopleRow] = []
    for index in np.argsort(-people.scores, kind="stable").tolist():
        resampled = {}
        for unit, scores in people.resampled.items():
            resampled[unit] = scores[:, index]
        rank = ranks[index]
        rows.append(
            {
                "system": people.systems[index],
                "score": people.interval(people.scores[index], resampled),
                "rank": rank.rank,
                "rank_low": rank.low,
                "rank_high": rank.high,
            },
        )
    return rows


@dataclass(frozen=True)
class _Rank:
    """Rank of a system, and the first and last rank allowed by significant differences."""

    rank: int
    low: int
    high: int


def _ranks(values: FloatArray, better: BoolArray) -> list[_Rank]:
    """Return the rank of each system; a NaN has no rank."""
    is_behind = as_column(values) > values + EQUAL_WITHIN
    rank = 1 + np.count_nonzero(is_behind, axis=0)
    low = 1 + np.count_nonzero(better, axis=0)
    last = np.count_nonzero(~np.isnan(values))
    high = last - np.count_nonzero(better, axis=1)
    columns = zip(rank.tolist(), low.tolist(), high.tolist(), strict=True)
    return [_Rank(*row) for row in columns]


def metric_order(metric: Metric, people: People, *, most: int = 10) -> MetricOrder:
    """Compare a metric with human rankings.

    Segments have the same weights as in human rankings with the same seed.

    Parameters
    ----------
    metric : Metric
    people : People
    most : int
        Maximum number of discords.
    """
    lacking = np.isnan(metric.values).sum(axis=0).tolist()
    missing_by_system = dict(zip(metric.systems, lacking, strict=True))
    ranges = _Ranges(metric.on_common_segments, people)
    agreeing, contradictions = _agreeing_and_contradicted(metric, people, ranges)
    rows = ranges.rows(missing_by_system)
    missing = metric.missing
    if missing is None:
        missing = sum(row["missing"] for row in rows)
    has_score = ~np.isnan(metric.values)
    return {
        "name": metric.name,
        "signature": metric.signature,
        "is_higher_better": metric.sign > 0,
        "range_kind": ranges.kind,
        "segments": int(has_score.any(axis=1).sum()),
        "missing": missing,
        "rows": rows,
        "agreeing": agreeing,
        "contradictions": contradictions,
        "discords": _discords(metric, people, most),
    }


def _sign(rank_range: Range | None) -> int:
    """Return 1 or −1 if a range excludes 0; 0 if it does not, or is unknown."""
    if rank_range is None or rank_range.low is None or rank_range.high is None:
        return 0
    if rank_range.low <= 0 <= rank_range.high:
        return 0
    if rank_range.value > 0:
        return 1
    return -1


class _Ranges:
    """Values of a metric, and their differences, with ranges."""

    def __init__(self, metric: Metric, people: People) -> None:
        self._metric = metric
        self._drawing = people.drawing
        self._resampled = np.zeros((len(metric.systems), 0))
        if metric.statistics is None:
            # A mean is also a ratio of sums: of scores over ones.
            own = metric.sign * metric.values.T
            self._statistics = np.stack([own, np.ones_like(own)], axis=-1)
            self._values = metric.sign * metric.scores
            self.kind: RangeKind = "none"
            if len(metric.segments) and _is_mean(metric):
                self.kind = "mean"
            return
        self._statistics = metric.statistics
        self._values = metric_values(metric.kind, known_sums(metric.statistics))
        if metric.kind in ERROR_RATES:
            self.kind = "exact"
            self._statistics = metric.statistics[..., :2] * (100.0, 1.0)
            return
        self.kind = "resampled"
        self._resampled = resampled_values(
            name=metric.kind,
            statistics=metric.statistics,
            key=segment_keys(metric.segments),
            drawing=people.drawing,
        )

    def of(self, system: int) -> Range | None:
        """Return the value of a system; None if it has none."""
        if self.kind in _LINEAR:
            return self._linear([system])
        return self._percentile(self._values[system], self._resampled[system])

    def difference(self, one: str, other: str) -> Range | None:
        """Return the difference of two systems' values; None if either has none."""
        systems = self._metric.systems
        return self.between(systems.index(one), systems.index(other))

    def between(self, one: int, other: int) -> Range | None:
        """Return the difference of two systems' values on common segments; None if either has none."""
        if self.kind in _LINEAR:
            return self._linear([one, other])
        difference = self._values[one] - self._values[other]
        drawn = self._resampled[one] - self._resampled[other]
        return self._percentile(difference, drawn)

    def _percentile(self, value: float, drawn: FloatArray) -> Range | None:
        if np.isnan(value):
            return None
        return resampled_range(float(value), drawn, self._drawing.confidence)

    def _linear(self, systems: list[int]) -> Range | None:
        """Return the ratio of a system, or the difference of those of two, by the ratio estimator."""
        statistics = self._statistics[systems]
        is_known = ~np.isnan(statistics).any(axis=(0, 2))
        statistics = statistics[:, is_known]
        units = (np.arange(statistics.shape[1]),)
        ratios = []
        for own in statistics:
            over, under = own.T
            ratios.append(Figure.of_sums(over, under, units))
        figure = ratios[0]
        for ratio in ratios[1:]:
            figure = Figure(
                value=figure.value - ratio.value,
                influence=figure.influence - ratio.influence,
                kinds=units,
            )
        return ranged(figure, self._drawing)

    def rows(self, missing_by_system: Mapping[str, int]) -> list[MetricRow]:
        """Return the systems, best first; those without a score last."""
        systems = self._metric.systems
        sign = self._metric.sign
        n = len(systems)
        values = [self.of(index) for index in range(n)]
        own = np.full(n, np.nan)
        for index, value in enumerate(values):
            if value is not None:
                own[index] = sign * value.value
        better = np.zeros((n, n), dtype=np.bool_)
        for one, other in combinations(range(n), 2):
            direction = sign * _sign(self.between(one, other))
            better[one, other] = direction > 0
            better[other, one] = direction < 0
        ranks = _ranks(own, better)
        rows = []
        descending = np.nan_to_num(-own, nan=np.inf)
        best_first = np.lexsort((systems, descending))
        for index in best_first.tolist():
            system = systems[index]
            missing = missing_by_system[system]
            rows.append(_metric_row(system, values[index], ranks[index], missing))
        return rows


def _is_mean(metric: Metric) -> bool:
    """Return whether scores of systems are means over segments, up to rounding."""
    return np.allclose(
        metric.scores,
        metric.means,
        rtol=1e-4,
        atol=1e-6,
        equal_nan=True,
    )


def _metric_row(
    system: str,
    value: Range | None,
    rank: _Rank,
    missing: int,
) -> MetricRow:
    row: MetricRow = {
        "system": system,
        "value": value,
        "rank": None,
        "rank_low": None,
        "rank_high": None,
        "missing": missing,
    }
    if value is not None:
        row["rank"] = rank.rank
        if value.low is not None:
            row["rank_low"] = rank.low
            row["rank_high"] = rank.high
    return row


def _agreeing_and_contradicted(
    metric: Metric,
    people: People,
    ranges: _Ranges,
) -> tuple[int, list[MetricContradiction]]:
    """Return the number of pairs that people and the metric order alike, and the pairs that it reverses.

    Only pairs that people separate count.
    """
    agreeing = 0
    contradictions = []
    for one, other in np.argwhere(people.better).tolist():
        better = people.systems[one]
        worse = people.systems[other]
        if better not in metric.systems or worse not in metric.systems:
            continue
        difference = ranges.difference(better, worse)
        ahead = 0.0
        if difference is not None:
            ahead = metric.sign * difference.value
        if ahead > EQUAL_WITHIN:
            agreeing += 1
        if ahead < -EQUAL_WITHIN:
            contradictions.append(
                MetricContradiction(
                    metric=metric.name,
                    better=better,
                    worse=worse,
                    by_people=people.difference(one, other),
                    difference=difference,
                    is_separated=_sign(difference) != 0,
                ),
            )
    return agreeing, contradictions


def _discords(metric: Metric, people: People, most: int) -> list[Discord]:
    preferences = people.preferences
    scored = [name for name in people.systems if name in metric.systems]
    columns = [people.systems.index(name) for name in scored]
    values = np.full((len(people.segments), len(people.systems)), np.nan)
    values[:, columns] = metric.take(scored).of(people.segments)
    one_values = values[preferences.row, preferences.one]
    other_values = values[preferences.row, preferences.other]
    difference = one_values - other_values
    rows = np.flatnonzero(~np.isnan(difference))
    # In units of the root mean square of each side.
    sides = np.stack([preferences.preferred[rows], difference[rows]])
    mean_squares = (sides**2).sum(axis=1) / max(1, len(rows))
    scales = np.sqrt(mean_squares)
    if not scales.all():
        return []
    by_people, by_metric = sides / as_column(scales)
    # The most negative products are the largest disagreements.
    product = by_people * by_metric
    discords: dict[int, Discord] = {}
    for index in np.argsort(product, kind="stable").tolist():
        if len(discords) == most or product[index] >= 0:
            break
        position = rows[index]
        better = preferences.one[position]
        worse = preferences.other[position]
        direction = 1.0
        if by_people[index] < 0:
            better, worse = worse, better
            direction = -1.0
        segment = int(people.segments[preferences.row[position]])
        if segment not in discords:
            discords[segment] = {
                "segment": segment,
                "better": people.systems[better],
                "worse": people.systems[worse],
                "by_people": direction * float(by_people[index]),
                "by_metric": direction * float(by_metric[index]),
            }
    return list(discords.values())
