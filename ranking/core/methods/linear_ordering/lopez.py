"""Lopez: the order of the systems that contradicts the fewest pairwise judgments."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csgraph

from ranking.core.counting.counts import Counts
from ranking.core.methods.expected_wins import expected_wins
from ranking.core.methods.linear_ordering.solver import Ordering, minimum_cost_order
from ranking.core.scores import NotEstimable, Scores, ordinal_ranks, shared_ranks

Int64Array = npt.NDArray[np.int64]

#: Seconds to search for a proof of optimality, if many systems beat each other in circles.
TIME_LIMIT = 60.0


@dataclass(frozen=True)
class LopezOrder:
    """The order with the fewest violations found.

    Attributes
    ----------
    order : tuple of int
        Indices of the systems that have a decided comparison, best first.
    violations : int
        Sum over pairs of the number of judgments by which the later system beat the earlier one.
    bound : int
        No order has fewer violations than this.
    """

    order: tuple[int, ...]
    violations: int
    bound: int

    @property
    def proven_optimal(self) -> bool:
        """Whether it is proven that no order has fewer violations."""
        return self.violations == self.bound


def lopez_order(wins: Int64Array, *, time_limit: float = TIME_LIMIT, tables: int = 1) -> LopezOrder:
    """Return an order of minimum violations (Lopez 2012; Koehn 2012, §4.2).

    The cost of an order is the sum, over pairs with the system j placed behind i, of
    ``max(0, win(j, i) − win(i, j))``. (Equation 3 of Koehn 2012, as printed, sums the pairs in
    order instead.) Ties are dropped.

    Systems that beat each other in a circle form components; components can be ordered without any
    violation. Within a component, the order is found by dynamic programming over subsets for up to
    18 systems, by a search with a lower bound for up to 63, and by integer programming beyond.

    Several orders can be optimal. The result is the one with the fewest pairs that contradict the
    order of Expected Wins, so it does not depend on the numbers of systems unless their Expected
    Wins are also equal. This is not certain if a component has more than 63 systems or the time
    limit ends the search, but no system can be moved towards the order of Expected Wins at no cost.

    Parameters
    ----------
    wins : int64, shape (n, n)
        ``wins[a, b]`` comparisons won by a against b.
    time_limit : float
        Seconds to search for a proof, for more than 24 systems in a component; counted in steps for
        up to 63 systems. Then the best order found is returned, with the proven bound.
    tables : int
        Number of tables like this one to order; as for `minimum_cost_order`.

    Returns
    -------
    LopezOrder
        The order of the systems with at least one decided comparison.

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
    # All code below uses indices in the order of Expected Wins, 0 for the best.
    systems = np.argsort(np.where(rank > 0, rank, len(rank) + 1), kind="stable")
    systems = systems[: np.count_nonzero(rank)]
    table = wins[np.ix_(systems, systems)]
    cost = np.maximum(table.T - table, 0)
    order_of = partial(minimum_cost_order, time_limit=time_limit, tables=tables)
    found = [(members, order_of(cost[np.ix_(members, members)])) for members in _components(cost)]
    order = [int(systems[members[i]]) for members, part in found for i in part.order]
    return LopezOrder(tuple(order), *_totals([part for _, part in found]))


def _totals(parts: list[Ordering]) -> tuple[int, int]:
    return sum(part.cost for part in parts), sum(part.bound for part in parts)


def _components(cost: Int64Array) -> list[Int64Array]:
    """Return groups of systems in an order in which they follow each other at no cost.

    ``cost[j, i] > 0`` means that i beat j more often than not. Of the groups that may come next,
    the one with the smallest index comes next.
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
        Of shape (..., n), integers. A system without a decided comparison is not estimable. In a
        single sample, systems that nothing orders have equal scores: see `_without_arbitrary_order`.
    """
    n = counts.wins.shape[-1]
    tables = counts.wins.reshape(math.prod(counts.wins.shape[:-2]), n, n)
    values = np.full((len(tables), n), np.nan)
    for row, table in zip(values, tables, strict=True):
        order = lopez_order(table, time_limit=time_limit, tables=len(tables)).order
        row[list(order)] = np.arange(len(order) - 1, -1, -1)
    if counts.wins.ndim == 2:
        _without_arbitrary_order(values[0], counts.wins)
    shape = counts.wins.shape[:-1]
    return Scores(values=values.reshape(shape), estimable=~np.isnan(values).reshape(shape))


def _without_arbitrary_order(values: npt.NDArray[np.float64], wins: Int64Array) -> None:
    """Give neighbours in the order equal scores if only their index sets them apart.

    These have equal Expected Wins, and as many wins as losses against each other.
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
        "violations": found.violations,
        "proven_optimal": found.proven_optimal,
        "lower_bound": found.bound,
        "order": [systems[index] for index in found.order],
    }
    return extra, {}
