"""Direct comparisons of pairs of systems: tests, contradictions and cycles.

A pair contradicts the ranking if its own comparisons go against the order of the scores. In a
cycle, a beats b, b beats c, and c beats a.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np
from scipy.sparse import csgraph
from scipy.special import stdtr

from ranking.core.arrays import BoolArray, FloatArray, Int64Array, as_column, as_row
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
        variances = _share_variances(blocks, level, won, lost)
        p = _t_tests(won, lost, variances)
        limits = variances.limits
    return DirectPairs(
        tallies=tallies,
        p_value=_square_of_pairs(p, n),
        adjusted_p=_square_of_pairs(adjusted(p, correction), n),
        limits=limits,
    )


@dataclass(frozen=True, eq=False)
class _ShareVariances:
    """Variances of the shares won of P pairs.

    Attributes
    ----------
    variance, freedom : float64, shape (P,)
        Variances, and their degrees of freedom.
    limits : tuple of str
        See `DirectPairs`.
    """

    variance: FloatArray
    freedom: FloatArray
    limits: tuple[str, ...]


def _t_tests(
    won: Int64Array,
    lost: Int64Array,
    variances: _ShareVariances,
) -> FloatArray:
    total = won + lost
    even = np.full(len(won), 0.5)
    share = np.divide(won, total, out=even, where=total > 0)
    # A variance of 0 means that it cannot be estimated, for instance for a pair compared once.
    statistic = np.divide(
        np.abs(share - 0.5),
        np.sqrt(variances.variance),
        out=np.zeros(len(won)),
        where=variances.variance > 0,
    )
    p = 2 * stdtr(variances.freedom, -statistic)
    return np.asarray(np.minimum(1.0, p))


def _share_variances(
    blocks: Blocks,
    level: Level,
    won: Int64Array,
    lost: Int64Array,
) -> _ShareVariances:
    share, weight = smoothed_share(won, won + lost)
    influence = np.stack([weight * (1 - share), -weight * share], axis=1)
    squares = _squares_of_pairs(blocks, level)
    variance = np.zeros(len(won))
    freedom = np.ones(len(won))
    limits = set()
    for pair in np.flatnonzero(won + lost).tolist():
        total = int(won[pair] + lost[pair])
        parts = {}
        for unit, moments in squares.items():
            parts[unit] = clustered_covariance(total, moments[pair], influence[[pair]])
        if level == "two_way":
            in_order = [parts[unit] for unit in CLUSTER_UNITS]
            covariance = combined_covariance(*in_order)
            variance[pair] = covariance.matrix[0, 0]
            most = covariance.fewest_units - 1
            freedom[pair] = min(covariance.degrees_of_freedom, most)
            for limit in covariance.limits:
                limits.add(str(limit))
        else:
            (part,) = parts.values()
            variance[pair] = part.matrix[0, 0]
            freedom[pair] = max(1.0, part.effective - 1)
    return _ShareVariances(variance, freedom, tuple(sorted(limits)))


def _squares_of_pairs(blocks: Blocks, level: Level) -> dict[ClusterUnit, Int64Array]:
    """Return the second moments of each pair's two cells for the units of a level, shape (P, 2, 2)."""
    n = len(blocks.systems)
    layout = Layout(n)
    used_index = np.full(n * n, -1)
    used_index[layout.used] = np.arange(len(layout.used))
    first, second = np.triu_indices(n, 1)
    won_cell = used_index[first * n + second]
    lost_cell = used_index[second * n + first]
    cells = np.stack([won_cell, lost_cell], axis=1)
    rows = as_column(cells)
    columns = as_row(cells)
    squares = {}
    for unit, moments in _squares(blocks, level).items():
        squares[unit] = moments[rows, columns]
    return squares


def _squares(blocks: Blocks, level: Level) -> dict[ClusterUnit, Int64Array]:
    """Return the second moments of wins for the units of a level."""
    layout = Layout(len(blocks.systems))
    squares: dict[ClusterUnit, Int64Array] = {}
    if level == "two_way":
        moments = moments_of_blocks(blocks, layout)
        for unit in CLUSTER_UNITS:
            squares[unit] = getattr(moments, unit)
        return squares
    for unit in CLUSTER_UNITS:
        if unit == level:
            squares[unit] = second_moments(blocks, layout, units_of(blocks, unit))
    return squares


def _square_of_pairs(of_pairs: FloatArray, n: int) -> FloatArray:
    square = np.ones((n, n))
    first, second = np.triu_indices(n, 1)
    square[first, second] = of_pairs
    square[second, first] = of_pairs
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
        if one is None or other is None:
            return False
        return round(one - other, TIE_DECIMALS) > 0


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
    pairs = []
    for a, b in combinations(range(len(systems)), 2):
        pairs.append(_scored_pair(systems, scores, a, b))
    return tuple(pairs)


