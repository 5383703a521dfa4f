"""Correlations of pairs that share judges or segments, with intervals that allow for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from math import sqrt

import numpy as np
import numpy.typing as npt

from ranking.core.diagnosis.correlation import correlation
from ranking.core.diagnosis.influences import kendall_influenced, spearman_influenced

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: Less is rounding.
_NOTHING = 1e-20
#: Numbers with less than this share of the spread are equal, but for rounding.
_EQUAL = 1e-12
#: Of a few pairs that are left, r may be 1, which has no z.
_NEARLY_ONE = 1 - 1e-12


class Coefficient(StrEnum):
    """Coefficients of correlation."""

    PEARSON = "pearson"
    SPEARMAN = "spearman"
    """With mean ranks for ties."""
    KENDALL = "kendall"
    """τ_b."""


@dataclass(frozen=True)
class ClusteredCorrelation:
    """A correlation of pairs in clusters.

    Attributes
    ----------
    pairs : int
    value : float or None
        None with fewer than two pairs, or if all numbers of a list are equal.
    low, high : float or None
        Ends of its interval; None with one cluster of a kind, or where one list or order follows from the other.
    """

    pairs: int
    value: float | None
    low: float | None
    high: float | None


def correlation_clustered(
    x: npt.NDArray[np.generic],
    y: npt.NDArray[np.generic],
    kinds: Sequence[Int64Array],
    *,
    coefficient: Coefficient = Coefficient.PEARSON,
    confidence: float = 0.95,
) -> ClusteredCorrelation:
    """Return a correlation of pairs of which those of one cluster are alike.

    Parameters
    ----------
    x, y : numeric, shape (n,)
    kinds : sequence of int64, shape (n,)
        For each kind of clusters, one or two of them, that of each pair: its segment; its judge.
    coefficient : Coefficient
    confidence : float
        Between 0 and 1.

    Returns
    -------
    ClusteredCorrelation

    Notes
    -----
    The interval is symmetric for z, artanh of the coefficient, with Student's t with a degree of freedom fewer than clusters of
    the kind that has fewest. The variance of z for one kind is that of leaving out one cluster at a time, for Spearman and Kendall
    that of the sums of the pairs' influences over clusters; for two kinds V₁ + V₂ − V₁₂, at least each of the first two (Cameron,
    Gelbach and Miller 2011). `tests.benchmarks.correlation_coverage` counts how often it holds.
    """
    one, other = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    count = len(one)
    if count < 2 or np.all(one == one[0]) or np.all(other == other[0]):
        return ClusteredCorrelation(count, None, None, None)
    value, variance_for = _measured(one, other, coefficient)
    fewest = min((len(np.unique(each)) for each in kinds), default=0)
    if value is None or fewest < 2 or 1 - value**2 < _NOTHING:
        return ClusteredCorrelation(count, value, None, None)
    alone = [variance_for(each) for each in kinds]
    shared = sum(variance_for(_both(*each)) for each in combinations(kinds, 2))
    variance = max(sum(alone) - shared, *alone)
    if not np.isfinite(variance) or variance < _NOTHING:
        return ClusteredCorrelation(count, value, None, None)
    from scipy.special import stdtrit

    z = np.arctanh(value)
    reach = float(stdtrit(fewest - 1, (1 + confidence) / 2)) * sqrt(variance)
    return ClusteredCorrelation(count, value, float(np.tanh(z - reach)), float(np.tanh(z + reach)))


def _measured(
    x: FloatArray, y: FloatArray, coefficient: Coefficient
) -> tuple[float | None, Callable[[Int64Array], float]]:
    """Return the coefficient, and what gives the variance of its z for clusters."""
    if coefficient is Coefficient.PEARSON:
        return correlation(x, y).pearson, lambda clusters: _left_out(x, y, clusters)
    of_ranks = spearman_influenced if coefficient is Coefficient.SPEARMAN else kendall_influenced
    found = of_ranks(x, y)
    left = 1 - found.value**2
    return found.value, lambda clusters: _summed(found.influence, clusters) / left**2


def _both(one: Int64Array, other: Int64Array) -> Int64Array:
    """Return the number of the cluster in both kinds."""
    _values, first = np.unique(one, return_inverse=True)
    values, second = np.unique(other, return_inverse=True)
    return np.asarray(first * len(values) + second, dtype=np.int64)


def _left_out(x: FloatArray, y: FloatArray, clusters: Int64Array) -> float:
    """Return the variance of z of Pearson's r by the delete-one jackknife; NaN where r needs one of the clusters."""
    _values, place = np.unique(clusters, return_inverse=True)
    x, y = x - x.mean(), y - y.mean()
    sums = np.array(
        [np.bincount(place, weights=each) for each in (np.ones_like(x), x, y, x * x, y * y, x * y)]
    )
    number, of_x, of_y, of_xx, of_yy, of_xy = sums.sum(axis=1)[:, np.newaxis] - sums
    with np.errstate(invalid="ignore", divide="ignore"):
        in_x, in_y = of_xx - of_x**2 / number, of_yy - of_y**2 / number
        r = (of_xy - of_x * of_y / number) / np.sqrt(in_x * in_y)
    r[(in_x <= _EQUAL * (x * x).sum()) | (in_y <= _EQUAL * (y * y).sum())] = np.nan
    z = np.arctanh(np.clip(r, -_NEARLY_ONE, _NEARLY_ONE))
    return float(((z - z.mean()) ** 2).sum() * (len(z) - 1) / len(z))


def _summed(influence: FloatArray, clusters: Int64Array) -> float:
    _values, place = np.unique(clusters, return_inverse=True)
    sums = np.bincount(place, weights=influence)
    count = len(sums)
    return float((sums**2).sum()) / len(influence) ** 2 * count / (count - 1)
