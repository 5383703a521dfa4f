"""Merge insertion: the systems to compare next, as a function of the verdicts so far.

D. Vilar, G. Leusch, H. Ney, R. E. Banchs (2007), Human Evaluation of Machine Translation Through
Binary System Comparisons, WMT, order systems by a sort whose steps are expensive. Among known
sorting algorithms, merge insertion needs the fewest comparisons, or nearly so (L. R. Ford, S. M.
Johnson 1959, A Tournament Problem, Amer. Math. Monthly 66; D. E. Knuth, The Art of Computer
Programming 3, §5.3.1, for the steps, which Vilar et al. only sketch):

1. Compare the systems in pairs. One may be left over.
2. Sort the winners a₁ < a₂ < …, in the same way. Their losers are b₁, b₂, …, with the one left over as the last b.
3. b₁ a₁ a₂ … is a chain. Insert b₃ b₂, b₅ b₄, b₁₁ … b₆, … into it by binary search, each below its own a: in
   this order, each search is among at most 2ᵏ − 1 systems.

The verdicts are the only state. Replaying them takes microseconds, so the sort can always continue,
even if some were lost or late. A comparison implied by others is never requested, so any verdicts
result in an order: a sort cannot contradict itself, and therefore cannot reveal that judges do.

A sort of judged comparisons also has clusters: any comparison sort compares all neighbours of the
final order with each other (nothing else could determine their order), so each pair of neighbours
has its own test. Neighbours whose difference is not significant share a cluster, as "the two bottom
positions … could be swapped" in the paper. Systems further apart may not have been compared.
`decide` uses all judgments, for instance those of a file. `decide_in_order` is for numbered
judgments and ignores later ones: the verdict depends only on the first `quota` judgments that
count, or on the extension if these are tied, so later calls give the same result.
"""

import math
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Generator,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations, pairwise
from operator import attrgetter, itemgetter
from typing import Literal, TypedDict

import numpy as np

from ranking.core.arrays import BoolArray
from ranking.core.ranges import Correction, adjusted
from ranking.core.rankings.two_systems import (
    ComparisonResult,
    ErrorChoice,
    PairJudgments,
    Preference,
    TestName,
    compare,
)
from ranking.core.words import member_of, word_check


