"""Pearson's correlation of pairs that share judges or segments, with an interval that allows for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np
import numpy.typing as npt

from ranking.core.diagnosis.correlation import correlation

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: Less is rounding.
_NOTHING = 1e-20


@dataclass(frozen=True)
class ClusteredCorrelation:
    """Pearson's correlation of pairs in clusters.

    Attributes
    ----------
    pairs : int
    pearson : float or None
    low, high : float or None
        Ends of its interval; None with one cluster of a kind, or where one list follows from the other.
    """

    pairs: int
    pearson: float | None
    low: float | None
    high: float | None


def correlation_clustered(
    x: npt.NDArray[np.generic],
    y: npt.NDArray[np.generic],
    kinds: Sequence[Int64Array],
    *,
    confidence: float = 0.95,
) -> ClusteredCorrelation:
    """Return Pearson's correlation of pairs of which those of one cluster are alike.

    Parameters
    ----------
    x, y : numeric, shape (n,)
    kinds : sequence of int64, shape (n,)
        For each kind of clusters, one or two of them, that of each pair: its segment; its judge.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    ClusteredCorrelation

    Notes
    -----
    The influence of a pair on r is z_x z_y − r (z_x² + z_y²) / 2. Its sums over clusters give the variance, of two kinds V₁ +
    V₂ − V₁₂, at least each of the first two (Cameron, Gelbach and Miller 2011). The interval is symmetric for artanh r, with
    Student's t with a degree of freedom fewer than clusters of the kind that has fewest.
    """
    found = correlation(x, y)
    r = found.pearson
    fewest = min((len(np.unique(each)) for each in kinds), default=0)
    if r is None or fewest < 2 or 1 - r * r < _NOTHING:
        return ClusteredCorrelation(found.pairs, r, None, None)
    z_x, z_y = _standardised(x), _standardised(y)
    influence = z_x * z_y - r * (z_x**2 + z_y**2) / 2
    alone = [_variance(influence, each) for each in kinds]
    shared = sum(_variance(influence, _both(*each)) for each in combinations(kinds, 2))
    variance = max(sum(alone) - shared, *alone)
    if variance < _NOTHING:
        return ClusteredCorrelation(found.pairs, r, None, None)
    from scipy.special import stdtrit

    z = np.arctanh(r)
    reach = float(stdtrit(fewest - 1, (1 + confidence) / 2)) * sqrt(variance) / (1 - r * r)
    return ClusteredCorrelation(
        found.pairs, r, float(np.tanh(z - reach)), float(np.tanh(z + reach))
    )


def _standardised(values: npt.NDArray[np.generic]) -> FloatArray:
    numbers = np.asarray(values, dtype=np.float64)
    return np.asarray((numbers - numbers.mean()) / numbers.std(), dtype=np.float64)


def _both(one: Int64Array, other: Int64Array) -> Int64Array:
    """Return the number of the cluster in both kinds."""
    _values, first = np.unique(one, return_inverse=True)
    values, second = np.unique(other, return_inverse=True)
    return np.asarray(first * len(values) + second, dtype=np.int64)


def _variance(influence: FloatArray, clusters: Int64Array) -> float:
    _values, place = np.unique(clusters, return_inverse=True)
    sums = np.bincount(place, weights=influence)
    count = len(sums)
    return float((sums**2).sum()) / len(influence) ** 2 * count / (count - 1)
