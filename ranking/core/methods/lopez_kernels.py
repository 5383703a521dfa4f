"""Compiled search, with a lower bound, for the best orders of many items in the Lopez method.

Importing this module imports numba, and compiles on first import. Only `ranking.core.methods.lopez`
imports it, for large components.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from optional_packages.numba import njit
from ranking.core.arrays import FloatArray, Int64Array, UInt64Array

#: Number of steps without a better bound after which steps become shorter, and the factor.
_PATIENCE, _SHORTER = 15, 0.7
#: A step that closes a smaller share of the gap counts as one without a better bound.
_PROGRESS = 0.001
#: Share of earlier directions in the direction of a step.
_MEMORY = 0.8


@njit(cache=True, nogil=True)
def circles_of(m: int) -> Int64Array:
    """Return all cycles of three of m items, in both directions, shape (m (m−1) (m−2) / 3, 3)."""
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
    """Fill in the costs left by the weights of cycles, and return the bound.

    Parameters
    ----------
    cost : int64 or float64, shape (m, m)
    circles : int64, shape (T, 3)
    weight : shape (T,)
        Non-negative, of the same type as the costs.
    left : shape (m, m)
        Filled in, of the same type as the costs; may be negative.
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
def _choose_order_of_pairs(left: FloatArray, memory: float, before: FloatArray) -> None:
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
    circles: Int64Array, weight: FloatArray, before: FloatArray, slope: FloatArray
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
    cost: FloatArray, target: float, circles: Int64Array, weight: FloatArray, steps: int
) -> None:
    """Improve the weights of cycles in place.

    Three items i, j, k cannot form a cycle: at least one of "i before j", "j before k" and "k
    before i" is true. So a weight on such a cycle may be subtracted from the three costs and added
    to the bound; the smaller of the two remaining costs of a pair is paid in any order, and is
    added as well. Any non-negative weights give a bound: they are feasible for the dual of the
    linear program with all cycles of three (Grötschel, Jünger and Reinelt 1984). Good weights are
    found by subgradient steps towards the cost of the best known order (Polyak 1969).

    Parameters
    ----------
    cost : float64, shape (m, m)
        Integers, so a bound less than 1 below the target cannot be improved.
    target : float
        Cost of a known order, which the bound cannot exceed.
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


#: Number of sets of each size kept in the first round, and its growth factor per round.
_FIRST_WIDTH, _WIDER = 256, 4
#: Number of steps towards a better bound before the first round, and its growth factor per round.
_FIRST_STEPS, _LONGER = 120, 2
_ONE = np.uint64(1)
_LARGEST = np.iinfo(np.int64).max


@njit(cache=True, nogil=True)
def _improved_by_insertions(cost: Int64Array) -> Int64Array:
    """Return the index order, improved by moving single items as long as that lowers the cost."""
    order = np.arange(len(cost))
    improved = True
    while improved:
        improved = False
        for at in range(len(order)):
            item, least, place = order[at], 0, at
            for step in (-1, 1):
                change, other = 0, at + step
                while 0 <= other < len(order):
                    change += step * (cost[order[other], item] - cost[item, order[other]])
                    if change < least:
                        least, place = change, other
                    other += step
            step = 1 if place > at else -1
            for other in range(at, place, step):
                order[other] = order[other + step]
            order[place] = item
            improved = improved or least < 0
    return order


@njit(cache=True, nogil=True)
def _cost_of(cost: Int64Array, order: Int64Array) -> int:
    total = 0
    for place in range(len(order)):
        for later in range(place + 1, len(order)):
            total += cost[order[place], order[later]]
    return total


@njit(cache=True, nogil=True)
def _bit(item: int) -> np.uint64:
    return _ONE << np.uint64(item)


@njit(cache=True, nogil=True)
def _sets_of(circles: Int64Array) -> UInt64Array:
    """Return the items of each cycle as a set."""
    sets = np.empty(len(circles), np.uint64)
    for row in range(len(circles)):
        i, j, k = circles[row]
        sets[row] = _bit(i) | _bit(j) | _bit(k)
    return sets


@njit(cache=True, nogil=True)
def _fill_increase(
    items: np.uint64,
    surplus: Int64Array,
    circles: Int64Array,
    circle_sets: UInt64Array,
    weight: Int64Array,
    increase: Int64Array,
) -> None:
    """Fill in the increase of a set's excess by each item that may come next."""
    m = len(surplus)
    increase[:] = 0
    for j in range(m):
        if not items & _bit(j):
            for k in range(m):
                if not items & _bit(k):
                    increase[j] += surplus[j, k]
    for row in range(len(circles)):
        if not circle_sets[row] & items:
            i, j, k = circles[row]
            increase[i] -= weight[row]
            increase[j] -= weight[row]
            increase[k] -= weight[row]