def draw(seed: int, *purpose: str) -> int:
    """Return a uniform 64-bit integer that depends only on the seed and the purpose of the draw."""
    # Existing sorts were drawn with this root, so it must never change.
    content = "\x1f".join(("quintet-sorting-1", str(seed), *purpose))
    digest = blake2b(content.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def shuffled(systems: Iterable[str], seed: int) -> tuple[str, ...]:
    """Return the systems in an order that depends only on the seed and their names."""
    names = sorted(systems)
    position = {name: draw(seed, "start", name) for name in names}
    return tuple(sorted(names, key=position.__getitem__))


def drawn_winner(one: str, other: str, seed: int) -> str:
    """Return one of two systems, each with probability 1/2, independent of argument order."""
    pair = sorted((one, other))
    return pair[draw(seed, "undecided", *pair) >> 63]


Pair = tuple[str, str]
#: Winners of closed comparisons, by their two systems in the order of `pair_of`.
_Winners = Mapping[Pair, str]


def pair_of(one: str, other: str) -> Pair:
    """Return two systems in alphabetical order, which identifies their comparison."""
    if one < other:
        return (one, other)
    return (other, one)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A closed comparison of two systems."""

    winner: str
    loser: str


@dataclass(frozen=True, slots=True)
class SortState:
    """Progress of sorting n systems.

    Attributes
    ----------
    open : tuple of (str, str)
        Pairs to compare next, in any order or in parallel: the sort needs all of them, whatever the
        other verdicts will be. Empty if and only if there is an order.
    order : tuple of str or None
        All systems, best first.
    closed : int
        Comparisons closed so far.
    left_at_most : int
        Comparisons still to be closed in the worst case, including open ones; 0 if there is an
        order.
    """

    open: tuple[Pair, ...]
    order: tuple[str, ...] | None
    closed: int
    left_at_most: int


def most_comparisons(systems: int) -> int:
    """Return F(n) = Σ ⌈log₂(3k/4)⌉ over k = 1 … n, the worst-case number of comparisons (Knuth,
    §5.3.1, eq. 17).

    7 for 5 systems and 19 for 9, as Vilar et al. say.
    """
    total = 0
    for k in range(1, systems + 1):
        # ⌈log₂ x⌉ is the number of bits of ⌈x⌉ − 1.
        rounded_up = (3 * k + 3) // 4
        total += (rounded_up - 1).bit_length()
    return total


def next_comparisons(
    systems: Iterable[str],
    verdicts: Iterable[Verdict],
    seed: int,
) -> SortState:
    """Replay closed comparisons, and return the next ones to open or, if none is missing, the
    order.

    Parameters
    ----------
    systems : iterable of str
        Two or more names, in any order.
    verdicts : iterable of Verdict
        Verdicts on comparisons that this sort requested; their order does not matter.
    seed : int
        Determines the start order, and thus which systems are compared first.

    Returns
    -------
    SortState

    Raises
    ------
    ValueError
        If there are fewer than two systems, or duplicates.
    """
    names = tuple(systems)
    if len(names) < 2:
        raise ValueError("systems: a sort needs two or more")
    if len(set(names)) < len(names):
        raise ValueError("systems: a name occurs twice")
    winners = {
        pair_of(verdict.winner, verdict.loser): verdict.winner for verdict in verdicts
    }
    start = shuffled(names, seed)
    open_ = _undecided_pairs(start, winners)
    order = None
    if not open_:
        pair, places, chain = _next_insertion(start, winners)
        if pair is None:
            order = tuple(reversed(chain))
        else:
            # Also the next pair, if it is the same wherever this system is inserted.
            after = {
                _next_insertion(start, winners, position)[0] for position in places
            }
            open_ = (pair,)
            if len(after) == 1:
                open_ += tuple(filter(None, after))
    if order:
        left_at_most = 0
    else:
        left_at_most = most_comparisons(len(names)) - len(winners)
    return SortState(open_, order, len(winners), left_at_most)


def _undecided_pairs(
    places: Sequence[str | None],
    winners: _Winners,
) -> tuple[Pair, ...]:
    """Return the pairs of steps 1 and 2 whose systems, but not winner, are known; None marks an
    unknown system.
    """
    if len(places) < 2:
        return ()
    undecided = []
    won = []
    for one, other in zip(places[::2], places[1::2], strict=False):
        winner = None
        if one and other:
            winner = winners.get(pair_of(one, other))
            if winner is None:
                undecided.append((one, other))
        won.append(winner)
    return (*undecided, *_undecided_pairs(won, winners))


def _next_insertion(
    start: Sequence[str],
    winners: _Winners,
    *guessed: int,
) -> tuple[Pair | None, range, list[str]]:
    """Return the pair that step 3 waits for and the possible places of its first system; else all
    systems, worst first.

    The first unfinished searches are assumed to end at the `guessed` places.
    """
    guesses = iter(guessed)
    insertions = _insertions(start, winners)
    position = None
    while True:
        try:
            system, chain = insertions.send(position)
        except StopIteration as end:
            return None, range(0), end.value
        low = 0
        high = len(chain)
        while low < high:
            middle = (low + high) // 2
            winner = winners.get(pair_of(system, chain[middle]))
            if winner is None:
                break
            if winner == system:
                low = middle + 1
            else:
                high = middle
        if low == high:
            position = low
        else:
            position = next(guesses, None)
        if position is None:
            return (system, chain[middle]), range(low, high + 1), []


def _insertions(
    names: Sequence[str],
    winners: _Winners,
) -> Generator[tuple[str, list[str]], int | None, list[str]]:
    """Yield each system of step 3 with the sorted systems it is inserted among, and receive its
    place; return all, worst first.
    """
    if len(names) < 2:
        return [*names]
    won = []
    loser_to = {}
    for first, second in zip(names[::2], names[1::2], strict=False):
        winner = winners[pair_of(first, second)]
        won.append(winner)
        loser_to[winner] = _other_of((first, second), winner)
    chain = yield from _insertions(won, winners)
    losers: list[tuple[str, str | None]] = [(loser_to[name], name) for name in chain]
    if len(names) % 2:
        losers.append((names[-1], None))
    # The first loser is below the worst winner, and so below all systems: it needs no search.
    chain.insert(0, losers[0][0])
    for number in _insertion_order(len(losers)):
        system, bound = losers[number - 1]
        among = chain
        if bound is not None:
            among = chain[: chain.index(bound)]
        position = yield system, among
        chain.insert(position or 0, system)
    return chain


def _other_of(pair: Pair, system: str) -> str:
    first, second = pair
    if system == first:
        return second
    return first


def _insertion_order(losers: int) -> list[int]:
    """Return 3 2, 5 4, 11 … 6, …: the numbers 2 … `losers` in groups up to t_k = (2ᵏ⁺¹ + (−1)ᵏ)/3,
    each reversed.
    """
    order: list[int] = []
    previous = 1
    k = 2
    while previous < losers:
        last = (2 ** (k + 1) + (-1) ** k) // 3
        order += range(min(last, losers), previous, -1)
        previous = last
        k = k + 1
    return order


@dataclass(frozen=True, eq=False)
class PartialOrder:
    """The order of n systems as far as it is known.

    Attributes
    ----------
    systems : tuple of str, length n
        By the middle of the possible places of each, best first.
    won : bool, shape (n, n)
        ``won[a, b]`` if there is a verdict that a is better than b.
    better : bool, shape (n, n)
        The same, including what verdicts imply: a is better than some c that is better than b.
    """

    systems: tuple[str, ...]
    won: BoolArray
    better: BoolArray

    def places(self, system: int) -> tuple[int, int]:
        """Return the best and the worst possible place of a system, from 1."""
        above = self.better[:, system].sum()
        below = self.better[system].sum()
        return 1 + int(above), len(self.systems) - int(below)


def partial_order(systems: Sequence[str], verdicts: Iterable[Verdict]) -> PartialOrder:
    """Return the partial order implied by the verdicts of a sort."""
    names = sorted(systems)
    index = {name: position for position, name in enumerate(names)}
    won = np.zeros((len(names), len(names)), dtype=np.bool_)
    for verdict in verdicts:
        won[index[verdict.winner], index[verdict.loser]] = True
    better = won.copy()
    for middle in range(len(names)):
        better |= better[:, [middle]] & better[[middle]]
    # Twice the middle of its places, minus a constant.
    middles = better.sum(axis=0) - better.sum(axis=1)
    # Names are sorted already, and the sort is stable.
    order = np.argsort(middles, kind="stable")
    pairs = np.ix_(order, order)
    ordered = tuple(names[position] for position in order.tolist())
    return PartialOrder(ordered, won[pairs], better[pairs])


OnUndecided = Literal["sign", "extend"]


@dataclass(frozen=True, slots=True)
class SortSettings:
    """Rules for closing and testing comparisons.

    Attributes
    ----------
    seed : int
        Seed for the start order, arbitrary winners, and the bootstrap.
    quota : int or None
        Number of judgments that a comparison gets first, at least 1; 700 in the paper. None closes
        each comparison with the existing judgments.
    extension : int
        Number of further judgments if these do not decide, at least 0.
    on_undecided : "sign" or "extend"
        "sign": the sign of R closes it, with one extension if R = 0. "extend": extended until the
        test is significant, up to `cap`. A test repeated at each extension finds a difference
        between equal systems more often than its level says.
    cap : int or None
        Number of judgments at which "extend" stops and the sign of R closes; four quotas if not
        given.
    test : "normal" or "exact"
    level : float
        Significance level of the test, between 0 and 1.
    correction : Correction
        Correction for the number of closed comparisons.
    error : "auto", "judgments" or "two_way"
        Units that the pooled error treats as independent; see `compare`.
    resamples : int
        Number of bootstrap resamples.

    Raises
    ------
    ValueError
        If "extend" has no judgments to extend by, or `cap` is below `quota`.
    """

    seed: int = 0
    quota: int | None = None
    extension: int = 0
    on_undecided: OnUndecided = "sign"
    cap: int | None = None
    test: TestName = "normal"
    level: float = 0.05
    correction: Correction = Correction.NONE
    error: ErrorChoice = "auto"
    resamples: int = 1000

    def __post_init__(self) -> None:
        word_check("on_undecided", self.on_undecided, OnUndecided)
        word_check("test", self.test, TestName)
        word_check("error", self.error, ErrorChoice)
        correction = member_of(Correction, "correction", self.correction)
        object.__setattr__(self, "correction", correction)  # the instance is frozen
        if self.on_undecided == "extend" and not self.extension:
            raise ValueError("extension: expected one judgment or more to extend by")
        if self.cap is not None and self.cap < (self.quota or 0):
            raise ValueError("cap: expected at least the quota")

    def most(self, quota: int) -> int:
        """Return the number of judgments after which a comparison is always closed."""
        if self.on_undecided == "sign":
            return quota + self.extension
        return self.cap or 4 * quota

    def compare(
        self,
        judgments: PairJudgments,
        first: str | None = None,
    ) -> ComparisonResult:
        """Compare two systems by their judgments with these settings, with `first` as the first
        system if given.
        """
        if first in {None, judgments.first}:
            facing = judgments
        else:
            facing = judgments.reversed()
        return compare(
            facing,
            error=self.error,
            seed=self.seed,
            resamples=self.resamples,
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """Decision on a comparison: closed or open.

    Attributes
    ----------
    winner, loser : str or None
        None while the comparison is open.
    judgments : int
        Number of judgments at which the comparison is examined next, or at which it was closed.
    missing : int
        Number of these judgments still missing; 0 if it is closed.
    arbitrary : bool
        Whether the seed chose the winner, because R is 0.
    """

    winner: str | None
    loser: str | None
    judgments: int
    missing: int
    arbitrary: bool = False


def verdicts_of(decisions: Iterable[Decision]) -> list[Verdict]:
    """Return the verdicts of the closed comparisons."""
    return [
        Verdict(decision.winner, decision.loser)
        for decision in decisions
        if decision.winner and decision.loser
    ]


def closed(
    first: str,
    second: str,
    lead: int,
    judgments: int,
    *,
    seed: int,
) -> Decision:
    """Close a comparison in favour of the leading system, or of the one chosen by the seed."""
    if lead > 0:
        winner = first
    elif lead < 0:
        winner = second
    else:
        winner = drawn_winner(first, second, seed)
    loser = _other_of((first, second), winner)
    return Decision(winner, loser, judgments, 0, arbitrary=not lead)


def decide(result: ComparisonResult, rule: SortSettings) -> Decision:
    """Close a comparison by all its judgments, or return the number it still needs.

    An extension is evaluated only when complete, because its first judgment already moves R away
    from 0. It counts as started if there are more judgments than the quota and R may have been 0
    before them.

    Parameters
    ----------
    result : ComparisonResult
    rule : SortSettings
        Its seed chooses the winner if R is 0 in the end.

    Returns
    -------
    Decision
        Closed in favour of the system with the greater share of judgments.
    """
    pooled = result.pooled
    quota = rule.quota or max(1, pooled.judgments)
    most = rule.most(quota)
    beyond = pooled.judgments - quota
    if 0 < beyond < rule.extension and abs(pooled.lead) <= beyond:
        quota = min(most, quota + rule.extension)
    is_undecided = pooled.lead == 0 or (
        rule.on_undecided == "extend" and not pooled.p(rule.test) <= rule.level
    )
    while rule.quota and is_undecided and quota <= pooled.judgments and quota < most:
        quota = min(most, quota + rule.extension)
    if pooled.judgments < quota:
        return Decision(None, None, quota, quota - pooled.judgments)
    return closed(result.first, result.second, pooled.lead, quota, seed=rule.seed)


@dataclass(frozen=True, slots=True)
class Answer:
    """A judgment of a comparison.

    Attributes
    ----------
    number : int
        Number of the judgment in its task.
    judge : str
    segment : int
    answer : int
        +1 where the first system is better, −1 where the second is, 0 for the same quality.
    is_current : bool
        Whether no later judgment, up to the watermark, has replaced it.
    """

    number: int
    judge: str
    segment: int
    answer: int
    is_current: bool = True


def counting(answers: Iterable[Answer], *, most_of_a_judge: int = 0) -> list[Answer]:
    """Return the judgments that count for a verdict, by number.

    These are a judge's first judgments of each segment, at most `most_of_a_judge` per judge (0: no limit).
    """
    first_answers: dict[tuple[str, int], Answer] = {}
    counts: Counter[str] = Counter()
    for answer in sorted(answers, key=attrgetter("number")):
        key = (answer.judge, answer.segment)
        has_enough = 0 < most_of_a_judge <= counts[answer.judge]
        if key not in first_answers and not has_enough:
            first_answers[key] = answer
            counts[answer.judge] += 1
    return list(first_answers.values())


def decide_in_order(
    first: str,
    second: str,
    answers: Sequence[int],
    quota: int,
    extension: int,
    *,
    seed: int,
) -> Decision:
    """Close a comparison by its first judgments, or return how many more it needs.

    Parameters
    ----------
    first, second : str
    answers : sequence of int
        Answers of the judgments that count, by number: +1 for `first`, −1 for `second`, 0.
    quota, extension : int
        Number of judgments whose lead closes it, and of more if that is 0.
    seed : int
        Chooses the winner if the extension is tied as well.

    Returns
    -------
    Decision
        For a closed comparison, `judgments` is the number of judgments it is based on; later ones make no difference.
    """
    needed = quota
    if len(answers) >= quota and not sum(answers[:quota]):
        needed += extension
    if len(answers) < needed:
        return Decision(None, None, needed, needed - len(answers))
    return closed(first, second, sum(answers[:needed]), needed, seed=seed)


def sort_replayed(
    systems: Iterable[str],
    seed: int,
    decide_all: Callable[[Sequence[Pair]], Mapping[Pair, Decision]],
    decided: Mapping[Pair, Decision] | None = None,
) -> tuple[SortState, dict[Pair, Decision]]:
    """Sort as far as comparisons are closed; return the state and the decisions in the order of the
    sort.

    Parameters
    ----------
    systems : iterable of str
    seed : int
    decide_all : callable
        Decides the open comparisons that it knows; called once for each.
    decided : mapping of pair to Decision, optional
        Comparisons that are already closed.
    """
    decisions = dict(decided or {})
    names = tuple(systems)
    while True:
        state = next_comparisons(names, verdicts_of(decisions.values()), seed)
        pairs = [pair_of(one, other) for one, other in state.open]
        new = decide_all([pair for pair in pairs if pair not in decisions])
        decisions |= new
        if not any(decision.winner for decision in new.values()):
            return state, decisions


class PreferenceFigures(TypedDict):
    """Counts of judgments of a pair, and their mean with its error and tests, as in `Preference`."""

    wins: int
    losses: int
    same: int
    identical: int
    mean: float
    error: float
    z: float
    p_normal: float
    p_exact: float


class ResultFigures(PreferenceFigures):
    """Result of a comparison as plain data; its own figures are those of all judgments."""

    first: str
    second: str
    judgments: int
    error_level: str
    p_judges: float | None
    low: float
    high: float
    judges: dict[str, PreferenceFigures]
    of_judges: PreferenceFigures
    of_sentences: PreferenceFigures | None
    against_majority: tuple[str, ...]


class SortStep(ResultFigures):
    """A comparison of a sort as plain data.

    `number` counts from 1. `adjusted_p` is that of the chosen test, corrected for the number of closed
    comparisons; `significant` whether it is closed and `adjusted_p` is at most the level; both are None
    without a correction. The others are as in `Decision`.
    """

    number: int
    adjusted_p: float | None
    significant: bool | None
    winner: str | None
    asked: int
    missing: int
    arbitrary: bool


class RemainingPair(TypedDict):
    """A pair that a sort did not need.

    `better` and `worse` are by the order, and `places` their distance in it, from 2. If the pair was judged
    anyway, `result` has the better one first. `contradicts` is whether judges preferred the worse one.
    """

    better: str
    worse: str
    places: int
    result: ResultFigures | None
    contradicts: bool


@dataclass(frozen=True)
class SortedChain:
    """Progress of a sort, and the evidence for its order.

    Attributes
    ----------
    systems : tuple of str
        Sorted by name.
    state : SortState
    steps : sequence of SortStep
        Comparisons that are closed or have judgments, in the order of the sort, from the viewpoint
        of the winner, or of the first system while it is open.
    clusters : tuple of int
        Cluster number of each system of `order`, from 1; empty without an order, or if neighbours
        have too few judgments for a test.
    neighbours : sequence of SortStep
        The n − 1 steps between neighbours of `order`, from the top; empty without an order.
    remaining : sequence of RemainingPair
        Pairs that the sort did not need, nearest first: the ones to judge to verify the order.
        Empty without an order.
    """

    systems: tuple[str, ...]
    state: SortState
    steps: Sequence[SortStep]
    clusters: tuple[int, ...]
    neighbours: Sequence[SortStep]
    remaining: Sequence[RemainingPair]

    @property
    def order(self) -> tuple[str, ...] | None:
        """All systems, best first; None while comparisons are open."""
        return self.state.order


def sort_judged(
    systems: Iterable[str],
    judged: Mapping[Pair, PairJudgments],
    settings: SortSettings,
    *,
    decisions: Mapping[Pair, Decision] | None = None,
) -> SortedChain:
    """Sort systems as far as the existing judgments allow.

    Parameters
    ----------
    systems : iterable of str
        Two or more.
    judged : mapping of pair to PairJudgments
        Judgments by pair, including pairs that the sort does not need.
    settings : SortSettings
    decisions : mapping of pair to Decision, optional
        Earlier decisions, which stand regardless of the current judgments.

    Returns
    -------
    SortedChain

    Raises
    ------
    ValueError
        If there are fewer than two systems, a pair has an unknown system, or a setting is out of
        range.
    """
    names = tuple(sorted(systems))
    for pair in judged:
        if unknown := set(pair).difference(names):
            raise ValueError(f"there is no system {min(unknown)} to sort")
    earlier = decisions or {}

    def decide_all(pairs: Sequence[Pair]) -> dict[Pair, Decision]:
        decided = {}
        for pair in pairs:
            if pair not in judged:
                continue
            decision = earlier.get(pair)
            if decision is None:
                decision = decide(settings.compare(judged[pair]), settings)
            decided[pair] = decision
        return decided

    state, decided = sort_replayed(names, settings.seed, decide_all)
    p = _p_values(judged, decided, settings)
    steps = _steps(judged, decided, settings, p)
    if state.order is None:
        return SortedChain(names, state, list(steps.values()), (), [], [])
    neighbours = [pair_of(*pair) for pair in pairwise(state.order)]
    return SortedChain(
        systems=names,
        state=state,
        steps=list(steps.values()),
        clusters=_clusters([p[pair] for pair in neighbours], settings.level),
        neighbours=[steps[pair] for pair in neighbours],
        remaining=_remaining(state.order, steps.keys(), judged, settings),
    )


def _clusters(neighbour_p: Sequence[float], level: float) -> tuple[int, ...]:
    """Return cluster numbers, given the p-values between neighbours; none without a test of each."""
    clusters = [1]
    for p in neighbour_p:
        if math.isnan(p):
            return ()
        clusters.append(clusters[-1] + (p <= level))
    return tuple(clusters)


def _remaining(
    order: Sequence[str],
    needed: Collection[Pair],
    judged: Mapping[Pair, PairJudgments],
    settings: SortSettings,
) -> list[RemainingPair]:
    """Return the pairs that the sort did not need, nearest first."""
    remaining = []
    for (above, better), (below, worse) in combinations(enumerate(order), 2):
        pair = pair_of(better, worse)
        if pair not in needed:
            row = RemainingPair(
                better=better,
                worse=worse,
                places=below - above,
                result=None,
                contradicts=False,
            )
            if pair in judged:
                result = settings.compare(judged[pair], better)
                row["result"] = result_figures(result, settings.level)
                row["contradicts"] = result.pooled.lead < 0
            remaining.append(row)
    remaining.sort(key=itemgetter("places"))
    return remaining


def _p_values(
    judged: Mapping[Pair, PairJudgments],
    decisions: Mapping[Pair, Decision],
    settings: SortSettings,
) -> dict[Pair, float]:
    """Return the p-values of the chosen test, corrected for the number of closed comparisons if at all."""
    p = {}
    closed = []
    for pair, decision in decisions.items():
        result = settings.compare(judged[pair], decision.winner)
        p[pair] = result.pooled.p(settings.test)
        if decision.winner:
            closed.append(pair)
    single = np.array([p[pair] for pair in closed])
    corrected = adjusted(single, settings.correction).tolist()
    return p | dict(zip(closed, corrected, strict=True))


def _steps(
    judged: Mapping[Pair, PairJudgments],
    decisions: Mapping[Pair, Decision],
    settings: SortSettings,
    p: Mapping[Pair, float],
) -> dict[Pair, SortStep]:
    is_corrected = settings.correction is not Correction.NONE
    steps: dict[Pair, SortStep] = {}
    for number, (pair, decision) in enumerate(decisions.items(), 1):
        result = settings.compare(judged[pair], decision.winner)
        adjusted_p = None
        significant = None
        if is_corrected:
            adjusted_p = p[pair]
            significant = bool(decision.winner) and adjusted_p <= settings.level
        steps[pair] = {
            "number": number,
            **result_figures(result, settings.level),
            "adjusted_p": adjusted_p,
            "significant": significant,
            "winner": decision.winner,
            "asked": decision.judgments,
            "missing": decision.missing,
            "arbitrary": decision.arbitrary,
        }
    return steps


def result_figures(result: ComparisonResult, level: float) -> ResultFigures:
    """Return the result of a comparison as plain data, its pooled counts and tests under their own names."""
    low, high = result.pooled.interval(level)
    sentence_figures = None
    if result.of_sentences is not None:
        sentence_figures = _figures(result.of_sentences)
    return {
        "first": result.first,
        "second": result.second,
        **_figures(result.pooled),
        "judgments": result.pooled.judgments,
        "error_level": result.pooled.level,
        "p_judges": result.p_judges,
        "low": low,
        "high": high,
        "judges": {judge: _figures(own) for judge, own in result.judges.items()},
        "of_judges": _figures(result.of_judges),
        "of_sentences": sentence_figures,
        "against_majority": result.against_majority,
    }


def _figures(counts: Preference) -> PreferenceFigures:
    return {
        "wins": counts.wins,
        "losses": counts.losses,
        "same": counts.same,
        "identical": counts.identical,
        "mean": counts.mean,
        "error": counts.error,
        "z": counts.z,
        "p_normal": counts.p_normal,
        "p_exact": counts.p_exact,
    }
