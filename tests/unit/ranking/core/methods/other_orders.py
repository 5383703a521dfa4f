"""Cheapest orders by other means than the search of Lopez: all subsets, and integer programming."""

from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import optimize, sparse

from ranking.core.methods.lopez import Ordering, total_cost

Int64Array = npt.NDArray[np.int64]


def by_subsets(cost: Int64Array) -> Ordering:
    """Return the best order by dynamic programming over subsets."""
    m = len(cost)
    both = _with_index_order(cost)
    # after[j, S] is the cost of placing j behind the whole set S.
    after = np.zeros((m, 1 << m), dtype=np.int64)
    for i in range(m):
        np.add(
            after[:, : 1 << i],
            both[i][:, np.newaxis],
            out=after[:, 1 << i : 2 << i],
        )
    best = np.full(1 << m, np.iinfo(np.int64).max)
    best[0] = 0
    for sets in _sets_by_size(m)[:-1]:
        reached = best[sets]
        for j in range(m):
            without = (sets >> j) & 1 == 0
            smaller = sets[without]
            larger = smaller | (1 << j)
            best[larger] = np.minimum(
                best[larger],
                reached[without] + after[j, smaller],
            )
    placed, order = (1 << m) - 1, list[int]()
    while placed:
        j = next(
            j
            for j in range(m - 1, -1, -1)
            if placed >> j & 1
            and best[placed] == best[placed ^ 1 << j] + after[j, placed ^ 1 << j]
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


@lru_cache
def _sets_by_size(m: int) -> tuple[Int64Array, ...]:
    sets = np.arange(1 << m, dtype=np.int64)
    size = np.bitwise_count(sets)
    return tuple(np.flatnonzero(size == k) for k in range(m + 1))


def by_integer_programming(cost: Int64Array) -> int:
    """Return the cost of the best order by integer programming (HiGHS)."""
    m = len(cost)
    first, second = np.triu_indices(m, 1)
    number = np.zeros((m, m), dtype=np.int64)
    number[first, second] = np.arange(len(first))
    # x[i, j] = 1 if i comes before j, for i < j; 0 ≤ x[i, j] + x[j, k] − x[i, k] ≤ 1.
    i, j, k = np.array(list(combinations(range(m), 3))).T
    columns = np.stack([number[i, j], number[j, k], number[i, k]], axis=1)
    signs = np.tile(np.array([1, 1, -1]), len(i))
    rows = np.repeat(np.arange(len(i)), 3)
    circles = sparse.csr_array(
        (signs, (rows, columns.ravel())),
        shape=(len(i), len(first)),
    )
    solution = optimize.milp(
        cost[first, second] - cost[second, first],
        integrality=np.ones(len(first), dtype=np.int64),
        bounds=optimize.Bounds(0, 1),
        constraints=optimize.LinearConstraint(circles, 0, 1),
        options={"mip_rel_gap": 0.0},
    )
    assert solution.status == 0
    return round(solution.fun) + int(cost[second, first].sum())
