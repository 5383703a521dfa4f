"""A sort of judged comparisons: what closes them, the order, and the neighbours that could be swapped.

Any comparison sort compares all neighbours of the final order with each other (nothing else could
determine their order), so each pair of neighbours has its own test. Neighbours whose difference is
not significant share a cluster, as "the two bottom positions … could be swapped" in Vilar et al.
(2007). Systems further apart may not have been compared.

`decide` uses all judgments, for instance those of a file. `decide_in_order` is for numbered
judgments and ignores later ones: the verdict depends only on the first `quota` judgments that
count, or on the extension if these are tied, so later calls give the same result.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise
from operator import itemgetter
from typing import Any, Literal

import numpy as np

from protocols.sorting.statistics.merge_insertion import (
    Pair,
    SortState,
    Verdict,
    drawn_winner,
    next_comparisons,
    pair_of,
)
from ranking.core.ranges import Correction, adjusted
from ranking.core.rankings.two_systems import (
    ComparisonResult,
    ErrorChoice,
    PairJudgments,
    Preference,
    TestName,
    compare,
)


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
    on_undecided: Literal["sign", "extend"] = "sign"
    cap: int | None = None
    test: TestName = "normal"
    level: float = 0.05
    correction: Correction = Correction.NONE
    error: ErrorChoice = "auto"
    resamples: int = 1000

    def __post_init__(self) -> None:
        if self.on_undecided == "extend" and not self.extension:
            raise ValueError("extension: expected one judgment or more to extend by")
        if self.cap is not None and self.cap < (self.quota or 0):
            raise ValueError("cap: expected at least the quota")

    def most(self, quota: int) -> int:
        """Return the number of judgments after which a comparison is always closed."""
        if self.on_undecided == "sign":
            return quota + self.extension
        return self.cap or 4 * quota

    def compare(self, judgments: PairJudgments, first: str | None = None) -> ComparisonResult:
        """Compare two systems by their judgments with these settings, with `first` as the first
        system if given.
        """
        facing = judgments if first in {None, judgments.first} else judgments.reversed()
        return compare(facing, error=self.error, seed=self.seed, resamples=self.resamples)


@dataclass(frozen=True, slots=True)
class Decision:
    """Decision on a comparison: closed or open.

    Attributes
    ----------
    winner, loser : str or None
        None while the comparison is open.
    asked : int
        Number of judgments at which the comparison is examined next, or at which it was closed.
    missing : int
        Number of these judgments still missing; 0 if it is closed.
    arbitrary : bool
        Whether the seed chose the winner, because R is 0.
    """

    winner: str | None
    loser: str | None
    asked: int
    missing: int
    arbitrary: bool = False


def verdicts_of(decisions: Iterable[Decision]) -> list[Verdict]:
    """Return the verdicts of the closed comparisons."""
    return [Verdict(each.winner, each.loser) for each in decisions if each.winner and each.loser]


def closed(first: str, second: str, lead: int, asked: int, *, seed: int) -> Decision:
    """Close a comparison in favour of the leading system, or of the one chosen by the seed."""
    winner = (first if lead > 0 else second) if lead else drawn_winner(first, second, seed)
    loser = second if winner == first else first
    return Decision(winner, loser, asked, 0, arbitrary=not lead)


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
    asked = rule.quota or max(1, pooled.judgments)
    most, beyond = rule.most(asked), pooled.judgments - asked
    if 0 < beyond < rule.extension and abs(pooled.lead) <= beyond:
        asked = min(most, asked + rule.extension)
    is_undecided = pooled.lead == 0 or (
        rule.on_undecided == "extend" and not pooled.p(rule.test) <= rule.level
    )
    while rule.quota and is_undecided and asked <= pooled.judgments and asked < most:
        asked = min(most, asked + rule.extension)
    if pooled.judgments < asked:
        return Decision(None, None, asked, asked - pooled.judgments)
    return closed(result.first, result.second, pooled.lead, asked, seed=rule.seed)


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
    found: dict[tuple[str, int], Answer] = {}
    given: Counter[str] = Counter()
    for each in sorted(answers, key=lambda answer: answer.number):
        key = (each.judge, each.segment)
        if key not in found and not 0 < most_of_a_judge <= given[each.judge]:
            found[key] = each
            given[each.judge] += 1
    return list(found.values())


def decide_in_order(
    first: str, second: str, answers: Sequence[int], quota: int, extension: int, *, seed: int
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
        For a closed comparison, `asked` is the number of judgments it is based on; later ones make no difference.
    """
    asked = quota
    if len(answers) >= quota and not sum(answers[:quota]):
        asked += extension
    if len(answers) < asked:
        return Decision(None, None, asked, asked - len(answers))
    return closed(first, second, sum(answers[:asked]), asked, seed=seed)


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
    found = dict(decided or {})
    names = tuple(systems)
    while True:
        state = next_comparisons(names, verdicts_of(found.values()), seed)
        new = decide_all([pair for each in state.open if (pair := pair_of(*each)) not in found])
        found |= new
        if not any(each.winner for each in new.values()):
            return state, found


