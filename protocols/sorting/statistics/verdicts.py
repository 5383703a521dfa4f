"""Rules for closing comparisons and determining their winners.

`decide` uses all judgments, for instance those of a file. `decide_in_order` is for numbered
judgments and ignores later ones: the verdict depends only on the first `quota` judgments that
count, or on the extension if these are tied, so later calls give the same result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from protocols.sorting.statistics.merge_insertion import (
    Pair,
    SortState,
    Verdict,
    drawn_winner,
    next_comparisons,
    pair_of,
)
from ranking.core.rankings.two_systems import ComparisonResult, TestName

OnUndecided = Literal["sign", "extend"]


@dataclass(frozen=True, slots=True)
class VerdictRule:
    """The rule by which a comparison is closed.

    Attributes
    ----------
    quota : int
        Number of judgments that a comparison gets first, at least 1; 700 in the paper.
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

    Raises
    ------
    ValueError
        If "extend" has no judgments to extend by, or `cap` is below `quota`.
    """

    quota: int
    extension: int = 0
    on_undecided: OnUndecided = "sign"
    cap: int | None = None
    test: TestName = "normal"
    level: float = 0.05

    def __post_init__(self) -> None:
        if self.on_undecided == "extend" and not self.extension:
            raise ValueError("extension: expected one judgment or more to extend by")
        if self.cap is not None and self.cap < self.quota:
            raise ValueError("cap: expected at least the quota")

    @property
    def most(self) -> int:
        """Number of judgments after which a comparison is always closed."""
        if self.on_undecided == "sign":
            return self.quota + self.extension
        return 4 * self.quota if self.cap is None else self.cap


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


def decide(result: ComparisonResult, rule: VerdictRule, *, seed: int) -> Decision:
    """Close a comparison by all its judgments, or return the number it still needs.

    An extension is evaluated only when complete, because its first judgment already moves R away
    from 0. It counts as started if there are more judgments than the quota and R may have been 0
    before them.

    Parameters
    ----------
    result : ComparisonResult
    rule : VerdictRule
    seed : int
        Chooses the winner if R is 0 in the end.

    Returns
    -------
    Decision
        Closed in favour of the system with the greater share of judgments.
    """
    pooled = result.pooled
    asked, beyond = rule.quota, pooled.judgments - rule.quota
    if 0 < beyond < rule.extension and abs(pooled.lead) <= beyond:
        asked = min(rule.most, rule.quota + rule.extension)
    is_undecided = pooled.lead == 0 or (
        rule.on_undecided == "extend" and not pooled.p(rule.test) <= rule.level
    )
    while is_undecided and asked <= pooled.judgments and asked < rule.most:
        asked = min(rule.most, asked + rule.extension)
    if pooled.judgments < asked:
        return Decision(None, None, asked, asked - pooled.judgments)
    return closed(result.first, result.second, pooled.lead, asked, seed=seed)


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
    seen: set[tuple[str, int]] = set()
    given: Counter[str] = Counter()
    found = []
    for each in sorted(answers, key=lambda answer: answer.number):
        key = (each.judge, each.segment)
        if key in seen or (most_of_a_judge and given[each.judge] >= most_of_a_judge):
            continue
        seen.add(key)
        given[each.judge] += 1
        found.append(each)
    return found


def decide_in_order(
    first: str, second: str, answers: Sequence[int], rule: VerdictRule, *, seed: int
) -> Decision:
    """Close a comparison by its first judgments, or return how many more it needs.

    Parameters
    ----------
    first, second : str
    answers : sequence of int
        Answers of the judgments that count, by number: +1 for `first`, −1 for `second`, 0.
    rule : VerdictRule
        Only its quota and extension are used; the sign of R closes.
    seed : int
        Chooses the winner if the extension is tied as well.

    Returns
    -------
    Decision
        For a closed comparison, `asked` is the number of judgments it is based on; later ones make no difference.
    """
    asked = rule.quota
    while True:
        if len(answers) < asked:
            return Decision(None, None, asked, asked - len(answers))
        lead = sum(answers[:asked])
        if lead or asked >= rule.most:
            break
        asked = rule.most
    return closed(first, second, lead, asked, seed=seed)


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
