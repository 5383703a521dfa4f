"""Order of systems that contradicts the fewest pairwise judgments (Lopez 2012).

This is the linear ordering problem: the order of m items with the smallest total pairwise cost.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import NamedTuple, TypedDict

import numpy as np
from scipy.sparse import csgraph

from ranking.core.arrays import BoolArray, FloatArray, Int64Array, as_column
from ranking.core.counting.counts import Counts, chunks
from ranking.core.methods.shares import expected_wins
from ranking.core.scores import Scores, ordinal_ranks, shared_ranks

#: Up to so many items, the first round of the search holds all sets of a size, so it is always quick.
QUICK = 12
#: Number of sets that the search extends per second of its time limit before the last round, which
#: takes up to four times as long as all earlier ones.
_SETS_PER_SECOND = 8_000
#: Number of sets of each size kept in the first round, and its growth factor per round.
_FIRST_WIDTH = 1024
_WIDER = 4
#: Number of steps towards a better bound before the first round, and its growth factor per round.
_FIRST_STEPS = 120
_LONGER = 2
#: Number of steps without a better bound after which steps become shorter, and the factor.
_PATIENCE = 15
_SHORTER = 0.7
#: A step that closes a smaller share of the gap counts as one without a better bound.
_PROGRESS = 0.001
#: Share of earlier directions in the direction of a step.
_MEMORY = 0.8
#: Number of weights of cycles added up at a time.
_WEIGHTS_AT_A_TIME = 1 << 20


@dataclass(frozen=True)
class Ordering:
    """An order of m items, its cost, and a lower bound.

    Attributes
    ----------
    order : tuple of int
    cost : int
        Total cost of the order.
    bound : int
        Proven lower bound on the cost of any order; equal to `cost` if the order is optimal.
    """

    order: tuple[int, ...]
    cost: int
    bound: int

    @property
    def proven_optimal(self) -> bool:
        """True if the order is proven optimal."""
        return self.cost == self.bound


def minimum_cost_order(cost: Int64Array, *, time_limit: float) -> Ordering:
    """Return an order with the smallest sum of ``cost[i, j]`` over i before j.

    The search extends the sets of items that an optimal order may begin with, one item at a time
    (Held and Karp 1962). It leaves out sets that exceed a lower bound by more than the best known
    order does, and keeps a limited number of each size; each round has a better bound and keeps
    more. The order is optimal if it is better than all sets that were not kept.

    Parameters
    ----------
    cost : int64, shape (m, m)
        Non-negative.
    time_limit : float
        Seconds to search for a proof. The limit is converted to steps, so that the result does not
        depend on the machine; the time is then approximate.

    Returns
    -------
    Ordering
        Among optimal orders, one with the fewest pairs out of index order, and among these the one
        with the largest index last, and so on to the front. If the time limit ended the search, an
        order in which no item can be moved to lower the cost, or to have fewer pairs out of index
        order at the same cost.
    """
    m = len(cost)
    if m == 1:
        return Ordering((0,), 0, 0)
    both = _break_ties_by_index(cost)
    order = _improve_by_insertions(both, range(m))
    circles = circles_of(m)
    weight = np.zeros(circles.shape[1])
    bound = 0
    extended = 0
    width = _FIRST_WIDTH
    steps = 0
    if m > QUICK:
        steps = _FIRST_STEPS
    while True:
        best = total_cost(both, order)
        raise_bound(both, best, circles, weight, steps)
        whole = np.floor(weight)
        lower, remaining = take_circles(both, circles, whole)
        least = int(lower)
        cheaper = np.minimum(remaining, remaining.T)
        surplus = both.astype(np.float64) - cheaper
        weight_by_items = _cycle_weights_by_items(circles, whole, m)
        better, dropped, sets = _search(best - least, width, surplus, weight_by_items)
        if better:
            order = better
            best = total_cost(both, better)
            excess = best - least
            if excess < dropped:
                optimum = total_cost(cost, order)
                return Ordering(tuple(order), optimum, optimum)
        bound = max(bound, least)
        extended += sets
        if extended >= time_limit * _SETS_PER_SECOND:
            break
        width *= _WIDER
        steps *= _LONGER
    order = _improve_by_insertions(both, order)
    # Up to m (m − 1) / 2 pairs out of index order add 1 each; a unit of cost adds m², rounded up.
    out_of_order = m * (m - 1) // 2
    bound = -((out_of_order - bound) // (m * m))
    return Ordering(tuple(order), total_cost(cost, order), max(0, bound))


def _break_ties_by_index(cost: Int64Array) -> Int64Array:
    """Return costs that rank orders by cost, and then by the number of pairs out of index order.

    A pair out of index order adds 1, which is less than a unit of cost for all pairs together.
    """
    m = len(cost)
    out_of_order = np.tri(m, k=-1, dtype=np.int64)
    both: Int64Array = cost * (m * m) + out_of_order
    np.fill_diagonal(both, 0)
    return both


def total_cost(cost: Int64Array, order: Sequence[int]) -> int:
    """Return the cost of an order."""
    index = list(order)
    in_order = cost[np.ix_(index, index)]
    return int(np.triu(in_order, 1).sum())


def _improve_by_insertions(cost: Int64Array, order: Sequence[int]) -> list[int]:
    """Move single items of the order as long as that lowers the cost, and return the result."""
    current = list(order)
    improved = True
    while improved:
        improved = False
        for item in order:
            rest = [other for other in current if other != item]
            # Cost of the item in each gap, with the items before and behind it.
            ahead = np.cumsum(cost[rest, item])
            from_the_end = cost[item, rest][::-1]
            behind = np.cumsum(from_the_end)[::-1]
            cost_in_gap = np.append(0, ahead) + np.append(behind, 0)
            best_gap = int(np.argmin(cost_in_gap))
            gap = current.index(item)
            if cost_in_gap[best_gap] < cost_in_gap[gap]:
                current = [*rest[:best_gap], item, *rest[best_gap:]]
                improved = True
    return current


def circles_of(m: int) -> Int64Array:
    """Return all cycles of three of m items, in both directions, shape (3, m (m−1) (m−2) / 3)."""
    threes = [*combinations(range(m), 3)]
    items = np.array(threes, dtype=np.int64).reshape(-1, 3).T
    backwards = items[[0, 2, 1]]
    return np.concatenate([items, backwards], axis=1)


def take_circles(
    cost: Int64Array,
    circles: Int64Array,
    weight: FloatArray,
) -> tuple[float, FloatArray]:
    """Return a lower bound on the cost of any order, and the costs left by the weights of cycles.

    Every order has at least one of a cycle's items before the next.

    Parameters
    ----------
    cost : int64, shape (m, m)
    circles : int64, shape (3, T)
    weight : float64, shape (T,)
        Non-negative.

    Returns
    -------
    float, float64 of shape (m, m)
        The costs left may be negative. Whole weights give exact results.
    """
    m = len(cost)
    nexts = circles[[1, 2, 0]]
    pairs = circles * m + nexts
    cycle_costs = np.bincount(pairs.ravel(), np.tile(weight, 3), m * m)
    remaining = cost.astype(np.float64)
    remaining -= cycle_costs.reshape(m, m)
    cheaper = np.minimum(remaining, remaining.T)
    cost_of_pairs = np.tril(cheaper, -1).sum()
    return float(weight.sum() + cost_of_pairs), remaining


def raise_bound(
    cost: Int64Array,
    target: float,
    circles: Int64Array,
    weight: FloatArray,
    steps: int,
) -> None:
    """Change the weights of cycles to raise the bound, by the subgradient method.

    Parameters
    ----------
    cost : int64, shape (m, m)
    target : float
        Cost of a known order. It stops when the bound is less than 1 below.
    circles : int64, shape (3, T)
    weight : float64, shape (T,)
        Changed to the weights with the best bound.
    steps : int
        Maximum number of steps.

    References
    ----------
    M. Held, P. Wolfe, H. P. Crowder (1974), Validation of Subgradient Optimization, Mathematical
    Programming 6.
    """
    current = weight.copy()
    nexts = circles[[1, 2, 0]]
    before = np.zeros(cost.shape)
    best = -np.inf
    length = 1.0
    failures = 0
    for number in range(steps):
        bound, remaining = take_circles(cost, circles, current)
        if bound > best + _PROGRESS * (target - best):
            failures = 0
        else:
            failures += 1
        if bound > best:
            best = bound
            weight[:] = current
        if best > target - 1:
            return
        if failures > _PATIENCE:
            length *= _SHORTER
            failures = 0
            current = weight.copy()
            continue
        # An order of each pair at the bound: 1 if the first item comes before the second.
        first = (1 + np.sign(remaining.T - remaining)) / 2
        if number:
            before = _MEMORY * before + (1 - _MEMORY) * first
        else:
            before = first
        slope = 1 - before[circles, nexts].sum(axis=0)
        at_zero = current <= 0
        slope[(slope < 0) & at_zero] = 0
        squares = float(slope @ slope)
        if squares > 0:
            step = length * (target - bound) / squares
            current = np.maximum(0, current + step * slope)


def _cycle_weights_by_items(
    circles: Int64Array,
    weight: FloatArray,
    m: int,
) -> FloatArray:
    """Return the weight of the cycles of each three of m items, in any order, shape (m, m, m)."""
    cost_by_items = np.zeros((m, m, m))
    for items in permutations(circles):
        np.add.at(cost_by_items, items, weight)
    return cost_by_items


def _search(
    limit: int,
    width: int,
    surplus: FloatArray,
    weight: FloatArray,
) -> tuple[list[int], float, int]:
    """Search for an order that exceeds the lower bound by at most a limit.

    Parameters
    ----------
    limit : int
    width : int
        About so many sets of each size are kept, those with the smallest excess.
    surplus : float64, shape (m, m)
        Excess of having an item before another, before the weights of cycles are subtracted.
    weight : float64, shape (m, m, m)
        Weights of cycles by items. They are subtracted with the first item of the cycle.

    Returns
    -------
    list of int, float, int
        The order, empty if there is none; the smallest excess of a set that was not kept; and the
        number of sets extended.
    """
    m = len(surplus)
    sets = np.zeros((1, m), dtype=np.bool_)
    excess = np.zeros(1)
    # Excess that each item adds to each set: whole numbers, exact up to 2**53.
    added = surplus.sum(axis=1) - weight.sum(axis=(1, 2)) / 2
    added = added[np.newaxis]
    levels: list[_Level] = []
    dropped = np.inf
    extended = 0
    sets_at_a_time = max(1, _WEIGHTS_AT_A_TIME // m**2)
    while len(levels) < m and len(sets):
        extended += len(sets)
        reached = as_column(excess) + added
        may_follow = ~sets & (reached <= limit)
        row, item = np.nonzero(may_follow)
        larger = sets[row]
        larger[np.arange(len(row)), item] = True
        least = reached[row, item]
        beam = _least_of_each(larger, least, item)
        if len(beam) > width:
            excess = least[beam]
            most = _most_kept(excess, width)
            dropped = excess[excess > most].min(initial=dropped)
            beam = beam[excess <= most]
        level = _Level(row[beam], item[beam])
        levels.append(level)
        added = added[level.row] - surplus[:, level.item].T
        for rows in chunks(len(beam), sets_at_a_time):
            is_outside = ~sets[level.row[rows]]
            weight_of_item = weight[level.item[rows]]
            reduction = weight_of_item @ as_column(is_outside)
            added[rows] += reduction[:, :, 0]
        sets = larger[beam]
        excess = least[beam]
    order = list[int]()
    position = 0
    if len(sets):
        for level in reversed(levels):
            order.append(int(level.item[position]))
            position = int(level.row[position])
    return order[::-1], dropped, extended


class _Level(NamedTuple):
    """The kept sets of one size: each one's row among the sets of one item less, and the item added."""

    row: Int64Array
    item: Int64Array