@dataclass(frozen=True)
class SortedChain:
    """Progress of a sort, and the evidence for its order.

    Attributes
    ----------
    systems : tuple of str
        Sorted by name.
    state : SortState
    steps : sequence of dict
        Comparisons that are closed or have judgments, in the order of the sort, from the viewpoint
        of the winner, or of the first system while it is open. Keys: number (from 1), those of
        `result_figures`, adjusted_p (of the chosen test, corrected for the number of closed
        comparisons), significant (whether it is closed and `adjusted_p` is at most the level), and
        winner, asked, missing and arbitrary as in `Decision`.
    clusters : tuple of int
        Cluster number of each system of `order`, from 1; empty without an order, or if neighbours
        have too few judgments for a test.
    neighbours : sequence of dict
        The n − 1 steps between neighbours of `order`, from the top; empty without an order.
    remaining : sequence of dict
        Pairs that the sort did not need, nearest first: the ones to judge to verify the order.
        Empty without an order. Keys: better and worse (by the order), places (distance in the
        order, from 2), result (`result_figures` with the better one first if the pair was judged
        anyway, or None), and contradicts (whether judges preferred the worse one).
    """

    systems: tuple[str, ...]
    state: SortState
    steps: Sequence[Mapping[str, Any]]
    clusters: tuple[int, ...]
    neighbours: Sequence[Mapping[str, Any]]
    remaining: Sequence[Mapping[str, Any]]

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
    known = decisions or {}

    def decide_all(pairs: Sequence[Pair]) -> dict[Pair, Decision]:
        return {
            pair: known.get(pair) or decide(settings.compare(judged[pair]), settings)
            for pair in pairs
            if pair in judged
        }

    state, decided = sort_replayed(names, settings.seed, decide_all)
    steps = _steps(judged, decided, settings)
    if state.order is None:
        return SortedChain(names, state, list(steps.values()), (), [], [])
    neighbours = [steps[pair_of(*pair)] for pair in pairwise(state.order)]
    clusters: Iterable[int] = ()
    if not any(math.isnan(step["adjusted_p"]) for step in neighbours):
        clusters = accumulate((step["significant"] for step in neighbours), initial=1)
    remaining = []
    for (above, better), (below, worse) in combinations(enumerate(state.order), 2):
        pair = pair_of(better, worse)
        if pair not in steps:
            result = settings.compare(judged[pair], better) if pair in judged else None
            remaining.append(
                {
                    "better": better,
                    "worse": worse,
                    "places": below - above,
                    "result": result and result_figures(result, settings.level),
                    "contradicts": result is not None and result.pooled.lead < 0,
                }
            )
    remaining.sort(key=itemgetter("places"))
    return SortedChain(names, state, list(steps.values()), tuple(clusters), neighbours, remaining)


def _steps(
    judged: Mapping[Pair, PairJudgments],
    decisions: Mapping[Pair, Decision],
    settings: SortSettings,
) -> dict[Pair, dict[str, Any]]:
    results = {
        pair: settings.compare(judged[pair], each.winner) for pair, each in decisions.items()
    }
    p = {pair: result.pooled.p(settings.test) for pair, result in results.items()}
    closed = [pair for pair, each in decisions.items() if each.winner]
    corrected = adjusted(np.array([p[pair] for pair in closed]), settings.correction).tolist()
    adjusted_p = p | dict(zip(closed, corrected, strict=True))
    return {
        pair: {
            "number": number,
            **result_figures(results[pair], settings.level),
            "adjusted_p": adjusted_p[pair],
            "significant": pair in closed and adjusted_p[pair] <= settings.level,
            "winner": decision.winner,
            "asked": decision.asked,
            "missing": decision.missing,
            "arbitrary": decision.arbitrary,
        }
        for number, (pair, decision) in enumerate(decisions.items(), 1)
    }


def result_figures(result: ComparisonResult, level: float) -> dict[str, Any]:
    """Return the result of a comparison as plain data, its pooled counts and tests under their own names."""
    low, high = result.pooled.interval(level)
    return {
        "first": result.first,
        "second": result.second,
        **_figures(result.pooled),
        "judgments": result.pooled.judgments,
        "error_level": result.pooled.level,
        "p_judges": result.p_judges,
        "low": low,
        "high": high,
        "judges": {judge: _figures(each) for judge, each in result.judges.items()},
        "of_judges": _figures(result.of_judges),
        "of_sentences": result.of_sentences and _figures(result.of_sentences),
        "against_majority": result.against_majority,
    }


def _figures(counts: Preference) -> dict[str, Any]:
    names = ("wins", "losses", "same", "identical", "mean", "error", "z", "p_normal", "p_exact")
    return {name: getattr(counts, name) for name in names}
