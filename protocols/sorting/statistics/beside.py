"""The order of a sort beside the orders that other methods put the systems in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from protocols.sorting.statistics.judgments import PairJudgments, blocks_of
from protocols.sorting.statistics.orders import kendall_tau
from ranking.core.rankings.mean_scores import orders_by_methods

#: Methods that score the judgments of a sort. Expected Wins averages over the opponents that a system met, which differ
#: between systems in a sort; Bradley–Terry allows for that.
METHODS_BESIDE = ("expected_wins", "bradley_terry")
SORT = "sort"


@dataclass(frozen=True)
class OrdersBeside:
    """Orders of the same systems.

    Attributes
    ----------
    scores : mapping of str to mapping of str to float
        By the name of an order, that of the sort ("sort") first: a number for each system, higher is better. Scores of methods;
        the number of systems from the bottom for orders that are given as such. Without systems that a method cannot score.
    tau : mapping of (str, str) to float
        Kendall's τ_b of each two orders, both ways; NaN if there is none.
    """

    scores: Mapping[str, Mapping[str, float]]
    tau: Mapping[tuple[str, str], float]

    def order(self, name: str) -> tuple[str, ...]:
        """Return the systems of an order, best first; equal ones by name."""
        scores = self.scores[name]
        return tuple(sorted(scores, key=lambda system: (-scores[system], system)))


def orders_beside(
    order: Sequence[str],
    judged: Sequence[PairJudgments],
    others: Mapping[str, Sequence[str]],
) -> OrdersBeside:
    """Put other orders beside that of a sort.

    Parameters
    ----------
    order : sequence of str
        All systems, best first.
    judged : sequence of PairJudgments
        The judgments that `METHODS_BESIDE` score.
    others : mapping of str to sequence of str
        Further orders by name, each of these systems or some of them, best first.

    Returns
    -------
    OrdersBeside

    Raises
    ------
    ValueError
        If an order has an unknown system or one twice, or has the name of another order.
    """
    scores: dict[str, Mapping[str, float]] = {SORT: _from_bottom(order)}
    for found in orders_by_methods(blocks_of(judged, order), METHODS_BESIDE):
        scores[found.method] = found.scores
    for name, given in others.items():
        if name in scores:
            raise ValueError(f"there are two orders {name!r}")
        if unknown := [system for system in given if system not in order]:
            raise ValueError(f"order {name!r}: there is no system {unknown[0]!r}")
        if len(set(given)) < len(given):
            raise ValueError(f"order {name!r}: a system stands twice")
        scores[name] = _from_bottom(given)
    tau = {(one, two): kendall_tau(scores[one], scores[two]) for one in scores for two in scores}
    return OrdersBeside(scores, tau)


def _from_bottom(order: Sequence[str]) -> dict[str, float]:
    return {system: float(place) for place, system in enumerate(reversed(order))}
