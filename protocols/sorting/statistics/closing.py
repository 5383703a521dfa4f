"""What closes a comparison whose judgments come one after the other: the first that count, and nothing later.

`verdicts.decide` looks at all judgments there are, as of a file. Here they have numbers, so that the verdict is a
function of the first `quota` of them, or of the extension where these leave it even: whoever looks, and however late, finds the
same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from protocols.sorting.statistics.draws import drawn_winner
from protocols.sorting.statistics.verdicts import Decision, VerdictRule


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
