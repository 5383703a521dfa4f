"""A lower bound of the cost of any order, in compiled code.

Three items i, j, k cannot go in a circle: of "i before j", "j before k" and "k before i", at least
one is true. So a weight on such a circle may be subtracted from the three costs and added to the
bound. The smaller one of the remaining two costs of a pair is paid in any order, and is added as
well. Any weights that are not negative give a bound: they are a solution of the dual of the linear
program with all circles of three (Grötschel, Jünger and Reinelt 1984). Good weights are found by
subgradient steps towards the cost of the best known order (Polyak 1969).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from optional_packages.numba import njit

Int64Array = npt.NDArray[np.int64]
Float64Array = npt.NDArray[np.float64]

#: Number of steps without a better bound after which steps become shorter, and the factor.
_PATIENCE, _SHORTER = 15, 0.7
#: A step that closes a smaller share of the gap counts as one without a better bound.
_PROGRESS = 0.001
#: Share of earlier directions in the direction of a step.
_MEMORY = 0.8


@njit(cache=True, nogil=True)
def circles_of(m: int) -> Int64Array:
    """Return the circles of three of m items in both directions, shape (m (m−1) (m−2) / 3, 3)."""
    circles = np.empty((m * (m - 1) * (m - 2) // 3, 3), np.int64)
    row = 0
    for i in range(m):
        for j in range(i + 1, m):
            for k in range(j + 1, m):
                circles[row] = i, j, k
                circles[row + 1] = i, k, j
                row += 2
    return circles


@njit(cache=True, nogil=True)
def take_circles(cost: Any, circles: Int64Array, weight: Any, left: Any) -> Any:
    """Fill in the costs that circles leave, and return the bound.

    Parameters
    ----------
    cost : int64 or float64, shape (m, m)
    circles : int64, shape (T, 3)
    weight : shape (T,)
        Not negative, of the type of the costs.
    left : shape (m, m)
        Filled in, of the type of the costs; may be negative.
    """
    left[:] = cost
    bound = weight.sum()
    for row in range(len(circles)):
        if weight[row] > 0:
            i, j, k = circles[row]
            left[i, j] -= weight[row]
            left[j, k] -= weight[row]
            left[k, i] -= weight[row]
    for i in range(len(cost)):
        for j in range(i):
            bound += min(left[i, j], left[j, i])
    return bound


@njit(cache=True, nogil=True)
def _choose_order_of_pairs(left: Float64Array, memory: float, before: Float64Array) -> None:
    """Fill in the cheaper order of each pair, averaged with earlier choices."""
    for i in range(len(left)):
        for j in range(i):
            first = 0.5
            if left[i, j] != left[j, i]:
                first = 1.0 if left[i, j] < left[j, i] else 0.0
            before[i, j] = memory * before[i, j] + (1 - memory) * first
            before[j, i] = 1 - before[i, j]


@njit(cache=True, nogil=True)
def _slopes(
    circles: Int64Array, weight: Float64Array, before: Float64Array, slope: Float64Array
) -> float:
    """Fill in the slopes of the bound by each weight, and return their sum of squares."""
    total = 0.0
    for row in range(len(circles)):
        i, j, k = circles[row]
        slope[row] = 1 - before[i, j] - before[j, k] - before[k, i]
        if slope[row] < 0 and weight[row] <= 0:
            slope[row] = 0.0
        total += slope[row] * slope[row]
    return total


@njit(cache=True, nogil=True)
def raise_bound(
    cost: Float64Array, target: float, circles: Int64Array, weight: Float64Array, steps: int
) -> None:
    """Improve the weights of circles in place.

    Parameters
    ----------
    cost : float64, shape (m, m)
        Whole numbers, so a bound less than 1 below the target cannot be improved.
    target : float
        Cost of an order, which the bound cannot exceed.
    circles : int64, shape (T, 3)
    weight : float64, shape (T,)
        Not negative.
    steps : int
    """
    left, before = np.empty_like(cost), np.zeros_like(cost)
    slope, current = np.empty(len(circles)), weight.copy()
    best, length, failures = -np.inf, 1.0, 0
    for number in range(steps):
        bound = take_circles(cost, circles, current, left)
        failures = 0 if bound > best + _PROGRESS * (target - best) else failures + 1
        if bound > best:
            best = bound
            weight[:] = current
        if best > target - 1:
            return
        if failures > _PATIENCE:
            length, failures = _SHORTER * length, 0
            current[:] = weight
            continue
        _choose_order_of_pairs(left, _MEMORY if number > 0 else 0.0, before)
        squares = _slopes(circles, current, before, slope)
        if squares > 0:
            current += length * (target - bound) / squares * slope
            np.maximum(current, 0.0, current)
