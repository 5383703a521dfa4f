"""Direct comparisons of pairs of systems: tests, contradictions and cycles.

A pair contradicts the ranking if its own comparisons go against the order of the scores. In a
cycle, a beats b, b beats c, and c beats a.
"""

from collections import deque
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.sparse import csgraph
from scipy.special import stdtr

from ranking.core.arrays import BoolArray, FloatArray, Int64Array
from ranking.core.counting.counts import Layout, Tallies, count, tally
from ranking.core.counting.moments import (
    CLUSTER_UNITS,
    ClusterUnit,
    moments_of_blocks,
    second_moments,
    units_of,
)
from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.shares import smoothed_share
from ranking.core.ranges import Correction, adjusted, sign_test
from ranking.core.scores import TIE_DECIMALS, Scores
from ranking.core.uncertainty import clustered_covariance, combined_covariance
from ranking.core.words import member_of, word_check


@dataclass(frozen=True, eq=False)
class DirectPairs:
    """Comparisons of each pair of n systems with each other.

    Attributes
    ----------
    tallies : Tallies
    p_value, adjusted_p : float64, shape (n, n)
        Two-sided p-values for a system winning half of the decided comparisons of a pair,
        uncorrected and corrected for the number of pairs. Symmetric; 1 where there is nothing to
        test, and on the diagonal.
    limits : tuple of str
        Units that the test of some pair ignores because there are too few: codes of `RangeLimit`.
    """

    tallies: Tallies
    p_value: FloatArray
    adjusted_p: FloatArray
    limits: tuple[str, ...] = ()


def direct_pairs(
    blocks: Blocks,
    *,
    level: Level = "two_way",
    correction: Correction = Correction.HOLM,
) -> DirectPairs:
    """Test each pair of systems using only comparisons between the two; ties are dropped.

    The tests of a ranking compare scores, to which comparisons with all systems contribute; these
    tests are for the matrix of wins printed by WMT (Bojar et al. 2011, Table 6). "pairs" treats
    comparisons as independent: the exact sign test, whose p-values WMT marks. The other levels use
    the variance of the pair's share won between blocks, segments, judges, or segments and judges
    (`ranking.core.uncertainty`), and Student's t with at most as many degrees of freedom as the
    rarest of these units minus one: Satterthwaite's are too many where the part over judges is
    small by chance.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    level : "pairs", "blocks", "segments", "judges" or "two_way"
        Units treated as independent.
    correction : Correction
        Correction for the n (n − 1) / 2 pairs.

    Returns
    -------
    DirectPairs

    References
    ----------
    O. Bojar, M. Ercegovčević, M. Popel, O. Zaidan (2011), A Grain of Salt for the WMT Manual
    Evaluation, WMT, §2.5.
    """
    word_check("level", level, Level)
    correction = member_of(Correction, "correction", correction)
    if level not in LEVELS:
        raise ValueError(f"level: {level!r} is none of {', '.join(LEVELS)}")
    tallies = tally(blocks)
    n = len(tallies.systems)
    first, second = np.triu_indices(n, 1)
    won = tallies.wins[first, second]
    lost = tallies.wins[second, first]
    limits: tuple[str, ...] = ()
    if level == "pairs":
        p = sign_test(won, lost, sides=2)
    else:
        variance, freedom, limits = _variances(blocks, level, won, lost)
        p = _t_tests(won, lost, variance, freedom)
    return DirectPairs(
        tallies=tallies,
        p_value=_square(p, n),
        adjusted_p=_square(adjusted(p, correction), n),
        limits=limits,
    )


def _t_tests(
    won: Int64Array, lost: Int64Array, variance: FloatArray, freedom: FloatArray
) -> FloatArray:
    total = won + lost
    share = np.divide(won, total, out=np.full(len(won), 0.5), where=total > 0)
    # A variance of 0 means that it cannot be estimated, for instance for a pair compared once.
    statistic = np.divide(
        np.abs(share - 0.5),
        np.sqrt(variance),
        out=np.zeros(len(won)),
        where=variance > 0,
    )
    return np.asarray(np.minimum(1.0, 2 * stdtr(freedom, -statistic)))


