"""Figures of segments: how far a metric and people agree on outputs of the same segment, and on outputs of all segments."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.beside import Estimate
from ranking.core.diagnosis.correlation import kendall_influenced
from ranking.core.metrics.pairs import (
    Pairs,
    TauReading,
    TieCalibration,
    calibrated,
    is_right,
    right_on_folds,
    tau,
    taus_by_segment,
)
from ranking.core.metrics.people import People
from ranking.core.selection import folds_of_segments


class SegmentFigures:
    """Figures of segments; the parts that depend on people only are computed once."""

    def __init__(
        self, people: People, *, confidence: float, folds: int, intervals: bool, more: bool = True
    ) -> None:
        self._people = people
        self._more = more
        self._confidence = confidence if intervals else None
        self._folds: Int64Array | None = None
        if len(people.segments) > 1 and folds > 1:
            count = min(folds, len(people.segments))
            self._folds = folds_of_segments(people.segments, count, seed=people.seed)
        self._weights = people.pairs.weights()

    def of(self, values: FloatArray) -> tuple[dict[str, Estimate], float | None]:
        """Return figures of a metric, from its scores of the judged segments, and the threshold of its ties."""
        pairs, weights = self._people.pairs, self._weights
        difference = pairs.differences(values)
        known = ~np.isnan(difference)
        if not known.all():
            pairs, difference = pairs.take(known), difference[known]
            weights = pairs.weights()
        if not len(pairs):
            return {}, None
        found, best = self._ties(pairs, difference, weights)
        if self._people.values is None:
            found |= self._taus(pairs, difference)
        else:
            found |= self._correlations(values, self._people.values)
            found |= self._tau_by_segment(pairs, difference)
        return {
            name: each for name, each in found.items() if not np.isnan(each.value)
        }, best.threshold

    def of_people(self, pairs: Pairs, difference: FloatArray) -> dict[str, Estimate]:
        """Return figures of people who compare the same outputs; their ties are their own, so that no threshold is tuned."""
        weights = pairs.weights()
        right = is_right(pairs.human, difference, 0.0)
        value = float(right @ weights)
        found = {"acc_eq": self._estimate(value, weights * (right - value), pairs.kinds)}
        of = self._tau_by_segment if pairs.by_segment else self._taus
        found |= of(pairs, difference)
        return {name: each for name, each in found.items() if not np.isnan(each.value)}

    def _ties(
        self, pairs: Pairs, difference: FloatArray, weights: FloatArray
    ) -> tuple[dict[str, Estimate], TieCalibration]:
        order = np.argsort(np.abs(difference))
        best = calibrated(pairs.human, difference, pairs.groups, order)
        right = is_right(pairs.human, difference, best.threshold)
        found = {
            "acc_eq": self._estimate(best.accuracy, weights * (right - best.accuracy), pairs.kinds)
        }
        if self._folds is not None:
            fold = self._folds[pairs.row]
            held = right_on_folds(pairs.human, difference, weights, fold, order)
            value = float(held @ weights)
            found["acc_eq_folds"] = self._estimate(value, weights * (held - value), pairs.kinds)
        return found, best

    def _correlations(self, metric: FloatArray, human: FloatArray) -> dict[str, Estimate]:
        known = ~np.isnan(metric + human)
        row, _system = np.nonzero(known)
        x, y = human[known], metric[known]
        found: dict[str, Estimate] = {}
        if not _varies(x) or not _varies(y):
            return found
        of_x, of_y = ((each - each.mean()) / each.std() for each in (x, y))
        value = float((of_x * of_y).mean())
        apart = (of_x * of_y - value * (of_x**2 + of_y**2) / 2) / len(row)
        found["pearson"] = self._estimate(value, apart, (row,))
        if not self._more:
            return found
        pooled = kendall_influenced(x, y)
        found["kendall_pooled"] = self._estimate(pooled.value, pooled.influence / len(row), (row,))
        by_system = [
            (rows, kendall_influenced(human[rows, system], metric[rows, system]))
            for system in range(human.shape[1])
            if len(rows := np.flatnonzero(known[:, system])) > 1
            and _varies(human[rows, system])
            and _varies(metric[rows, system])
        ]
        if by_system:
            share = 1 / len(by_system)
            value = float(np.mean([each.value for _rows, each in by_system]))
            moved = [each.influence * share / len(rows) for rows, each in by_system]
            rows = np.concatenate([rows for rows, _each in by_system])
            found["kendall_by_system"] = self._estimate(value, np.concatenate(moved), (rows,))
        return found

    def _taus(self, pairs: Pairs, difference: FloatArray) -> dict[str, Estimate]:
        found = {}
        for reading in TauReading:
            ratio = tau(pairs.human, difference, reading)
            found[f"tau_{reading}"] = self._estimate(ratio.value, ratio.influence, pairs.kinds)
        return found

    def _tau_by_segment(self, pairs: Pairs, difference: FloatArray) -> dict[str, Estimate]:
        taus = taus_by_segment(pairs, difference)
        rows = np.flatnonzero(~np.isnan(taus))
        if not len(rows):
            return {}
        value = float(taus[rows].mean())
        apart = (taus[rows] - value) / len(rows)
        return {"kendall_by_segment": self._estimate(value, apart, (rows,))}

    def _estimate(
        self, value: float, influence: FloatArray, kinds: Sequence[npt.NDArray[np.integer]]
    ) -> Estimate:
        if self._confidence is None or np.isnan(value):
            return Estimate(value, None, None)
        return clustered_estimate(value, influence, kinds, confidence=self._confidence)


def _varies(values: FloatArray) -> bool:
    return len(values) > 1 and float(np.ptp(values)) > 0


def clustered_estimate(
    value: float,
    influence: FloatArray,
    kinds: Sequence[npt.NDArray[np.integer]],
    *,
    confidence: float,
) -> Estimate:
    """Return a figure with the interval over one or two kinds of units.

    Parameters
    ----------
    value : float
    influence : float64, shape (P,)
        How far each item moves the figure; they add up to 0.
    kinds : sequence of int, shape (P,)
        The segment of each item and, if known, its judge.
    confidence : float

    Returns
    -------
    Estimate
        From the same variance and quantile as `ranking.core.beside.estimate`.
    """
    places = [np.unique(each, return_inverse=True)[1] for each in kinds]
    sizes = [int(each.max(initial=-1)) + 1 for each in places]
    fewest = min(sizes, default=0)
    if fewest < 2:
        return Estimate(value, None, None)
    parts = [_variance(influence, each, size) for each, size in zip(places, sizes, strict=True)]
    variance = parts[0]
    if len(parts) == 2:
        cells = np.unique(places[0] * sizes[1] + places[1], return_inverse=True)[1]
        shared = _variance(influence, cells, int(cells.max()) + 1)
        variance = max(sum(parts) - shared, *parts)
    reach = float(stdtrit(fewest - 1, (1 + confidence) / 2)) * sqrt(variance)
    if reach == 0:
        return Estimate(value, None, None)
    return Estimate(value, max(-1.0, value - reach), min(1.0, value + reach))


def _variance(influence: FloatArray, unit: Int64Array, units: int) -> float:
    sums = np.bincount(unit, influence, units)
    return float(sums @ sums) * units / max(1, units - 1)
