"""Groups of systems with bounded differences of abilities, and the order of the groups.

The maximum of the likelihood of Bradley and Terry's model, or of Davidson's, is finite only within
a group of systems that reach each other by chains of comparisons, each won or tied by the former
system (Ford 1957). Between groups, all wins go in one direction: the groups have an order, at an
infinite distance. Systems that no chain of comparisons links have no order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Separation:
    """Groups of n systems, and their order, in S samples of comparisons.

    Attributes
    ----------
    bounded : bool, shape (S, n, n)
        Whether the data bound the difference of two systems. This is an equivalence relation; its
        classes are the groups in which abilities are finite.
    component : int64, shape (S, n)
        The same number for systems that a chain of comparisons, won, tied or lost, links.
    standing : int64, shape (S, n)
        Of two systems of one component at infinite distance, the one with the larger standing comes
        first; systems with equal standing are not ordered. Unbeaten groups stand above all others,
        winless ones below.
    """

    bounded: BoolArray
    component: Int64Array
    standing: Int64Array


def separation(linked: BoolArray, met: BoolArray) -> Separation:
    """Return the groups with finite differences, and their order.

    Parameters
    ----------
    linked : bool, shape (S, n, n)
        ``linked[s, a, b]``: a won against b or tied with it, so a cannot be infinitely worse.
    met : bool, shape (S, n, n)
        Pairs that were compared; symmetric.

    Returns
    -------
    Separation
        Group a stands above group b if chains lead from a to b and not back. Groups without such a
        chain are ordered by the number of systems they stand above minus the number they stand
        below: one of the orders that contradict no comparison.
    """
    n = linked.shape[-1]
    reach = _closure(linked)
    bounded = reach & np.swapaxes(reach, 1, 2)
    above = np.count_nonzero(reach & ~bounded, axis=2)
    below = np.count_nonzero(reach & ~bounded, axis=1)
    unbeaten = (below == 0) & (above > 0)
    winless = (above == 0) & (below > 0)
    standing = above - below + 2 * n * (unbeaten.astype(np.int64) - winless)
    component = np.where(_closure(met), np.arange(n), n).min(axis=2, initial=n)
    return Separation(bounded=bounded, component=component, standing=standing)


def _closure(linked: BoolArray) -> BoolArray:
    """Return which systems chains of links lead to from each system, including itself."""
    n = linked.shape[-1]
    reach = linked | np.eye(n, dtype=np.bool_)
    for _ in range(max(1, (n - 1).bit_length())):
        steps = reach.astype(np.float32)
        reach = (steps @ steps) > 0
    return reach
