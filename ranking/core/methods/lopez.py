"""Order of systems that contradicts the fewest pairwise judgments (Lopez 2012).

This is the linear ordering problem: the order of m items with the smallest total pairwise cost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
from scipy.sparse import csgraph

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.counting.counts import Counts
from ranking.core.methods.shares import expected_wins
from ranking.core.scores import NotEstimable, Scores, ordinal_ranks, shared_ranks

#: Maximum number of items for dynamic programming over all subsets, which takes m · 2**m steps in
#: numpy; for more, the search is faster, but has to be compiled.
MAX_BY_SUBSETS = 12
#: Maximum number of items for the search, which stores a set of items as the bits of one number.
MAX_BY_SEARCH = 63
#: Number of sets that the search extends per second of its time limit before the last round. A set
#: takes 2 to 5 microseconds, and the last round takes up to four times as long as all earlier ones.
_SETS_PER_SECOND = 35_000


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

    Parameters
    ----------
    cost : int64, shape (m, m)
        Non-negative.
    time_limit : float
        Seconds to search for a proof, for more than `MAX_BY_SUBSETS` items. For up to
        `MAX_BY_SEARCH` items, the limit is converted to steps, so that the result does not depend
        on the machine; the time is then approximate.

    Returns
    -------
    Ordering
        Among optimal orders, one with the fewest pairs out of index order, and among these the one
        with the largest index last, and so on to the front. With more than `MAX_BY_SEARCH` items,
        or if the time limit ended the search, an order in which no item can be moved to lower the
        cost, or to have fewer pairs out of index order at the same cost.
    """
    if len(cost) <= MAX_BY_SUBSETS:
        return _by_subsets(cost)
    if len(cost) > MAX_BY_SEARCH:
        return _by_integer_programming(cost, time_limit)
    return _by_search(cost, int(_SETS_PER_SECOND * time_limit))


def total_cost(cost: Int64Array, order: Sequence[int]) -> int:
    """Return the cost of an order."""
    index = list(order)
    return int(np.triu(cost[np.ix_(index, index)], 1).sum())


def _by_subsets(cost: Int64Array) -> Ordering:
    """Return the best order by dynamic programming over subsets."""
    m = len(cost)
    both = _with_index_order(cost)
    # after[j, S] is the cost of placing j behind the whole set S.
    after = np.zeros((m, 1 << m), dtype=np.int64)
    for i in range(m):
        np.add(after[:, : 1 << i], both[i][:, np.newaxis], out=after[:, 1 << i : 2 << i])
    best = np.full(1 << m, np.iinfo(np.int64).max)
    best[0] = 0
    for sets in _sets_by_size(m)[:-1]:
        reached = best[sets]
        for j in range(m):
            without = (sets >> j) & 1 == 0
            smaller = sets[without]
            larger = smaller | (1 << j)
            best[larger] = np.minimum(best[larger], reached[without] + after[j, smaller])
    placed, order = (1 << m) - 1, list[int]()
    while placed:
        j = next(
            j
            for j in range(m - 1, -1, -1)
            if placed >> j & 1 and best[placed] == best[placed ^ 1 << j] + after[j, placed ^ 1 << j]
        )
        order.insert(0, j)
        placed ^= 1 << j
    found = total_cost(cost, order)
    return Ordering(tuple(order), found, found)


def _with_index_order(cost: Int64Array) -> Int64Array:
    """Return costs that rank orders by cost, and then by pairs out of index order."""
    m = len(cost)
    both = np.ascontiguousarray(cost * (m * m) + np.tri(m, k=-1, dtype=np.int64))
    np.fill_diagonal(both, 0)
    return both