@njit(cache=True, nogil=True)
def _slot_of(items: np.uint64, sets: UInt64Array, slots: Int64Array) -> int:
    """Return the slot of a set in the hash table, or the slot where it belongs."""
    mixed = (items ^ (items >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    slot = int(mixed >> np.uint64(33)) % len(slots)
    while slots[slot] >= 0 and sets[slots[slot]] != items:
        slot = (slot + 1) % len(slots)
    return slot


@njit(cache=True, nogil=True)
def _enlarged(sets: UInt64Array, slots: Int64Array) -> Int64Array:
    """Return a hash table of the sets that is four times as large."""
    larger = np.full(4 * len(slots), -1)
    for number in range(len(sets)):
        larger[_slot_of(sets[number], sets, larger)] = number
    return larger


@njit(cache=True, nogil=True)
def _extend(
    sets: UInt64Array,
    excess: Int64Array,
    limit: int,
    surplus: Int64Array,
    circles: Int64Array,
    circle_sets: UInt64Array,
    weight: Int64Array,
) -> tuple[UInt64Array, Int64Array]:
    """Return all sets extended by one item, if their excess is at most the limit."""
    m = len(surplus)
    found = np.empty(len(sets) * m, np.uint64)
    least = np.empty(len(found), np.int64)
    slots, count = np.full(1024, -1), 0
    increase = np.empty(m, np.int64)
    for number in range(len(sets)):
        _fill_increase(sets[number], surplus, circles, circle_sets, weight, increase)
        for j in range(m):
            larger, reached = sets[number] | _bit(j), excess[number] + increase[j]
            if reached > limit or larger == sets[number]:
                continue
            slot = _slot_of(larger, found, slots)
            if slots[slot] >= 0:
                least[slots[slot]] = min(least[slots[slot]], reached)
                continue
            slots[slot], found[count], least[count] = count, larger, reached
            count += 1
            if 2 * count > len(slots):
                slots = _enlarged(found[:count], slots)
    return found[:count], least[:count]


@njit(cache=True, nogil=True)
def _most_to_keep(excess: Int64Array, width: int) -> int:
    """Return the largest excess at which about `width` sets are kept."""
    if len(excess) <= width:
        return _LARGEST
    most = int(np.partition(excess, width)[width])
    return most - 1 if np.count_nonzero(excess <= most) > 2 * width else most


@njit(cache=True, nogil=True)
def _last_item(
    items: np.uint64,
    reached: int,
    sets: UInt64Array,
    excess: Int64Array,
    surplus: Int64Array,
    circles: Int64Array,
    circle_sets: UInt64Array,
    weight: Int64Array,
) -> tuple[int, int]:
    """Return the largest item that is last in a best order of a set, and the index of the remaining
    set.
    """
    last, rest = -1, -1
    increase = np.empty(len(surplus), np.int64)
    for number in range(len(sets)):
        if sets[number] & ~items:
            continue
        _fill_increase(sets[number], surplus, circles, circle_sets, weight, increase)
        for j in range(last + 1, len(surplus)):
            if items ^ sets[number] == _bit(j) and excess[number] + increase[j] == reached:
                last, rest = j, number
    return last, rest


@njit(cache=True, nogil=True)
def _search(
    limit: int,
    width: int,
    surplus: Int64Array,
    circles: Int64Array,
    circle_sets: UInt64Array,
    weight: Int64Array,
) -> tuple[Int64Array, int, int]:
    """Search for the best order.

    Parameters
    ----------
    limit : int
        Excess of the best known order.
    width : int
        Number of sets of each size to keep.
    surplus : int64, shape (m, m)
        Costs of pairs above those paid in any order; zero on the diagonal.
    circles : int64, shape (T, 3)
    circle_sets : uint64, shape (T,)
    weight : int64, shape (T,)
        Positive.

    Returns
    -------
    int64, shape (m,) or (0,)
        The best order found; empty if no order within the limit was found.
    int
        The smallest excess of a dropped set.
    int
        Number of sets extended.
    """
    m = len(surplus)
    sets, excess = np.zeros(1, np.uint64), np.zeros(1, np.int64)
    all_sets, all_excesses = [sets], [excess]
    dropped, extended = _LARGEST, 0
    for _size in range(m):
        extended += len(sets)
        sets, excess = _extend(sets, excess, limit, surplus, circles, circle_sets, weight)
        kept = excess <= _most_to_keep(excess, width)
        for each in excess[~kept]:
            dropped = min(dropped, each)
        sets, excess = sets[kept], excess[kept]
        all_sets.append(sets)
        all_excesses.append(excess)
    order = np.empty(m * len(sets), np.int64)
    number = 0
    for place in range(len(order) - 1, -1, -1):
        order[place], number = _last_item(
            all_sets[place + 1][number],
            all_excesses[place + 1][number],
            all_sets[place],
            all_excesses[place],
            surplus,
            circles,
            circle_sets,
            weight,
        )
    return order, dropped, extended


@njit("Tuple((int64[::1], int64))(int64[:, ::1], int64)", cache=True, nogil=True)
def search_order(cost: Int64Array, most: int) -> tuple[Int64Array, int]:
    """Return an order with the smallest sum of ``cost[i, j]`` over i before j.

    Orders are built from the front. Among all orders of the items at the front, only the cheapest
    one matters (Held and Karp 1962), and the remaining items cost at least the bound of their own
    cycles and pairs. The *excess* of a set is a lower bound on the cost of orders that start with
    it, minus the bound for all items; it never decreases when an item is added to the set. For each
    size, some sets with the smallest excess are kept. If an order is found whose excess is below
    that of every dropped set, no order costs less, and all orders of this cost have been found.
    Otherwise the bound is improved and more sets are kept.

    Parameters
    ----------
    cost : int64, shape (m, m), C-contiguous
        Non-negative, and zero on the diagonal; m at most 63.
    most : int
        Number of extended sets after which no further round is started. Sets are counted instead of
        seconds, so that the result does not depend on the machine.

    Returns
    -------
    int64, shape (m,)
        The best order found. If it is proven optimal, it is the one among equally good orders with
        the largest index last, and so on to the front.
    int
        Lower bound on the cost of any order. The order is proven optimal if its cost equals this.
    """
    order = _improved_by_insertions(cost)
    found, bound = _cost_of(cost, order), 0
    circles, exact = circles_of(len(cost)), cost.astype(np.float64)
    weight = np.zeros(len(circles))
    surplus = np.empty_like(cost)
    width, steps, extended = _FIRST_WIDTH, _FIRST_STEPS, 0
    while True:
        raise_bound(exact, float(found), circles, weight, steps)
        used = np.flatnonzero(weight >= 1)
        some, whole = circles[used], np.floor(weight[used]).astype(np.int64)
        least = take_circles(cost, some, whole, surplus)
        for i in range(len(cost)):
            for j in range(i):
                paid = min(surplus[i, j], surplus[j, i])
                surplus[i, j] = cost[i, j] - paid
                surplus[j, i] = cost[j, i] - paid
        better, dropped, sets = _search(found - least, width, surplus, some, _sets_of(some), whole)
        if len(better):
            order, found = better, _cost_of(cost, better)
            if found - least < dropped:
                return order, found
        bound, extended = max(bound, least), extended + sets
        if extended >= most:
            return order, bound
        width, steps = _WIDER * width, _LONGER * steps