def _variances(
    blocks: Blocks, level: Level, won: Int64Array, lost: Int64Array
) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Return the variances of the pairs' shares won, their degrees of freedom, and limits."""
    n = len(blocks.systems)
    layout = Layout(n)
    index = np.full(n * n, -1)
    index[layout.used] = np.arange(len(layout.used))
    first, second = np.triu_indices(n, 1)
    cells = np.stack([index[first * n + second], index[second * n + first]], axis=1)
    share, weight = smoothed_share(won, won + lost)
    influence = np.stack([weight * (1 - share), -weight * share], axis=1)
    squares = {
        unit: _of_pairs(each, cells) for unit, each in _squares(blocks, level).items()
    }
    variance = np.zeros(len(won))
    freedom = np.ones(len(won))
    limits = dict[str, None]()
    for pair in np.flatnonzero(won + lost).tolist():
        total = int(won[pair] + lost[pair])
        parts = {
            unit: clustered_covariance(total, each[pair], influence[[pair]])
            for unit, each in squares.items()
        }
        if level == "two_way":
            covariance = combined_covariance(*(parts[unit] for unit in CLUSTER_UNITS))
            variance[pair] = covariance.matrix[0, 0]
            freedom[pair] = min(
                covariance.degrees_of_freedom, covariance.fewest_units - 1
            )
            limits.update(dict.fromkeys(str(limit) for limit in covariance.limits))
        else:
            (part,) = parts.values()
            variance[pair] = part.matrix[0, 0]
            freedom[pair] = max(1.0, part.effective - 1)
    return variance, freedom, tuple(sorted(limits))


def _squares(blocks: Blocks, level: Level) -> dict[ClusterUnit, Int64Array]:
    """Return the second moments of wins for the units of a level."""
    layout = Layout(len(blocks.systems))
    if level == "two_way":
        moments = moments_of_blocks(blocks, layout)
        return {unit: getattr(moments, unit) for unit in CLUSTER_UNITS}
    units: dict[Level, ClusterUnit] = {unit: unit for unit in CLUSTER_UNITS}
    unit = units[level]
    return {unit: second_moments(blocks, layout, units_of(blocks, unit))}


def _of_pairs(squares: Int64Array, cells: Int64Array) -> Int64Array:
    """Return the second moments of each pair's two cells, shape (P, 2, 2)."""
    return squares[cells[:, :, np.newaxis], cells[:, np.newaxis, :]]


def _square(of_pairs: FloatArray, n: int) -> FloatArray:
    square = np.ones((n, n))
    first, second = np.triu_indices(n, 1)
    square[first, second] = square[second, first] = of_pairs
    return square


@dataclass(frozen=True)
class ScoredPair:
    """Two systems and their scores.

    Attributes
    ----------
    systems : (str, str)
        The system with the higher score first; if equal, sorted by name.
    scores : (float or None, float or None)
        None for a system without a score.
    blocks, segments : int
        Numbers of blocks in which both were labelled, and of their segments; 0 if the scores are
        from all blocks.
    """

    systems: tuple[str, str]
    scores: tuple[float | None, float | None]
    blocks: int = 0
    segments: int = 0

    @property
    def is_ordered(self) -> bool:
        """True if the first system has the higher score."""
        one, other = self.scores
        return (
            one is not None
            and other is not None
            and round(one - other, TIE_DECIMALS) > 0
        )


@dataclass(frozen=True)
class Contradiction:
    """A pair in which the system with the lower score won more direct comparisons than it lost.

    Attributes
    ----------
    pair : ScoredPair
    wins, losses, ties : int
        Counts for the system with the higher score.
    adjusted_p : float
        Corrected p-value of the test of this pair.
    """

    pair: ScoredPair
    wins: int
    losses: int
    ties: int
    adjusted_p: float


def scored_pairs(systems: tuple[str, ...], scores: Scores) -> tuple[ScoredPair, ...]:
    """Return all pairs of n systems with their scores from all blocks."""
    return tuple(
        _scored(
            (systems[a], systems[b]),
            _value(scores, a),
            _value(scores, b),
            group=_apart(scores, a, b),
        )
        for a, b in zip(
            *(triu_index.tolist() for triu_index in np.triu_indices(len(systems), 1)),
            strict=True,
        )
    )


def scored_on_shared_blocks(
    blocks: Blocks, method: CountsMethod
) -> tuple[ScoredPair, ...]:
    """Return all pairs of systems with their scores on the blocks that show both.

    A score is based on all blocks that show a system, but the comparisons of a pair are only from
    blocks in which both "appeared (and were indeed ranked)": with other sentences and other
    opponents, which alone may cause a contradiction (Bojar et al. 2011, §2.5.1). Here, the scores
    of a pair are based on the same blocks as its comparisons, with all systems in them, so that
    different sets of sentences cannot explain a remaining contradiction.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    method : CountsMethod

    Returns
    -------
    tuple of ScoredPair

    References
    ----------
    O. Bojar, M. Ercegovčević, M. Popel, O. Zaidan (2011), A Grain of Salt for the WMT Manual
    Evaluation, WMT, §2.5.1.
    """
    n = len(blocks.systems)
    layout = method.layout(n)
    pairs = []
    counts = []
    numbers = []
    for a, b in zip(
        *(triu_index.tolist() for triu_index in np.triu_indices(n, 1)), strict=True
    ):
        rows = np.flatnonzero(blocks.compares(a, b))
        pairs.append((a, b))
        counts.append(count(blocks.take(rows), layout))
        numbers.append((len(rows), len(np.unique(blocks.segment[rows]))))
    if not pairs:
        return ()
    scores = method.score_counted(np.stack(counts), layout, **method.complete(None))
    scored = []
    for row, ((a, b), (of_both, segments)) in enumerate(
        zip(pairs, numbers, strict=True)
    ):
        own = scores.rows(row)
        names = blocks.systems[a], blocks.systems[b]
        pair = _scored(names, _value(own, a), _value(own, b), group=_apart(own, a, b))
        scored.append(ScoredPair(pair.systems, pair.scores, of_both, segments))
    return tuple(scored)