def _most_kept(excess: FloatArray, width: int) -> float:
    """Return the largest excess of the about `width` sets to keep, without splitting equal ones."""
    most = float(np.partition(excess, width)[width])
    if np.count_nonzero(excess <= most) > 2 * width:
        return most - 1
    return most


def _least_of_each(sets: BoolArray, excess: FloatArray, item: Int64Array) -> Int64Array:
    """Return the row of each distinct set with the least excess, and of these with the largest
    item.
    """
    packed = np.packbits(sets, axis=1)
    order = np.lexsort((-item, excess, *packed.T))
    in_order = packed[order]
    is_first = np.ones(len(order), dtype=np.bool_)
    is_first[1:] = np.any(in_order[1:] != in_order[:-1], axis=1)
    return order[is_first]


#: Seconds to search for a proof of optimality if many systems beat each other in cycles.
TIME_LIMIT = 60.0


def lopez_order(wins: Int64Array, *, time_limit: float = TIME_LIMIT) -> Ordering:
    """Return an order with the fewest violations (Lopez 2012; Koehn 2012, §4.2).

    The cost of an order is the sum, over pairs with the system j placed behind i, of
    ``max(0, win(j, i) − win(i, j))``. (Equation 3 of Koehn 2012, as printed, sums the pairs in
    order instead.) Ties are dropped.

    Systems that beat each other in a cycle form components; components can be ordered without any
    violation. Within a component, `minimum_cost_order` searches.

    Several orders can be optimal. The result is the one with the fewest pairs that contradict the
    order of Expected Wins, so it does not depend on the indices of systems unless their Expected
    Wins are also equal. This is not guaranteed if the time limit ends the search, but even then no
    system can be moved towards the order of Expected Wins at no cost.

    Parameters
    ----------
    wins : int64, shape (n, n)
        ``wins[a, b]`` comparisons won by a against b.
    time_limit : float
        Seconds to search for a proof for each component, converted to steps. Afterwards, the best
        order found is returned with the proven bound.

    Returns
    -------
    Ordering
        Order of the systems with at least one decided comparison; its cost is the number of
        violated comparisons.

    References
    ----------
    A. Lopez (2012), Putting Human Assessments of Machine Translation Systems in Order, WMT.
    P. Koehn (2012), Simulating Human Judgment in Machine Translation Evaluation Campaigns, IWSLT.
    M. Held, R. M. Karp (1962), A Dynamic Programming Approach to Sequencing Problems, J. SIAM 10.
    M. Grötschel, M. Jünger, G. Reinelt (1984), A Cutting Plane Algorithm for the Linear Ordering
    Problem, Operations Research 32.
    """
    rank = ordinal_ranks(expected_wins(wins))
    # The code below uses indices in the order of Expected Wins, 0 for the best.
    has_rank = np.flatnonzero(rank)
    by_rank = np.argsort(rank[has_rank])
    systems = has_rank[by_rank]
    table = wins[np.ix_(systems, systems)]
    cost = np.maximum(table.T - table, 0)
    order: list[int] = []
    total = 0
    bound = 0
    for members in _components(cost):
        own_cost = cost[np.ix_(members, members)]
        part = minimum_cost_order(own_cost, time_limit=time_limit)
        ordered_members = members[list(part.order)]
        order += systems[ordered_members].tolist()
        total += part.cost
        bound += part.bound
    return Ordering(tuple(order), total, bound)


