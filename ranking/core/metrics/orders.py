"""Comparison of the orders of systems by a metric and by people: ranges, contradictions, and
segments with the largest differences.
"""

from itertools import combinations
from typing import Any, Literal

import numpy as np

from ranking.core.arrays import BoolArray, FloatArray
from ranking.core.counting.resampling import segment_keys
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


PLACES = ("rank", "rank_low", "rank_high")
#: A system, a pair, or a segment, as plain values by name; figures are an `Estimate`.
Row = dict[str, Any]


def people_order(people: People) -> list[Row]:
    """Return the systems as ordered by people, best first: system, score, rank, rank_low and
    rank_high.

    The rank range of a system includes all systems that people do not separate from it.
    """
    ranks = _ranks(people.scores, people.better)
    rows = []
    for index in np.argsort(-people.scores, kind="stable").tolist():
        drawn = {unit: each[:, index] for unit, each in people.resampled.items()}
        score = people.interval(people.scores[index], drawn)
        row = {"system": people.systems[index], "score": score}
        rows.append(row | dict(zip(PLACES, ranks[index], strict=True)))
    return rows


def _ranks(values: FloatArray, better: BoolArray) -> list[tuple[Any, Any, Any]]:
    """Return each system's rank, and the first and last rank allowed by significant differences;
    NaN has no rank.
    """
    rank = 1 + np.count_nonzero(values[:, np.newaxis] > values + EQUAL_WITHIN, axis=0)
    low = 1 + np.count_nonzero(better, axis=0)
    high = np.count_nonzero(~np.isnan(values)) - np.count_nonzero(better, axis=1)
    return list(zip(rank.tolist(), low.tolist(), high.tolist(), strict=True))


def metric_order(metric: Metric, people: People, *, most: int = 10) -> Row:
    """Compare a metric with human rankings.

    Segments have the same weights as in human rankings with the same seed.

    Returns
    -------
    dict
        name, signature, is_higher_better; range_kind (a `RangeKind`); segments (with a score of any system; 0 where it scores
        systems alone); missing (outputs without a score); agreeing (pairs that people separate and the metric orders alike).

        rows: the systems, best first, then those without a score: system, value (a `Range`, or None), rank, rank_low and
        rank_high (the range leaves room for all systems that do not differ significantly, pair by pair), and missing (segments
        without a score).

        contradictions: pairs that people separate and the metric orders the other way round: metric, better and worse (by
        people), by_people (difference of the scores that people give the two), difference (of the metric, the better one minus
        the worse one, in the metric's own direction), and is_separated (whether the metric's range of it leaves 0 out).

        discords: at most `most` segments on which the metric and people differ most, largest
        difference first: segment, better and worse (by people), by_people and by_metric
        (differences in units of their root mean square; below 0 for the metric).
    """
    lacking = np.isnan(metric.values).sum(axis=0)
    ranges = _Ranges(metric.on_common_segments, people)
    place = {system: index for index, system in enumerate(metric.systems)}
    contradictions = []
    agreeing = 0
    for one, other in np.argwhere(people.better).tolist():
        better = people.systems[one]
        worse = people.systems[other]
        if better not in place or worse not in place:
            continue
        difference = ranges.of(place[better], place[worse])
        if difference is None:
            ahead = 0.0
        else:
            ahead = metric.sign * difference.value
        agreeing += ahead > EQUAL_WITHIN
        if ahead < -EQUAL_WITHIN:
            pair: Row = {"metric": metric.name, "better": better, "worse": worse}
            pair |= {
                "by_people": people.difference(one, other),
                "difference": difference,
            }
            contradictions.append(pair | {"is_separated": _sign(difference) != 0})
    rows = ranges.rows()
    for row in rows:
        row["missing"] = int(lacking[place[row["system"]]])
    if metric.missing is None:
        missing = sum(row["missing"] for row in rows)
    else:
        missing = metric.missing
    return {
        "name": metric.name,
        "signature": metric.signature,
        "is_higher_better": metric.sign > 0,
        "range_kind": ranges.kind,
        "segments": int((~np.isnan(metric.values)).any(axis=1).sum()),
        "missing": missing,
        "rows": rows,
        "agreeing": agreeing,
        "contradictions": contradictions,
        "discords": _discords(metric, people, most),
    }