def contradictions(
    direct: DirectPairs, pairs: tuple[ScoredPair, ...]
) -> tuple[Contradiction, ...]:
    """Return the pairs whose direct comparisons contradict their scores, clearest first.

    Parameters
    ----------
    direct : DirectPairs
    pairs : tuple of ScoredPair
        Pairs of the same systems; equal or missing scores are never contradicted.

    References
    ----------
    O. Bojar et al. (2011), §2.5: "CU-TECTO wins pairwise comparisons with CU-BOJAR and UEDIN but it
    scores worse than them".
    """
    place = {name: index for index, name in enumerate(direct.tallies.systems)}
    contradicted = []
    for pair in pairs:
        a, b = (place[name] for name in pair.systems)
        wins = int(direct.tallies.wins[a, b])
        losses = int(direct.tallies.wins[b, a])
        if pair.is_ordered and losses > wins:
            ties = int(direct.tallies.ties[a, b])
            p = float(direct.adjusted_p[a, b])
            contradicted.append(Contradiction(pair, wins, losses, ties, p))
    return tuple(
        sorted(
            contradicted,
            key=lambda row: (row.adjusted_p, row.wins - row.losses, row.pair.systems),
        )
    )


def _value(scores: Scores, system: int) -> float | None:
    if scores.estimable[system]:
        return float(scores.values[system])
    return None


def _apart(scores: Scores, a: int, b: int) -> bool:
    """Return whether two systems are not connected by comparisons."""
    return scores.group is not None and bool(scores.group[a] != scores.group[b])


def _scored(
    names: tuple[str, str], one: float | None, other: float | None, *, group: bool
) -> ScoredPair:
    if group:
        one = other = None
    pair = ScoredPair(names, (one, other))
    swapped = ScoredPair((names[1], names[0]), (other, one))
    if swapped.is_ordered:
        return swapped
    return pair


@dataclass(frozen=True)
class Cycle:
    """Systems of which each won most decided comparisons with the next, and the last with the
    first.

    Attributes
    ----------
    systems : tuple of str
        Starting with the first by name.
    weakest_p : float
        The largest corrected p-value among its pairs: at this level, all of them are significant.
    """

    systems: tuple[str, ...]
    weakest_p: float


def majority_cycles(direct: DirectPairs) -> tuple[Cycle, ...]:
    """Return all cycles of three, and a shortest cycle of each group with longer cycles only.

    No order of the systems agrees with all majorities of a cycle. If all pairs are decided, any
    cycle implies a cycle of three (Kendall & Babington Smith 1940); if some pairs were never
    compared or are tied, there may only be longer ones.

    Parameters
    ----------
    direct : DirectPairs

    Returns
    -------
    tuple of Cycle
        Sorted by `weakest_p`, clearest first.

    References
    ----------
    M. G. Kendall, B. Babington Smith (1940), On the Method of Paired Comparisons, Biometrika 31.
    """
    wins = direct.tallies.wins
    beats: BoolArray = wins > wins.T
    triads = _triads(beats)
    groups, member = csgraph.connected_components(
        beats, directed=True, connection="strong"
    )
    with_triad = {int(member[triad[0]]) for triad in triads}
    for group in range(groups):
        own = np.flatnonzero(member == group).tolist()
        if len(own) > 1 and group not in with_triad:
            triads.append(_shortest(beats, own))
    return tuple(
        sorted(
            (_named(direct, cycle) for cycle in triads),
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
    """Return all cycles of three, each once, starting with its smallest index."""
    triads: list[list[int]] = []
    for a in range(len(beats)):
        # b and c come after a, so that each cycle is found only once, from its smallest index.
        after = np.arange(len(beats)) > a
        for b in np.flatnonzero(beats[a] & after).tolist():
            closing = np.flatnonzero(beats[b] & beats[:, a] & after).tolist()
            triads.extend([a, b, c] for c in closing)
    return triads


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
