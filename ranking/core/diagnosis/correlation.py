"""Correlation of two lists of numbers, and how far it may be off; None where it is not defined."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import sqrt

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

#: Fisher's standard error has n − 3 below its root.
FEWEST_PAIRS = 4
#: Less is rounding.
_NOT_ONE = 1e-12


class NoInterval(StrEnum):
    """Why a correlation has no interval; callers put the code into words."""

    FEW_PAIRS = "few_pairs"
    """There are fewer than four pairs."""

    STRAIGHT_LINE = "straight_line"
    """One list follows from the other, as where nothing was changed between them."""


@dataclass(frozen=True)
class Correlation:
    """Correlation coefficients of two lists of numbers.

    Attributes
    ----------
    pairs : int
        Number of pairs of numbers.
    pearson, spearman : float or None
        None with fewer than two pairs, or if all numbers of a list are equal.
    """

    pairs: int
    pearson: float | None
    spearman: float | None


@dataclass(frozen=True)
class SampledCorrelation(Correlation):
    """Correlation coefficients of pairs that are taken for drawn independently, with their intervals.

    Attributes
    ----------
    pearson_low, pearson_high, spearman_low, spearman_high : float or None
        Ends of the intervals; None where there are none.
    no_interval : NoInterval or None
        Why there are none; None where there are, or no correlation either.
    """

    pearson_low: float | None = None
    pearson_high: float | None = None
    spearman_low: float | None = None
    spearman_high: float | None = None
    no_interval: NoInterval | None = None


def correlation(x: npt.NDArray[np.generic], y: npt.NDArray[np.generic]) -> Correlation:
    """Return the correlation of two lists of numbers.

    Parameters
    ----------
    x, y : numeric, shape (n,)
        Pairs with a NaN are left out.

    Returns
    -------
    Correlation
        Pearson's coefficient, and Spearman's with mean ranks for ties.
    """
    one, other = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    known = ~(np.isnan(one) | np.isnan(other))
    one, other = one[known], other[known]
    return Correlation(
        pairs=len(one),
        pearson=_pearson(one, other),
        spearman=_pearson(_mean_ranks(one), _mean_ranks(other)),
    )


def _mean_ranks(x: FloatArray) -> FloatArray:
    # As `scipy.stats.rankdata`, which takes half a second to import.
    _values, place, count = np.unique(x, return_inverse=True, return_counts=True)
    ranks: FloatArray = (count.cumsum() - (count - 1) / 2)[place]
    return ranks


def correlation_sampled(
    x: npt.NDArray[np.generic], y: npt.NDArray[np.generic], *, confidence: float = 0.95
) -> SampledCorrelation:
    """Return the correlation of two lists of numbers, with intervals.

    Parameters
    ----------
    x, y : numeric, shape (n,)
        Of n systems, for instance. Pairs are taken for drawn independently: ratings that share judges or segments
        are not. Pairs with a NaN are left out.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    SampledCorrelation
        Of `correlation`, with Fisher's interval of Pearson's coefficient and that of Bonett and Wright (2000, Psychometrika
        65, 23–28) of Spearman's, which is for what it is on average over as many pairs.

    Notes
    -----
    Both are symmetric on the scale of z = artanh r, with the standard errors 1 / √(n − 3) and √((1 + r² / 2) / (n − 3)). Lists
    in the same order (or in opposite orders) have a Spearman of 1 and no such error; there, r is taken half of the way to the
    next one possible, 1 − 12 / (n (n² − 1)), and the end beyond it is 1. `tests.benchmarks.correlation_coverage` counts how
    often the intervals hold.
    """
    found = correlation(x, y)
    pairs, pearson, spearman = found.pairs, found.pearson, found.spearman
    if pearson is None or spearman is None:
        return SampledCorrelation(pairs, pearson, spearman)
    if pairs < FEWEST_PAIRS:
        return SampledCorrelation(pairs, pearson, spearman, no_interval=NoInterval.FEW_PAIRS)
    if abs(pearson) > 1 - _NOT_ONE:
        return SampledCorrelation(pairs, pearson, spearman, no_interval=NoInterval.STRAIGHT_LINE)
    pearson_low, pearson_high = _interval(pearson, 1.0, pairs, confidence)
    spearman_low, spearman_high = _of_ranks(spearman, pairs, confidence)
    return SampledCorrelation(
        pairs, pearson, spearman, pearson_low, pearson_high, spearman_low, spearman_high
    )


def _of_ranks(value: float, pairs: int, confidence: float) -> tuple[float, float]:
    most = 1 - 6 / (pairs * (pairs**2 - 1))
    inside = min(most, max(-most, value))
    low, high = _interval(inside, 1 + inside**2 / 2, pairs, confidence)
    return (-1.0 if value < -most else low), (1.0 if value > most else high)


def _interval(value: float, variance: float, pairs: int, confidence: float) -> tuple[float, float]:
    """Return the ends around a coefficient, of which z has this variance over n − 3."""
    from scipy.special import ndtri

    z = np.arctanh(value)
    reach = float(ndtri((1 + confidence) / 2)) * sqrt(variance / (pairs - 3))
    return float(np.tanh(z - reach)), float(np.tanh(z + reach))


def _pearson(x: FloatArray, y: FloatArray) -> float | None:
    # The numbers are compared, because the computed deviation of equal numbers may not be exactly
    # zero.
    if len(x) < 2 or np.all(x == x[0]) or np.all(y == y[0]):
        return None
    x, y = x - x.mean(), y - y.mean()
    scale = np.sqrt((x * x).sum() * (y * y).sum())
    return float(np.clip((x * y).sum() / scale, -1, 1)) if scale > 0 else None