def _components(cost: Int64Array) -> list[Int64Array]:
    """Return groups of systems in an order without cost between groups.

    ``cost[j, i] > 0`` means that i beat j more often than not. Among the groups that may come next,
    the one with the smallest index is chosen.
    """
    n = len(cost)
    beats = cost.T > 0
    count, member = csgraph.connected_components(
        beats,
        directed=True,
        connection="strong",
    )
    if count == n and not np.any(np.tril(beats)):
        return list(as_column(np.arange(n)))
    one_hot = np.zeros((count, n), dtype=np.int64)
    one_hot[member, np.arange(n)] = 1
    precedes = (one_hot @ beats @ one_hot.T) > 0
    np.fill_diagonal(precedes, False)
    # The groups by their smallest indices.
    first_members = np.argmax(one_hot, axis=1)
    waiting = np.argsort(first_members)
    ordered = []
    while len(waiting):
        is_preceded = precedes[np.ix_(waiting, waiting)].any(axis=0)
        position = int(np.argmin(is_preceded))
        ordered.append(np.flatnonzero(member == waiting[position]))
        waiting = np.delete(waiting, position)
    return ordered


def scores(counts: Counts, *, time_limit: float = TIME_LIMIT) -> Scores:
    """Score each system by the number of systems behind it in the Lopez order.

    Parameters
    ----------
    counts : Counts of shape (..., n, n)
    time_limit : float
        As for `lopez_order`, for each sample.

    Returns
    -------
    Scores
        Integers, shape (..., n). A system without a decided comparison cannot be estimated. In a
        single sample, systems with an arbitrary order have equal scores: see
        `_equalise_tied_scores`.
    """
    *samples, n = counts.wins.shape[:-1]
    values = np.full((*samples, n), np.nan)
    for sample in np.ndindex(*samples):
        order = lopez_order(counts.wins[sample], time_limit=time_limit).order
        systems_behind = np.arange(len(order))[::-1]
        values[sample][list(order)] = systems_behind
    if not samples:
        _equalise_tied_scores(values, counts.wins)
    return Scores(values=values, estimable=~np.isnan(values))


