"""A lower bound of the cost of any order, in compiled code.

Three items i, j, k cannot go in a circle: of "i before j", "j before k" and "k before i" at least
one is true. A weight on such a circle may therefore be taken from the three costs and added to the
bound. Of what is left of the two costs of a pair, the smaller one is paid in any case and is added,
too. Any weights that are not negative give a bound: they are a solution of the dual of the linear
program with all circles of three (Grötschel, Jünger and Reinelt 1984). Good weights are found by
subgradient steps towards the cost of the best order known (Polyak 1969).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

Int64Array = npt.NDArray[np.int64]
Float64Array = npt.NDArray[np.float64]

#: Steps without a better bound before steps are made shorter, and by how much.
_PATIENCE, _SHORTER = 15, 0.7
#: A step that closes less of the gap than this share counts as one without a better bound.
_PROGRESS = 0.001
#: Share of the directions of the steps before in the direction of a step.
_MEMORY = 0.8


@njit(cache=True, nogil=True)
def circles_of(m: int) -> Int64Array:
    """List the circles of three of m items, both ways round; shape (m (m−1) (m−2) / 3, 3)."""
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
    """Fill in what the circles leave of the costs, and return the bound.

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
    """Let each pair choose the order that is cheaper for it; average with earlier choices."""
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
    """Fill in how the bound grows with each weight; return the sum of squares."""
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
        Whole numbers, so a bound less than 1 below the target is as good as any.
    target : float
        Cost of some order, which the bound cannot exceed.
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