def _by_search(cost: Int64Array, most: int) -> Ordering:
    """Return the best order found by a search with a lower bound."""
    from ranking.core.methods.lopez_kernels import search_order

    m = len(cost)
    both = _with_index_order(cost)
    best, least = search_order(both, most)
    if total_cost(both, best.tolist()) == least:
        found = total_cost(cost, best.tolist())
        return Ordering(tuple(best.tolist()), found, found)
    order = _with_insertions(both, tuple(best.tolist()))
    # Up to m (m − 1) / 2 pairs out of index order add 1 each; a unit of cost adds m², rounded up.
    bound = -((m * (m - 1) // 2 - least) // (m * m))
    return Ordering(order, total_cost(cost, order), max(0, bound))


@lru_cache(maxsize=MAX_BY_SUBSETS + 1)
def _sets_by_size(m: int) -> tuple[Int64Array, ...]:
    sets = np.arange(1 << m, dtype=np.int64)
    size = np.bitwise_count(sets)
    return tuple(np.flatnonzero(size == k) for k in range(m + 1))


def _by_integer_programming(cost: Int64Array, time_limit: float) -> Ordering:
    """Return the best order by integer programming, with the constraint that no three items form a
    cycle.
    """
    from scipy import optimize, sparse  # as slow to import as the rest of the core

    m = len(cost)
    first, second = np.triu_indices(m, 1)
    number = np.zeros((m, m), dtype=np.int64)
    number[first, second] = np.arange(len(first))
    # x[i, j] = 1 if i comes before j, for i < j; 0 ≤ x[i, j] + x[j, k] − x[i, k] ≤ 1.
    i, j, k = np.array(list(combinations(range(m), 3))).T
    columns = np.stack([number[i, j], number[j, k], number[i, k]], axis=1)
    signs = np.tile(np.array([1, 1, -1]), len(i))
    rows = np.repeat(np.arange(len(i)), 3)
    circles = sparse.csr_array((signs, (rows, columns.ravel())), shape=(len(i), len(first)))
    solution = optimize.milp(
        cost[first, second] - cost[second, first],
        integrality=np.ones(len(first), dtype=np.int64),
        bounds=optimize.Bounds(0, 1),
        constraints=optimize.LinearConstraint(circles, 0, 1),
        options={"time_limit": time_limit, "mip_rel_gap": 0.0},
    )
    start = tuple(range(m))
    if solution.x is not None:
        before = np.zeros((m, m))
        before[first, second] = np.round(solution.x)
        before[second, first] = 1 - before[first, second]
        start = tuple(np.argsort(-before.sum(axis=1), kind="stable").tolist())
    order = _with_insertions(_with_index_order(cost), start)
    reached = total_cost(cost, order)
    if solution.status == 0:
        proven = float(solution.fun)
    else:
        dual = solution.get("mip_dual_bound")
        proven = -math.inf if dual is None else float(dual)
    at_least = np.minimum(cost[first, second], cost[second, first]).sum()
    constant = cost[second, first].sum()
    if math.isfinite(proven):
        # Costs are integers: a bound just below an integer is that integer.
        at_least = max(at_least, math.ceil(proven - 1e-6 * max(1.0, abs(proven))) + constant)
    return Ordering(order, reached, min(reached, int(at_least)))


def _with_insertions(cost: Int64Array, order: tuple[int, ...]) -> tuple[int, ...]:
    """Move single items of the order as long as that lowers the cost, and return the result."""
    current = list(order)
    improved = True
    while improved:
        improved = False
        for item in order:
            rest = [other for other in current if other != item]
            # Cost of the item in each gap, with the items before and behind it.
            ahead = np.concatenate([[0], np.cumsum(cost[rest, item])])
            behind = np.concatenate([np.cumsum(cost[item, rest][::-1])[::-1], [0]])
            at = current.index(item)
            best = int(np.argmin(ahead + behind))
            if (ahead + behind)[best] < (ahead + behind)[at]:
                current = [*rest[:best], item, *rest[best:]]
                improved = True
    return tuple(current)


#: Seconds to search for a proof of optimality if many systems beat each other in cycles.
TIME_LIMIT = 60.0


def lopez_order(wins: Int64Array, *, time_limit: float = TIME_LIMIT) -> Ordering:
    """Return an order with the fewest violations (Lopez 2012; Koehn 2012, §4.2).

    The cost of an order is the sum, over pairs with the system j placed behind i, of
    ``max(0, win(j, i) − win(i, j))``. (Equation 3 of Koehn 2012, as printed, sums the pairs in
    order instead.) Ties are dropped.

    Systems that beat each other in a cycle form components; components can be ordered without any
    violation. Within a component, the order is found by dynamic programming over subsets for up to
    12 systems, by a search with a lower bound for up to 63, and by integer programming beyond.

    Several orders can be optimal. The result is the one with the fewest pairs that contradict the
    order of Expected Wins, so it does not depend on the indices of systems unless their Expected
    Wins are also equal. This is not guaranteed if a component has more than 63 systems or the time
    limit ends the search, but even then no system can be moved towards the order of Expected Wins
    at no cost.

    Parameters
    ----------
    wins : int64, shape (n, n)
        ``wins[a, b]`` comparisons won by a against b.
    time_limit : float
        Seconds to search for a proof, for more than 12 systems in a component; converted to steps
        for up to 63 systems. Afterwards, the best order found is returned with the proven bound.

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
    preference = expected_wins(wins)
    rank = ordinal_ranks(preference)
    # The code below uses indices in the order of Expected Wins, 0 for the best.
    systems = np.argsort(np.where(rank > 0, rank, len(rank) + 1), kind="stable")
    systems = systems[: np.count_nonzero(rank)]
    table = wins[np.ix_(systems, systems)]
    cost = np.maximum(table.T - table, 0)
    found = [
        (members, minimum_cost_order(cost[np.ix_(members, members)], time_limit=time_limit))
        for members in _components(cost)
    ]
    order = [int(systems[members[i]]) for members, part in found for i in part.order]
    cost_of_all = sum(part.cost for _, part in found)
    return Ordering(tuple(order), cost_of_all, sum(part.bound for _, part in found))


def _components(cost: Int64Array) -> list[Int64Array]:
    """Return groups of systems in an order without cost between groups.

    ``cost[j, i] > 0`` means that i beat j more often than not. Among the groups that may come next,
    the one with the smallest index is chosen.
    """
    n = len(cost)
    beats = cost.T > 0
    count, member = csgraph.connected_components(beats, directed=True, connection="strong")
    if count == n and not np.any(np.tril(beats)):
        return [np.array([i]) for i in range(n)]
    one_hot = np.zeros((count, n), dtype=np.int64)
    one_hot[member, np.arange(n)] = 1
    precedes = (one_hot @ beats @ one_hot.T) > 0
    np.fill_diagonal(precedes, False)
    first_of = np.array([np.flatnonzero(member == group)[0] for group in range(count)])
    waiting = sorted(range(count), key=lambda group: int(first_of[group]))
    ordered = []
    while waiting:
        group = next(g for g in waiting if not precedes[waiting, g].any())
        waiting.remove(group)
        ordered.append(np.flatnonzero(member == group))
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
        `_without_arbitrary_order`.
    """
    n = counts.wins.shape[-1]
    tables = counts.wins.reshape(math.prod(counts.wins.shape[:-2]), n, n)
    values = np.full((len(tables), n), np.nan)
    for row, table in zip(values, tables, strict=True):
        order = lopez_order(table, time_limit=time_limit).order
        row[list(order)] = np.arange(len(order) - 1, -1, -1)
    if counts.wins.ndim == 2:
        _without_arbitrary_order(values[0], counts.wins)
    shape = counts.wins.shape[:-1]
    return Scores(values=values.reshape(shape), estimable=~np.isnan(values).reshape(shape))


def _without_arbitrary_order(values: FloatArray, wins: Int64Array) -> None:
    """Assign equal scores to neighbours that only their index separates.

    These have equal Expected Wins, and equally many wins and losses against each other.
    """
    preference, _last = shared_ranks(expected_wins(wins))
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(-values[known], kind="stable")].tolist()
    begin = 0
    for end in range(1, len(order) + 1):
        if end < len(order) and all(
            preference[order[end]] == preference[each]
            and wins[each, order[end]] == wins[order[end], each]
            for each in order[begin:end]
        ):
            continue
        values[order[begin:end]] = values[order[end - 1]]
        begin = end


def comment(
    counts: Counts, systems: tuple[str, ...], *, time_limit: float = TIME_LIMIT
) -> tuple[dict[str, Any], dict[int, NotEstimable]]:
    """Return the violations of the order and their proven bound, as plain JSON."""
    found = lopez_order(counts.wins, time_limit=time_limit)
    extra = {
        "violations": found.cost,
        "proven_optimal": found.proven_optimal,
        "lower_bound": found.bound,
        "order": [systems[index] for index in found.order],
    }
    return extra, {}