def _sign(rank_range: Range | None) -> int:
    """Return 1 or −1 if a range excludes 0; 0 if it does not, or is unknown."""
    if (
        rank_range is None
        or rank_range.low is None
        or rank_range.high is None
        or rank_range.low <= 0 <= rank_range.high
    ):
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
            scores_and_means = (metric.scores, metric.means)
            is_mean = np.allclose(
                *scores_and_means, rtol=1e-4, atol=1e-6, equal_nan=True
            )
            self._values = metric.sign * metric.scores
            self.kind: RangeKind = (
                "mean" if len(metric.segments) and is_mean else "none"
            )
            return
        self._statistics = metric.statistics
        self._values = metric_values(metric.kind, known_sums(metric.statistics))
        if metric.kind in ERROR_RATES:
            self.kind = "exact"
            self._statistics = metric.statistics[..., :2] * (100.0, 1.0)
            return
        self.kind = "resampled"
        keys = segment_keys(metric.segments)
        self._resampled = resampled_values(
            metric.kind, metric.statistics, keys, people.drawing
        )

    def of(self, one: int, other: int | None = None) -> Range | None:
        """Return the value of a system, or its difference from another's on common segments; None
        if either has none.
        """
        if self.kind not in ("exact", "mean"):
            value = self._values[one]
            drawn = self._resampled[one]
            if other is not None:
                value = value - self._values[other]
                drawn = drawn - self._resampled[other]
            confidence = self._drawing.confidence
            if np.isnan(value):
                return None
            return resampled_range(float(value), drawn, confidence)
        chosen = self._statistics[[one] if other is None else [one, other]]
        chosen = chosen[:, ~np.isnan(chosen).any(axis=(0, 2))]
        units = (np.arange(chosen.shape[1]),)
        figure, *subtracted = (
            Figure.of_sums(each[:, 0], each[:, 1], units) for each in chosen
        )
        for each in subtracted:
            figure = Figure(
                figure.value - each.value, figure.influence - each.influence, units
            )
        return ranged(figure, self._drawing)

    def rows(self) -> list[Row]:
        """Return the systems, best first; those without a score last."""
        metric = self._metric
        n = len(self._metric.systems)
        values = [self.of(index) for index in range(n)]
        own = np.array(
            [np.nan if each is None else metric.sign * each.value for each in values]
        )
        better = np.zeros((n, n), dtype=np.bool_)
        for one, other in combinations(range(n), 2):
            sign = metric.sign * _sign(self.of(one, other))
            better[one, other], better[other, one] = sign > 0, sign < 0
        ranks = _ranks(own, better)
        rows = []
        for index in np.lexsort(
            (metric.systems, np.nan_to_num(-own, nan=np.inf))
        ).tolist():
            value = values[index]
            placed = ranks[index]
            if value is None or value.low is None:
                placed = (None if value is None else placed[0], None, None)
            row = {"system": metric.systems[index], "value": value}
            rows.append(row | dict(zip(PLACES, placed, strict=True)))
        return rows


def _discords(metric: Metric, people: People, most: int) -> list[Row]:
    row, one, other, preferred = people.preferences
    scored = [name for name in people.systems if name in metric.systems]
    values = np.full((len(people.segments), len(people.systems)), np.nan)
    columns = [people.systems.index(name) for name in scored]
    values[:, columns] = metric.take(scored).of(people.segments)
    by_metric = values[row, one] - values[row, other]
    known = np.flatnonzero(~np.isnan(by_metric))
    sides = np.stack([preferred[known], by_metric[known]])
    scales = np.sqrt((sides**2).sum(axis=1) / max(1, len(known)))
    if not scales.all():
        return []
    sides /= scales[:, np.newaxis]
    discords: dict[int, Row] = {}
    product = sides[0] * sides[1]
    for index in np.argsort(product, kind="stable").tolist():
        if len(discords) == most or product[index] >= 0:
            break
        at, (by_people, by) = known[index], sides[:, index].tolist()
        if by_people > 0:
            better = one[at]
            worse = other[at]
        else:
            better = other[at]
            worse = one[at]
        segment = int(people.segments[row[at]])
        pair = {"better": people.systems[better], "worse": people.systems[worse]}
        apart = {"by_people": abs(by_people), "by_metric": by if by_people > 0 else -by}
        discords.setdefault(segment, {"segment": segment, **pair, **apart})
    return list(discords.values())
