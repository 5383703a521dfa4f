"""Cycles among systems: a beats b, b beats c, and c beats a."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.sparse import csgraph

from ranking.core.diagnosis.direct_pairs import DirectPairs

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Cycle:
    """Systems each of which won most decided comparisons with the next, and the last with the first.

    Attributes
    ----------
    systems : tuple of str
        From the first by name on.
    weakest_p : float
        The largest corrected p-value among its pairs: all of them are told apart up to this level.
    """

    systems: tuple[str, ...]
    weakest_p: float


def majority_cycles(direct: DirectPairs) -> tuple[Cycle, ...]:
    """Return the cycles of three, and one of the shortest of each group that has only longer ones.

    No order of the systems agrees with all majorities of a cycle. Wherever all pairs were decided,
    a cycle includes one of three (Kendall & Babington Smith 1940); where some pairs were never
    compared, or are even, there may only be longer ones.

    Parameters
    ----------
    direct : DirectPairs

    Returns
    -------
    tuple of Cycle
        Those told apart most clearly first.

    References
    ----------
    M. G. Kendall, B. Babington Smith (1940), On the Method of Paired Comparisons, Biometrika 31.
    """
    wins = direct.tallies.wins
    beats: BoolArray = wins > wins.T
    found = _triads(beats)
    groups, member = csgraph.connected_components(beats, directed=True, connection="strong")
    with_triad = {int(member[triad[0]]) for triad in found}
    for group in range(groups):
        own = np.flatnonzero(member == group).tolist()
        if len(own) > 1 and group not in with_triad:
            found.append(_shortest(beats, own))
    return tuple(
        sorted(
            (_named(direct, cycle) for cycle in found),
            key=lambda cycle: (cycle.weakest_p, len(cycle.systems), cycle.systems),
        )
    )


def _named(direct: DirectPairs, cycle: list[int]) -> Cycle:
    names = [direct.tallies.systems[index] for index in cycle]
    start = names.index(min(names))
    order = cycle[start:] + cycle[:start]
    edges = pairwise([*order, order[0]])
    return Cycle(
        systems=tuple(direct.tallies.systems[index] for index in order),
        weakest_p=max(float(direct.adjusted_p[a, b]) for a, b in edges),
    )


def _triads(beats: BoolArray) -> list[list[int]]:
    """Return all cycles of three, each once, from its smallest index on."""
    found: list[list[int]] = []
    for a in range(len(beats)):
        # b and c come after a, so that each cycle is found from its smallest index alone.
        after = np.arange(len(beats)) > a
        for b in np.flatnonzero(beats[a] & after).tolist():
            closing = np.flatnonzero(beats[b] & beats[:, a] & after).tolist()
            found.extend([a, b, c] for c in closing)
    return found


def _shortest(beats: BoolArray, members: list[int]) -> list[int]:
    """Return a shortest cycle among systems that all reach each other."""
    cycles = (_through(beats, members, start) for start in members)
    return min(cycles, key=lambda cycle: (len(cycle), cycle))


def _through(beats: BoolArray, members: list[int], start: int) -> list[int]:
    """Return a shortest cycle through a system."""
    before: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        for there in members:
            if not beats[here, there]:
                continue
            if there == start:
                cycle = [here]
                while cycle[-1] != start:
                    cycle.append(before[cycle[-1]])
                return cycle[::-1]
            if there not in before:
                before[there] = here
                waiting.append(there)
    raise AssertionError("the systems do not all reach each other")
