"""Systems in the order of a metric beside that of people: ranges, contradictions, and segments where both differ most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np

from ranking.core.arrays import BoolArray, FloatArray, Int64Array
from ranking.core.beside import UNITS, Estimate, Unit, estimate
from ranking.core.counting.resampling import segment_keys
from ranking.core.metrics.people import People
from ranking.core.metrics.texts import (
    ERROR_RATES,
    Range,
    known_sums,
    metric_values,
    rate_difference,
    rate_range,
    resampled_range,
    resampled_values,
)
from ranking.core.scores import EQUAL_WITHIN

#: Method for ranges: ratio estimator, resampling of segments, spread of segment scores, or none.
RangeKind = Literal["exact", "resampled", "mean", "none"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredOutputs:
    """Scores that a metric gives the outputs of n systems for S segments; row r is segment r + 1.

    Attributes
    ----------
    name : str
        By which callers know it.
    systems : tuple of str, length n
    values : float64, shape (S, n)
        Scores of outputs; NaN where there is none.
    of_systems : float64, shape (n,)
        Scores of systems that are not means of `values`; NaN where there is none.
    sign : float
        −1 if lower is better.
    metric : str
        Of texts a key of `ranking.core.metrics.texts.TEXT_METRICS`, otherwise empty.
    statistics : float64, shape (n, S, k), or None
        Of texts.
    """

    name: str
    systems: tuple[str, ...]
    values: FloatArray
    of_systems: FloatArray
    sign: float = 1.0
    metric: str = ""
    statistics: FloatArray | None = None


@dataclass(frozen=True, slots=True)
class MetricRow:
    """A system by a metric.

    Attributes
    ----------
    system : str
    value : Range or None
        None where the metric has no score of it.
    rank, rank_low, rank_high : int or None
        1 for the best. The range leaves room for all systems that do not differ significantly, pair by pair.
    missing : int
        Chosen segments without a score.
    """

    system: str
    value: Range | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    missing: int


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A pair that people separate and a metric orders the other way round.

    Attributes
    ----------
    metric, better, worse : str
        The better system is that by people.
    by_people : Estimate
        Difference of the scores that people give the two.
    difference : Range
        Of the metric, the better one minus the worse one, in the metric's own direction.
    is_separated : bool
        Whether the metric's range of the difference leaves 0 out.
    """

    metric: str
    better: str
    worse: str
    by_people: Estimate
    difference: Range
    is_separated: bool


@dataclass(frozen=True, slots=True)
class Discord:
    """A segment where a metric and people differ.

    Attributes
    ----------
    segment : int
    better, worse : str
        By people.
    by_people : float
        By how much, in standard deviations of such differences.
    by_metric : float
        The same for the metric; below 0, as it prefers the other.
    """

    segment: int
    better: str
    worse: str
    by_people: float
    by_metric: float


@dataclass(frozen=True, eq=False)
class MetricOrder:
    """A metric beside people.

    Attributes
    ----------
    name : str
    range_kind : str
    segments : int
        Chosen segments with a score of any system; 0 where it scores systems alone.
    rows : tuple of MetricRow
        Best first, then those without a score.
    agreeing : int
        Pairs that people separate and the metric orders alike.
    contradictions : tuple of Contradiction
    discords : tuple of Discord
        The largest first, one for a segment.
    """

    name: str
    range_kind: RangeKind
    segments: int
    rows: tuple[MetricRow, ...]
    agreeing: int
    contradictions: tuple[Contradiction, ...]
    discords: tuple[Discord, ...]


@dataclass(frozen=True, eq=False)
class _Preferences:
    """P preferences of people: how much better one output of a segment is than another, on average over judges.

    `segment`, `one` and `other` (indices of systems) and `by` are of shape (P,).
    """

    segment: Int64Array
    one: Int64Array
    other: Int64Array
    by: FloatArray


@dataclass(frozen=True, slots=True)
class PlacedByPeople:
    """A system by people; the range of its rank leaves room for all systems that people do not tell from it."""

    system: str
    score: Estimate
    rank: int
    rank_low: int
    rank_high: int