def scored_on_shared_blocks(
    blocks: Blocks,
    method: CountsMethod,
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
    layout = method.layout(len(blocks.systems))
    pairs = list(combinations(range(len(blocks.systems)), 2))
    if not pairs:
        return ()
    counts = []
    shared_segments = []
    for a, b in pairs:
        rows = np.flatnonzero(blocks.compares(a, b))
        counts.append(count(blocks.take(rows), layout))
        shared_segments.append(blocks.segment[rows])
    scores = method.score_counted(np.stack(counts), layout, **method.complete(None))
    scored = []
    for row, (a, b) in enumerate(pairs):
        segments = shared_segments[row]
        pair = _scored_pair(blocks.systems, scores.rows(row), a, b)
        scored.append(
            replace(pair, blocks=len(segments), segments=len(np.unique(segments))),
        )
    return tuple(scored)


def contradictions(
    direct: DirectPairs,
    pairs: tuple[ScoredPair, ...],
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
    systems = direct.tallies.systems
    contradicted = []
    for pair in pairs:
        one, other = pair.systems
        a = systems.index(one)
        b = systems.index(other)
        wins = int(direct.tallies.wins[a, b])
        losses = int(direct.tallies.wins[b, a])
        if not pair.is_ordered or losses <= wins:
            continue
        contradicted.append(
            Contradiction(
                pair=pair,
                wins=wins,
                losses=losses,
                ties=int(direct.tallies.ties[a, b]),
                adjusted_p=float(direct.adjusted_p[a, b]),
            ),
        )
    return tuple(sorted(contradicted, key=_clearness))


def _clearness(row: Contradiction) -> tuple[float, int, tuple[str, str]]:
    return row.adjusted_p, row.wins - row.losses, row.pair.systems


def _are_unconnected(scores: Scores, a: int, b: int) -> bool:
    """Return whether two systems are not connected by comparisons."""
    if scores.group is None:
        return False
    return bool(scores.group[a] != scores.group[b])


def _value(scores: Scores, system: int) -> float | None:
    if scores.estimable[system]:
        return float(scores.values[system])
    return None


def _scored_pair(
    systems: tuple[str, ...],
    scores: Scores,
    a: int,
    b: int,
) -> ScoredPair:
    """Return two systems with their scores; None for both if the scores are not comparable."""
    one = _value(scores, a)
    other = _value(scores, b)
    if _are_unconnected(scores, a, b):
        one = None
        other = None
    pair = ScoredPair((systems[a], systems[b]), (one, other))
    swapped = ScoredPair((systems[b], systems[a]), (other, one))
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
    cycles = list(_triads(beats))
    groups, member = csgraph.connected_components(
        beats,
        directed=True,
        connection="strong",
    )
    groups_with_triad = set()
    for triad in cycles:
        groups_with_triad.add(int(member[triad[0]]))
    for group in range(groups):
        own = np.flatnonzero(member == group).tolist()
        if len(own) > 1 and group not in groups_with_triad:
            cycles.append(_shortest(beats, own))
    named = [_named_cycle(direct, cycle) for cycle in cycles]
    return tuple(sorted(named, key=_cycle_sort_key))


def _cycle_sort_key(cycle: Cycle) -> tuple[float, int, tuple[str, ...]]:
    return cycle.weakest_p, len(cycle.systems), cycle.systems


def _named_cycle(direct: DirectPairs, cycle: list[int]) -> Cycle:
    names = [direct.tallies.systems[index] for index in cycle]
    start = names.index(min(names))
    order = cycle[start:] + cycle[:start]
    p_values = []
    for winner, loser in pairwise([*order, order[0]]):
        p_values.append(float(direct.adjusted_p[winner, loser]))
    return Cycle(
        systems=tuple(names[start:] + names[:start]),
        weakest_p=max(p_values),
    )


def _triads(beats: BoolArray) -> Iterator[list[int]]:
    """Yield all cycles of three, each once, starting with its smallest index."""
    for a in range(len(beats)):
        # b and c come after a, so that each cycle is found only once, from its smallest index.
        after = np.arange(len(beats)) > a
        for b in np.flatnonzero(beats[a] & after).tolist():
            closes = beats[b] & beats[:, a] & after
            for c in np.flatnonzero(closes).tolist():
                yield [a, b, c]


def _shortest(beats: BoolArray, members: list[int]) -> list[int]:
    """Return a shortest cycle among systems that all reach each other."""
    cycles = [_shortest_cycle_through(beats, members, start) for start in members]
    return min(sorted(cycles), key=len)


def _shortest_cycle_through(
    beats: BoolArray,
    members: list[int],
    start: int,
) -> list[int]:
    """Return a shortest cycle through a system."""
    before: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        winner = waiting.popleft()
        for loser in members:
            if not beats[winner, loser]:
                continue
            if loser == start:
                cycle = [winner]
                while cycle[-1] != start:
                    cycle.append(before[cycle[-1]])
                return cycle[::-1]
            if loser not in before:
                before[loser] = winner
                waiting.append(loser)
    raise AssertionError("the systems do not all reach each other")
