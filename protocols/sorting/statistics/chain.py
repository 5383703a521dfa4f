"""A sort of judged comparisons: its steps, the order, and the neighbours that could be swapped.

Any comparison sort compares all neighbours of the final order with each other (nothing else could
determine their order), so each pair of neighbours has its own test. Neighbours whose difference is
not significant share a cluster, as "the two bottom positions … could be swapped" in Vilar et al.
(2007). Systems further apart may not have been compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise
from typing import Any

import numpy as np

from protocols.sorting.statistics.merge_insertion import Pair, SortState, pair_of
from protocols.sorting.statistics.verdicts import Decision, VerdictRule, decide, sort_replayed
from ranking.core.ranges import Correction, adjusted
from ranking.core.rankings.two_systems import (
    ComparisonResult,
    ErrorChoice,
    PairJudgments,
    TestName,
    compare,
)


@dataclass(frozen=True)
class Step:
    """A comparison of the sort, from the viewpoint of its winner, or of its first system while it
    is open.

    Attributes
    ----------
    number : int
        From 1, in the order of the sort; comparisons that were open at the same time are
        consecutive.
    result : ComparisonResult
        `first` is the winner.
    decision : Decision
    p : float
        Two-sided p-value of all judges together by the chosen test; NaN with fewer than two
        judgments.
    adjusted_p : float
        The same, corrected for the number of closed comparisons.
    significant : bool
        Whether the comparison is closed and `adjusted_p` is at most the level.
    """

    number: int
    result: ComparisonResult
    decision: Decision
    p: float
    adjusted_p: float
    significant: bool

    @property
    def pair(self) -> Pair:
        """The two systems in the order that identifies the comparison."""
        return pair_of(self.result.first, self.result.second)


@dataclass(frozen=True)
class SortedChain:
    """Progress of a sort, and the evidence for its order.

    Attributes
    ----------
    systems : tuple of str
        Sorted by name.
    state : SortState
    steps : tuple of Step
        Comparisons that are closed or have judgments.
    order : tuple of str or None
        Best first; None while comparisons are open.
    clusters : tuple of int
        Cluster number of each system of `order`, from 1; empty without an order, or if neighbours
        have too few judgments for a test.
    neighbours : tuple of Step
        The n − 1 comparisons between neighbours of `order`, from the top; empty without an order.
    remaining : sequence of dict
        Pairs that the sort did not need, nearest first: the ones to judge to verify the order.
        Empty without an order. Keys: better and worse (by the order), places (distance in the
        order, from 2), result (a ComparisonResult with the better one first if the pair was judged
        anyway, or None), and contradicts (whether judges preferred the worse one).
    """

    systems: tuple[str, ...]
    state: SortState
    steps: tuple[Step, ...]
    clusters: tuple[int, ...]
    neighbours: tuple[Step, ...]
    remaining: Sequence[Mapping[str, Any]]

    @property
    def order(self) -> tuple[str, ...] | None:
        """All systems, best first; None while comparisons are open."""
        return self.state.order


@dataclass(frozen=True, slots=True)
class SortSettings:
    """Rules for deciding and testing comparisons.

    Attributes
    ----------
    seed : int
        Seed for the start order, arbitrary winners, and the bootstrap.
    rule : VerdictRule or None
        Rule that closes comparisons; None closes each with the existing judgments.
    test : "normal" or "exact"
    level : float
    correction : Correction
        Correction for the number of closed comparisons.
    error : "auto", "judgments" or "two_way"
        Units that the pooled error treats as independent; see `compare`.
    resamples : int
        Number of bootstrap resamples.
    """

    seed: int = 0
    rule: VerdictRule | None = None
    test: TestName = "normal"
    level: float = 0.05
    correction: Correction = Correction.NONE
    error: ErrorChoice = "auto"
    resamples: int = 1000

    def compare(self, judgments: PairJudgments, first: str | None = None) -> ComparisonResult:
        """Compare two systems by their judgments with these settings, with `first` as the first
        system if given.
        """
        facing = judgments if first in {None, judgments.first} else judgments.reversed()
        return compare(facing, error=self.error, seed=self.seed, resamples=self.resamples)

    def decide(self, result: ComparisonResult) -> Decision:
        """Close a comparison by these settings, or return the number of judgments it still
        needs.
        """
        rule = self.rule or VerdictRule(quota=max(1, result.pooled.judgments))
        return decide(result, rule, seed=self.seed)


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
    results: dict[Pair, ComparisonResult] = {}
    known = decisions or {}

    def decide_all(pairs: Sequence[Pair]) -> dict[Pair, Decision]:
        new = {pair: settings.compare(judged[pair]) for pair in pairs if pair in judged}
        results.update(new)
        return {pair: known.get(pair) or settings.decide(each) for pair, each in new.items()}

    state, decided = sort_replayed(names, settings.seed, decide_all)
    steps = _steps(judged, results, decided, settings)
    return SortedChain(names, state, steps, *_ordered(state.order, steps, judged, settings))


def _steps(
    judged: Mapping[Pair, PairJudgments],
    results: Mapping[Pair, ComparisonResult],
    decisions: Mapping[Pair, Decision],
    settings: SortSettings,
) -> tuple[Step, ...]:
    closed = [pair for pair, each in decisions.items() if each.winner is not None]
    p = {pair: result.pooled.p(settings.test) for pair, result in results.items()}
    corrected = adjusted(np.array([p[pair] for pair in closed]), settings.correction).tolist()
    adjusted_p = p | dict(zip(closed, corrected, strict=True))
    return tuple(
        Step(
            number=number,
            result=results[pair]
            if decision.winner in {None, results[pair].first}
            else settings.compare(judged[pair], decision.winner),
            decision=decision,
            p=p[pair],
            adjusted_p=adjusted_p[pair],
            significant=pair in closed and adjusted_p[pair] <= settings.level,
        )
        for number, (pair, decision) in enumerate(decisions.items(), 1)
    )


def _ordered(
    order: Sequence[str] | None,
    steps: Sequence[Step],
    judged: Mapping[Pair, PairJudgments],
    settings: SortSettings,
) -> tuple[tuple[int, ...], tuple[Step, ...], list[dict[str, Any]]]:
    """Return clusters, the comparisons of neighbours, and the pairs that were not needed."""
    if order is None:
        return (), (), []
    by_pair = {step.pair: step for step in steps}
    neighbours = tuple(by_pair[pair_of(*pair)] for pair in pairwise(order))
    clusters: list[int] = []
    if not any(math.isnan(step.p) for step in neighbours):
        clusters = [*accumulate((step.significant for step in neighbours), initial=1)]
    apart = sorted(
        (below - above, above, below)
        for above, below in combinations(range(len(order)), 2)
        if pair_of(order[above], order[below]) not in by_pair
    )
    remaining = []
    for places, above, below in apart:
        better, worse = order[above], order[below]
        judgments = judged.get(pair_of(better, worse))
        result = None if judgments is None else settings.compare(judgments, better)
        contradicts = result is not None and result.pooled.lead < 0
        pair = {"better": better, "worse": worse, "places": places}
        remaining.append(pair | {"result": result, "contradicts": contradicts})
    return tuple(clusters), neighbours, remaining
