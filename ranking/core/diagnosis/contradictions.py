"""Pairs of systems whose own comparisons contradict the order of their scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.counting.counts import count
from ranking.core.diagnosis.direct_pairs import DirectPairs
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import CountsMethod
from ranking.core.scores import TIE_DECIMALS, Scores

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ScoredPair:
    """Two systems, and their scores.

    Attributes
    ----------
    systems : (str, str)
        The one with the higher score first; those with equal scores by name.
    scores : (float or None, float or None)
        None for a system without a score.
    blocks, segments : int
        Blocks in which both were labelled, and their segments; 0 if the scores are of all blocks.
    """

    systems: tuple[str, str]
    scores: tuple[float | None, float | None]
    blocks: int = 0
    segments: int = 0

    @property
    def is_ordered(self) -> bool:
        """Whether the first has the higher score."""
        one, other = self.scores
        return one is not None and other is not None and round(one - other, TIE_DECIMALS) > 0


@dataclass(frozen=True)
class Contradiction:
    """A pair whose own comparisons were won, more often than lost, by the system with the lower score.

    Attributes
    ----------
    pair : ScoredPair
    wins, losses, ties : int
        Of the system with the higher score.
    adjusted_p : float
        Of the test of the two alone.
    """

    pair: ScoredPair
    wins: int
    losses: int
    ties: int
    adjusted_p: float


def scored_pairs(systems: tuple[str, ...], scores: Scores) -> tuple[ScoredPair, ...]:
    """Return all pairs of n systems with scores of all blocks, shape (n,)."""
    return tuple(
        _scored(
            (systems[a], systems[b]),
            _value(scores, a),
            _value(scores, b),
            group=_apart(scores, a, b),
        )
        for a, b in zip(*(each.tolist() for each in np.triu_indices(len(systems), 1)), strict=True)
    )


def scored_on_shared_blocks(
    blocks: Blocks, method: CountsMethod, *, parameters: Mapping[str, Any] | None = None
) -> tuple[ScoredPair, ...]:
    """Return all pairs of systems with the scores both have on the blocks that show both.

    A score is of all blocks that show a system, but the comparisons of a pair are only of the
    blocks in which both "appeared (and were indeed ranked)": other sentences, and other opponents.
    A contradiction of the two may come from that alone (Bojar et al. 2011, §2.5.1). Here the scores
    of a pair are of the blocks its comparisons are from, with all systems in them, so that what
    contradicts its comparisons then is not explained by different sets of sentences.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    method : CountsMethod
    parameters : mapping, optional
        Parameters of the method that differ from its defaults.

    Returns
    -------
    tuple of ScoredPair

    References
    ----------
    O. Bojar, M. Ercegovčević, M. Popel, O. Zaidan (2011), A Grain of Salt for the WMT Manual
    Evaluation, WMT, §2.5.1.
    """
    n = len(blocks.systems)
    layout, settings = method.layout(n), method.complete(parameters)
    ranked = blocks.labels > 0
    pairs, counts, numbers = [], [], []
    for a, b in zip(*(each.tolist() for each in np.triu_indices(n, 1)), strict=True):
        apart = blocks.candidates[:, a] != blocks.candidates[:, b]
        rows = np.flatnonzero(ranked[:, a] & ranked[:, b] & apart)
        pairs.append((a, b))
        counts.append(count(blocks.take(rows), layout))
        numbers.append((len(rows), len(np.unique(blocks.segment[rows]))))
    if not pairs:
        return ()
    scores = method.score_counted(np.stack(counts), layout, **settings)
    found = []
    for row, ((a, b), (of_both, segments)) in enumerate(zip(pairs, numbers, strict=True)):
        own = Scores(
            values=scores.values[row],
            estimable=scores.estimable[row],
            group=None if scores.group is None else scores.group[row],
        )
        names = blocks.systems[a], blocks.systems[b]
        pair = _scored(names, _value(own, a), _value(own, b), group=_apart(own, a, b))
        found.append(ScoredPair(pair.systems, pair.scores, of_both, segments))
    return tuple(found)


def contradictions(direct: DirectPairs, pairs: tuple[ScoredPair, ...]) -> tuple[Contradiction, ...]:
    """Return the pairs whose own comparisons contradict their scores, the clearest first.

    Parameters
    ----------
    direct : DirectPairs
    pairs : tuple of ScoredPair
        Of the same systems; those whose scores are equal or missing contradict nothing.

    References
    ----------
    O. Bojar et al. (2011), §2.5: "CU-TECTO wins pairwise comparisons with CU-BOJAR and UEDIN but it
    scores worse than them".
    """
    place = {name: index for index, name in enumerate(direct.tallies.systems)}
    found = []
    for pair in pairs:
        a, b = (place[name] for name in pair.systems)
        wins, losses = int(direct.tallies.wins[a, b]), int(direct.tallies.wins[b, a])
        if pair.is_ordered and losses > wins:
            ties, p = int(direct.tallies.ties[a, b]), float(direct.adjusted_p[a, b])
            found.append(Contradiction(pair, wins, losses, ties, p))
    return tuple(
        sorted(found, key=lambda row: (row.adjusted_p, row.wins - row.losses, row.pair.systems))
    )


def _value(scores: Scores, system: int) -> float | None:
    return float(scores.values[system]) if scores.estimable[system] else None


def _apart(scores: Scores, a: int, b: int) -> bool:
    """Return whether no comparisons connect two systems."""
    return scores.group is not None and bool(scores.group[a] != scores.group[b])


def _scored(
    names: tuple[str, str], one: float | None, other: float | None, *, group: bool
) -> ScoredPair:
    if group:
        one = other = None
    pair = ScoredPair(names, (one, other))
    swapped = ScoredPair((names[1], names[0]), (other, one))
    return swapped if swapped.is_ordered else pair
