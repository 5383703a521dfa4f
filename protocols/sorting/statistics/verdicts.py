"""Closing rules of comparisons, and their winners.

`decide` looks at all judgments there are, as of a file. Where they have numbers, `decide_in_order`
looks at the first that count and at nothing later: the verdict is a function of the first `quota`
of them, or of the extension where these leave it even, so later calls give the same result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from protocols.sorting.statistics.comparison import ComparisonResult, Preference, TestName
from protocols.sorting.statistics.merge_insertion import drawn_winner

OnUndecided = Literal["sign", "extend"]


@dataclass(frozen=True, slots=True)
class VerdictRule:
    """The rule by which a comparison is closed.

    Attributes
    ----------
    quota : int
        Judgments that a comparison gets first, from 1; 700 in the paper.
    extension : int
        Judgments that it gets when they do not decide, from 0.
    on_undecided : "sign" or "extend"
        "sign": the sign of R closes it. Where R = 0 there is one extension. "extend": extended until the test is
        significant, up to `cap`. A test that is repeated at each extension finds a difference between equal systems
        more often than its level says.
    cap : int or None
        Judgments that "extend" stops at, then the sign of R closes; four quotas if not given.
    test : "normal" or "exact"
    level : float
        Of the test, between 0 and 1.

    Raises
    ------
    ValueError
        If a number is out of range, or `cap` is below `quota`.
    """

    quota: int
    extension: int = 0
    on_undecided: OnUndecided = "sign"
    cap: int | None = None
    test: TestName = "normal"
    level: float = 0.05

    def __post_init__(self) -> None:
        if self.quota < 1:
            raise ValueError("quota: expected one judgment or more")
        if self.extension < 0:
            raise ValueError("extension: must not be negative")
        if self.on_undecided == "extend" and not self.extension:
            raise ValueError("extension: expected one judgment or more to extend by")
        if self.cap is not None and self.cap < self.quota:
            raise ValueError("cap: expected at least the quota")
        if not 0 < self.level < 1:
            raise ValueError("level: expected a probability between 0 and 1")

    @property
    def most(self) -> int:
        """Return the judgments after which a comparison is closed whatever they say."""
        if self.on_undecided == "sign":
            return self.quota + self.extension
        return 4 * self.quota if self.cap is None else self.cap


@dataclass(frozen=True, slots=True)
class Decision:
    """Decision on a comparison: closed or open.

    Attributes
    ----------
    winner, loser : str or None
        None as long as it is open.
    asked : int
        Judgments that the comparison is to have before it is looked at again, or had when it was closed.
    missing : int
        How many of them are still to come; 0 if it is closed.
    arbitrary : bool
        Whether the seed chose the winner, because R is 0.
    """

    winner: str | None
    loser: str | None
    asked: int
    missing: int
    arbitrary: bool = False


def decide(
    result: ComparisonResult, rule: VerdictRule, *, seed: int, asked: int | None = None
) -> Decision:
    """Close a comparison, or return the number of judgments it still needs.

    Parameters
    ----------
    result : ComparisonResult
    rule : VerdictRule
    seed : int
        Chooses the winner where R is 0 in the end.
    asked : int, optional
        Judgments requested so far, more than the quota after extensions. An extension that has begun is looked at when
        it is complete, because R leaves 0 with its first judgment. If it is not given, as where only judgments are
        known, the first extension is taken for begun where there are judgments of it and R may have been 0 before them.

    Returns
    -------
    Decision
        Closed for the system with the greater share of judgments.
    """
    counts = result.pooled.counts
    there = counts.judgments
    if asked is None:
        asked = (
            min(rule.most, rule.quota + rule.extension) if _has_begun(counts, rule) else rule.quota
        )
    is_undecided = counts.lead == 0 or (
        rule.on_undecided == "extend" and not result.pooled.p(rule.test) <= rule.level
    )
    while is_undecided and asked <= there and asked < rule.most:
        asked = min(rule.most, asked + rule.extension)
    if there < asked:
        return Decision(None, None, asked, asked - there)
    if counts.lead == 0:
        winner = drawn_winner(result.first, result.second, seed)
    else:
        winner = result.first if counts.lead > 0 else result.second
    loser = result.second if winner == result.first else result.first
    return Decision(winner, loser, asked, 0, arbitrary=counts.lead == 0)


def _has_begun(counts: Preference, rule: VerdictRule) -> bool:
    """Return whether there are judgments beyond the quota, not yet all, without which R may be 0."""
    beyond = counts.judgments - rule.quota
    return 0 < beyond < rule.extension and abs(counts.lead) <= beyond


@dataclass(frozen=True, slots=True)
class Answer:
    """A judgment of a comparison.

    Attributes
    ----------
    number : int
        In its task.
    judge : str
    segment : int
    answer : int
        +1 where the first system is better, −1 where the second is, 0 for the same quality.
    """

    number: int
    judge: str
    segment: int
    answer: int


def counting(answers: Iterable[Answer], *, most_of_a_judge: int = 0) -> list[Answer]:
    """Return the judgments that count for a verdict, by number.

    A judge's first of each segment, and the first `most_of_a_judge` of a judge; 0: all of them.
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
    """Close a comparison by its first judgments, or say how many more it needs.

    Parameters
    ----------
    first, second : str
    answers : sequence of int
        Of the judgments that count, in the order of their numbers: +1 for `first`, −1 for `second`, 0.
    rule : VerdictRule
        Its quota and extension; the sign of R closes.
    seed : int
        Chooses the winner where the extension is even, too.

    Returns
    -------
    Decision
        Of a closed comparison `asked` says of how many judgments; those after them make no difference.
    """
    asked = rule.quota
    while True:
        if len(answers) < asked:
            return Decision(None, None, asked, asked - len(answers))
        lead = sum(answers[:asked])
        if lead or asked >= rule.most:
            break
        asked = rule.most
    winner = (first if lead > 0 else second) if lead else drawn_winner(first, second, seed)
    loser = second if winner == first else first
    return Decision(winner, loser, asked, 0, arbitrary=lead == 0)
