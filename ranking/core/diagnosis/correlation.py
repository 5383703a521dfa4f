"""Correlation of two lists of numbers; None where it is not defined."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

FloatArray = npt.NDArray[np.float64]


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
        spearman=_pearson(rankdata(one), rankdata(other)),
    )


def _pearson(x: FloatArray, y: FloatArray) -> float | None:
    # The numbers are compared, because the computed deviation of equal numbers may not be exactly
    # zero.
    if len(x) < 2 or np.all(x == x[0]) or np.all(y == y[0]):
        return None
    x, y = x - x.mean(), y - y.mean()
    scale = np.sqrt((x * x).sum() * (y * y).sum())
    return float(np.clip((x * y).sum() / scale, -1, 1)) if scale > 0 else None