def _equalise_tied_scores(values: FloatArray, wins: Int64Array) -> None:
    """Assign equal scores to neighbours that only their index separates.

    These have equal Expected Wins, and equally many wins and losses against each other.
    """
    preference, _last = shared_ranks(expected_wins(wins))
    has_order = np.flatnonzero(~np.isnan(values))
    best_first = np.argsort(-values[has_order])
    order = has_order[best_first]
    begin = 0
    for end in range(1, len(order) + 1):
        equals = order[begin:end]
        if end < len(order):
            system = order[end]
            same_rank = preference[equals] == preference[system]
            same_wins = wins[equals, system] == wins[system, equals]
            if np.all(same_rank & same_wins):
                continue
        values[equals] = values[equals[-1]]
        begin = end


class LopezDiagnostics(TypedDict):
    """Number of violated comparisons of an order, and its proven lower bound, as plain JSON."""

    violations: int
    proven_optimal: bool
    lower_bound: int
    order: list[str]


def comment(
    counts: Counts,
    systems: tuple[str, ...],
    *,
    time_limit: float = TIME_LIMIT,
) -> LopezDiagnostics:
    """Return the order, its violations and their proven bound."""
    ordering = lopez_order(counts.wins, time_limit=time_limit)
    return LopezDiagnostics(
        violations=ordering.cost,
        proven_optimal=ordering.proven_optimal,
        lower_bound=ordering.bound,
        order=[systems[index] for index in ordering.order],
    )
