"""Which comparisons bound the difference of two abilities, and in which order the others stand.

The maximum of the likelihood of Bradley and Terry's model, or of Davidson's, is finite only within
a group of systems that reach each other by chains of comparisons, each won or tied by the former
(Ford 1957). What is left between the groups are wins that all go one way: an order, at an infinite
distance. Systems that no chain of comparisons links have no order at all.
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
    """How S samples of comparisons between n systems hang together.

    Attributes
    ----------
    bounded : bool, shape (S, n, n)
        Whether the data bound the difference of two systems: an equivalence, its classes are the
        groups in which abilities are finite. Also true of a system and itself.
    component : int64, shape (S, n)
        The same number for two systems that a chain of comparisons links, won, tied or lost.
    standing : int64, shape (S, n)
        Of two systems of one component at infinite distance, that of larger standing comes first;
        equal standings are not told apart. Unbeaten groups stand above all others, winless ones
        below.
    """

    bounded: BoolArray
    component: Int64Array
    standing: Int64Array


def separation(linked: BoolArray, met: BoolArray) -> Separation:
    """Find the groups with finite differences, and the order between them.

    Parameters
    ----------
    linked : bool, shape (S, n, n)
        ``linked[s, a, b]``: a won against b or tied with it, so that a cannot be infinitely worse.
    met : bool, shape (S, n, n)
        Pairs that were compared; symmetric.

    Returns
    -------
    Separation
        Between groups a stands above b if chains lead from a to b and not back. Groups that no
        chain orders are ordered by the number of systems they stand above, less those they stand
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
    """Say which systems chains of links lead to, from each; every system reaches itself."""
    n = linked.shape[-1]
    reach = linked | np.eye(n, dtype=np.bool_)
    for _ in range(max(1, (n - 1).bit_length())):
        steps = reach.astype(np.float32)
        reach = (steps @ steps) > 0
    return reach
