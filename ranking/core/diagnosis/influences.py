"""Coefficients of correlation of ranks, and how far each pair of numbers moves them."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Influenced:
    """A coefficient, and the influence of each pair on it, shape (n,): its mean is 0."""

    value: float
    influence: FloatArray


def spearman_influenced(x: FloatArray, y: FloatArray) -> Influenced:
    """Return Spearman's ρ, Pearson's r of mean ranks; neither list may consist of equal numbers.

    With a_i = Σ_j sign(x_i − x_j) / n, and b of y, ρ = T / √(D E) with T = mean(a b), D = mean(a²) and E = mean(b²). Each of
    these has three numbers of three pairs in a term, and a pair may be any of the three.
    """
    in_x, in_y = _places(x), _places(y)
    a, b = -_signed_mean(in_x, np.ones(len(x))), -_signed_mean(in_y, np.ones(len(y)))
    both, of_x, of_y = (float((one * other).mean()) for one, other in ((a, b), (a, a), (b, b)))
    in_both = a * b + _signed_mean(in_x, b) + _signed_mean(in_y, a) - 3 * both
    in_x_alone = a**2 + 2 * _signed_mean(in_x, a) - 3 * of_x
    in_y_alone = b**2 + 2 * _signed_mean(in_y, b) - 3 * of_y
    scale = sqrt(of_x * of_y)
    value = float(np.clip(both / scale, -1, 1))
    return Influenced(value, in_both / scale - value / 2 * (in_x_alone / of_x + in_y_alone / of_y))


def kendall_influenced(x: FloatArray, y: FloatArray) -> Influenced:
    """Return Kendall's τ_b; neither list may consist of equal numbers.

    With c_i = Σ_j sign(x_i − x_j) sign(y_i − y_j) / n, and u_i and v_i the shares of others that differ from i in x and in y, τ_b =
    mean(c) / √(mean(u) mean(v)). Two pairs are in a term. Time and room grow with the product of the numbers of values.
    """
    in_x, in_y = _places(x), _places(y)
    count = len(x)
    upto = np.zeros((in_x.max() + 2, in_y.max() + 2), dtype=np.int64)
    np.add.at(upto, (in_x + 1, in_y + 1), 1)
    upto = upto.cumsum(axis=0).cumsum(axis=1)
    alike = upto[in_x, in_y] + (
        count - upto[in_x + 1, -1] - upto[-1, in_y + 1] + upto[in_x + 1, in_y + 1]
    )
    opposed = (upto[in_x, -1] - upto[in_x, in_y + 1]) + (upto[-1, in_y] - upto[in_x + 1, in_y])
    c = (alike - opposed) / count
    u, v = (1 - np.bincount(place)[place] / count for place in (in_x, in_y))
    scale = sqrt(u.mean() * v.mean())
    value = float(np.clip(c.mean() / scale, -1, 1))
    return Influenced(value, 2 * (c - c.mean()) / scale - value * (u / u.mean() + v / v.mean() - 2))


def _places(values: FloatArray) -> Int64Array:
    """Return the place of each number among the different ones, from 0."""
    return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64)


def _signed_mean(place: Int64Array, values: FloatArray) -> FloatArray:
    """Return, for each i, the mean over j of sign(place_j − place_i) · values_j."""
    upto = np.cumsum(np.bincount(place, weights=values))
    below = np.concatenate([[0.0], upto[:-1]])
    return np.asarray((upto[-1] - upto[place] - below[place]) / len(values))