class HumanOrder:
    """People's scores and preferences, in the form that `metric_order` takes.

    Parameters
    ----------
    people : People
    confidence : float
        Of intervals, and of the tests by which people separate two systems.
    """

    def __init__(self, people: People, *, confidence: float = 0.95) -> None:
        self.people = people
        self._confidence = confidence
        one, other = np.triu_indices(len(people.systems), 1)
        difference = people.scores[one] - people.scores[other]
        apart = np.abs(difference) >= people.least_separated(confidence)
        better, worse = np.where(difference > 0, one, other), np.where(difference > 0, other, one)
        self._separated: list[tuple[int, int]] = sorted(
            zip(better[apart].tolist(), worse[apart].tolist(), strict=True)
        )

    @property
    def separated(self) -> list[tuple[str, str]]:
        """The better and the worse system of each pair that people separate."""
        names = self.people.systems
        return [(names[one], names[other]) for one, other in self._separated]

    def difference(self, better: str, worse: str) -> Estimate:
        """Return by how much people score a system higher than another."""
        one, other = (self.people.systems.index(name) for name in (better, worse))
        scores, resampled = self.people.scores, self.people.resampled
        return self._estimate(
            float(scores[one] - scores[other]),
            {unit: resampled[unit][:, one] - resampled[unit][:, other] for unit in UNITS},
        )

    def order(self) -> list[PlacedByPeople]:
        """Return the systems, best first."""
        scores, resampled = self.people.scores, self.people.resampled
        return [
            PlacedByPeople(
                system=self.people.systems[index],
                score=self._estimate(
                    float(scores[index]), {unit: resampled[unit][:, index] for unit in UNITS}
                ),
                rank=1 + int(np.count_nonzero(scores > scores[index] + EQUAL_WITHIN)),
                rank_low=1 + sum(worse == index for _better, worse in self._separated),
                rank_high=len(scores) - sum(better == index for better, _worse in self._separated),
            )
            for index in np.argsort(-scores, kind="stable").tolist()
        ]

    def _estimate(self, value: float, resampled: Mapping[Unit, FloatArray]) -> Estimate:
        return estimate(
            value, resampled, fewest_units=self.people.fewest_units, confidence=self._confidence
        )

    @cached_property
    def preferences(self) -> _Preferences:
        """Return the share of comparisons won less that lost if outputs are ranked, otherwise differences of scores."""
        pairs, n = self.people.pairs, len(self.people.systems)
        if self.people.values is not None:
            by = pairs.differences(self.people.values)
            one, other = (each.astype(np.int64) for each in (pairs.first, pairs.second))
            return _Preferences(self.people.segments[pairs.row], one, other, by)
        is_first = pairs.first < pairs.second
        one = np.where(is_first, pairs.first, pairs.second).astype(np.int64)
        other = np.where(is_first, pairs.second, pairs.first)
        keys, place = np.unique((pairs.row * np.int64(n) + one) * n + other, return_inverse=True)
        total = np.bincount(place, weights=np.where(is_first, pairs.human, -pairs.human))
        return _Preferences(
            segment=self.people.segments[keys // (n * n)],
            one=keys // n % n,
            other=keys % n,
            by=total / np.bincount(place),
        )


def metric_order(
    metric: ScoredOutputs,
    people: HumanOrder,
    *,
    segments: BoolArray | None = None,
    most: int = 10,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> MetricOrder:
    """Compare a metric with human rankings.

    Parameters
    ----------
    metric : ScoredOutputs
        Of S segments.
    people : HumanOrder
    segments : bool, shape (S,), optional
        Segments of the metric to use; all if not given.
    most : int
        Maximum number of discords returned.
    resamples, confidence, seed
        Of ranges. Segments have the weights that they have in human rankings of the same seed.
    """
    chosen = np.ones(len(metric.values), dtype=bool) if segments is None else segments
    ranged = _Ranges(metric, chosen, resamples=resamples, confidence=confidence, seed=seed)
    contradictions, agreeing = [], 0
    for better, worse in people.separated:
        difference = ranged.difference(better, worse)
        if difference is None:
            continue
        if metric.sign * difference.value > EQUAL_WITHIN:
            agreeing += 1
        elif metric.sign * difference.value < -EQUAL_WITHIN:
            contradictions.append(
                Contradiction(
                    metric.name,
                    better,
                    worse,
                    people.difference(better, worse),
                    difference,
                    is_separated=_leaves_out_0(difference),
                )
            )
    return MetricOrder(
        name=metric.name,
        range_kind=ranged.kind,
        segments=int((~np.isnan(metric.values[chosen])).any(axis=1).sum()),
        rows=tuple(ranged.rows()),
        agreeing=agreeing,
        contradictions=tuple(contradictions),
        discords=_discords(metric, people, chosen, most),
    )


def _leaves_out_0(found: Range) -> bool:
    return found.low is not None and found.high is not None and not found.low <= 0 <= found.high


class _Ranges:
    """Values of a metric on the chosen segments, and differences, with their ranges."""

    def __init__(
        self,
        metric: ScoredOutputs,
        chosen: BoolArray,
        *,
        resamples: int,
        confidence: float,
        seed: int,
    ) -> None:
        self._metric, self._confidence = metric, confidence
        self._place = {system: index for index, system in enumerate(metric.systems)}
        self._scale, self._resampled = 1.0, np.zeros((len(metric.systems), 0))
        scores = metric.values[chosen]
        self._missing = np.isnan(scores).sum(axis=0).tolist()
        if metric.statistics is None:
            # A mean is a ratio of sums, too: of scores over ones.
            self._statistics = np.stack([scores.T, np.ones_like(scores.T)], axis=-1)
            means = metric_values("mean", known_sums(self._statistics)) / 100
            given = metric.of_systems if chosen.all() else np.full_like(means, np.nan)
            is_mean = np.isnan(given) | np.isclose(given, means, rtol=1e-4, atol=1e-6)
            self._values = np.where(np.isnan(given), means, given)
            self.kind: RangeKind = "mean" if len(scores) and is_mean.all() else "none"
            return
        self._statistics = metric.statistics[:, chosen]
        self._values = metric_values(metric.metric, known_sums(self._statistics))
        if metric.metric in ERROR_RATES:
            self.kind, self._scale = "exact", 100.0
            return
        self.kind = "resampled"
        self._resampled = resampled_values(
            metric.metric,
            self._statistics,
            segment_keys(np.flatnonzero(chosen) + 1),
            resamples=resamples,
            seed=seed,
        )

    def value(self, system: str) -> Range | None:
        """Return the value of a system."""
        index = self._place[system]
        if self.kind in ("exact", "mean"):
            return rate_range(
                self._statistics[index], confidence=self._confidence, scale=self._scale
            )
        return self._range(self._values[index], self._resampled[index])

    def difference(self, one: str, other: str) -> Range | None:
        """Return the value of a system minus that of another, on the segments that both have; None if one has none."""
        if one not in self._place or other not in self._place:
            return None
        first, second = self._place[one], self._place[other]
        if self.kind in ("exact", "mean"):
            return rate_difference(
                *(self._statistics[first], self._statistics[second]),
                confidence=self._confidence,
                scale=self._scale,
            )
        return self._range(
            self._values[first] - self._values[second],
            self._resampled[first] - self._resampled[second],
        )

    def _range(self, value: float, resampled: FloatArray) -> Range | None:
        if np.isnan(value):
            return None
        return resampled_range(float(value), resampled, confidence=self._confidence)

    def rows(self) -> Iterator[MetricRow]:
        """Yield the systems, best first; those without a score last."""
        values = {system: self.value(system) for system in self._metric.systems}
        known = {system: found for system, found in values.items() if found is not None}
        signs = {pair: self._sign(*pair) for pair in combinations(known, 2)}
        signs |= {(other, one): -sign for (one, other), sign in signs.items()}
        sign = self._metric.sign
        for system in sorted(known, key=lambda name: (-sign * known[name].value, name)):
            own = sign * known[system].value
            others = [signs[system, other] for other in known if other != system]
            has_range = known[system].low is not None
            yield MetricRow(
                system=system,
                value=known[system],
                rank=1 + sum(sign * each.value > own + EQUAL_WITHIN for each in known.values()),
                rank_low=1 + others.count(-1) if has_range else None,
                rank_high=len(known) - others.count(1) if has_range else None,
                missing=self._missing[self._place[system]],
            )
        for system in sorted(values.keys() - known.keys()):
            yield MetricRow(system, None, None, None, None, self._missing[self._place[system]])

    def _sign(self, one: str, other: str) -> int:
        """Return 1 if a system is significantly better than another, −1 if worse, 0 if neither."""
        found = self.difference(one, other)
        if found is None or not _leaves_out_0(found):
            return 0
        return 1 if self._metric.sign * found.value > 0 else -1


def _discords(
    metric: ScoredOutputs, people: HumanOrder, chosen: BoolArray, most: int
) -> tuple[Discord, ...]:
    preferred, systems = people.preferences, people.people.systems
    place = {system: index for index, system in enumerate(metric.systems)}
    column = np.array([place.get(system, -1) for system in systems], dtype=np.int64)
    row = preferred.segment - 1
    there = (row < len(chosen)) & (column[preferred.one] >= 0) & (column[preferred.other] >= 0)
    there[there] &= chosen[row[there]]
    rows = np.flatnonzero(there)
    values = metric.sign * metric.values
    by_metric = (
        values[row[rows], column[preferred.one[rows]]]
        - values[row[rows], column[preferred.other[rows]]]
    )
    rows, by_metric = rows[~np.isnan(by_metric)], by_metric[~np.isnan(by_metric)]
    by_people = preferred.by[rows]
    scales = [
        float(np.sqrt(np.mean(each**2))) if len(each) else 0.0 for each in (by_people, by_metric)
    ]
    if not all(scales):
        return ()
    by_people, by_metric = by_people / scales[0], by_metric / scales[1]
    found: dict[int, Discord] = {}
    for index in np.argsort(by_people * by_metric, kind="stable").tolist():
        if len(found) == most or by_people[index] * by_metric[index] >= 0:
            break
        sign = 1.0 if by_people[index] > 0 else -1.0
        pair = preferred.one[rows[index]], preferred.other[rows[index]]
        better, worse = (systems[each] for each in (pair if sign > 0 else pair[::-1]))
        segment = int(preferred.segment[rows[index]])
        found.setdefault(
            segment,
            Discord(
                segment,
                better,
                worse,
                sign * float(by_people[index]),
                sign * float(by_metric[index]),
            ),
        )
    return tuple(found.values())
