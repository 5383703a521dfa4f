"""What verdicts say of the order of systems before all are there: who is before whom, and between which places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from protocols.sorting.statistics.merge_insertion import Verdict

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PartialOrder:
    """The order of n systems as far as it is known.

    Attributes
    ----------
    systems : tuple of str, length n
        By the middle of the places that each may take, best first.
    won : bool, shape (n, n)
        ``won[a, b]``: a verdict says that a is better than b.
    better : bool, shape (n, n)
        The same, or it follows from verdicts: a is better than some c that is better than b.
    """

    systems: tuple[str, ...]
    won: BoolArray
    better: BoolArray

    def places(self, system: int) -> tuple[int, int]:
        """Return the first and the last place, from 1, that a system may take."""
        above, below = self.better[:, system].sum(), self.better[system].sum()
        return 1 + int(above), len(self.systems) - int(below)


def partial_order(systems: Sequence[str], verdicts: Iterable[Verdict]) -> PartialOrder:
    """Return what verdicts that do not contradict each other, as those of a sort, say of the order.

    Raises
    ------
    ValueError
        If they go round in a circle.
    """
    names = sorted(systems)
    index = {name: place for place, name in enumerate(names)}
    won = np.zeros((len(names), len(names)), dtype=np.bool_)
    for verdict in verdicts:
        won[index[verdict.winner], index[verdict.loser]] = True
    better = won.copy()
    for middle in range(len(names)):
        better |= better[:, [middle]] & better[[middle]]
    if better.diagonal().any():
        raise ValueError("verdicts: they go round in a circle")
    # Twice the middle of its places, less a constant.
    middles = better.sum(axis=0) - better.sum(axis=1)
    order = sorted(range(len(names)), key=lambda place: (int(middles[place]), names[place]))
    return PartialOrder(
        tuple(names[place] for place in order),
        won[np.ix_(order, order)],
        better[np.ix_(order, order)],
    )
