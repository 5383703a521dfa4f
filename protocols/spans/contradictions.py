"""Scores that contradict the spans of their output or of another one: the judge is asked, never
refused.

The thresholds are a rule of the task. Their sources:

- *a low score without an error*: Appraise asks below 66, Pearmut 1.0 below 80, WMT26 below 85, which is also its
  definition of an output without errors (at least 85 and no span). Default: 85.
- *a perfect score with an error*: 100 is "perfect" in the guidelines of ESA. Default: 100.
- *a high score with a major error*: the guidelines have "most meaning preserved, minor issues" at 66 and "perfect" at 100,
  so a score with a major error cannot be much higher. The default, 90, is ours.
- *more errors, and still better*: no source. An output with at least as many major and minor errors
as another one on the same screen, and more of one kind, has a score that is higher by at least the
margin (10, ours).
"""

from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations
from typing import Final, NamedTuple

from protocols.spans.records import ScoredJudgment, ScoredOutput, Severity

#: Severities that count as major.
_MAJOR: Final = (Severity.MAJOR, Severity.CRITICAL)


class ContradictionKind(StrEnum):
    """Kind of contradiction."""

    LOW_WITHOUT_ERROR = "low_without_error"
    PERFECT_WITH_ERROR = "perfect_with_error"
    HIGH_WITH_MAJOR = "high_with_major"
    BETTER_WITH_MORE_ERRORS = "better_with_more_errors"


@dataclass(frozen=True, slots=True)
class ContradictionRule:
    """Thresholds for asking the judge.

    Attributes
    ----------
    error_free_from : float
        A lower score needs an error.
    perfect_from : float
        A score at or above it needs to be free of errors.
    major_below : float
        A score at or above it needs to be free of major errors.
    margin : float
        Scores on one screen that differ by less do not contradict the numbers of errors.
    """

    error_free_from: float = 85
    perfect_from: float = 100
    major_below: float = 90
    margin: float = 10


class Contradiction(NamedTuple):
    """One question to the judge.

    Attributes
    ----------
    kind : ContradictionKind
    outputs : tuple of int
        Positions of the outputs on the screen, from 0; of two outputs, the one with the higher
        score first.
    """

    kind: ContradictionKind
    outputs: tuple[int, ...]


def contradictions(
    judgment: ScoredJudgment,
    rule: ContradictionRule | None = None,
) -> list[Contradiction]:
    """Return the contradictions on a screen: those of single outputs, then those of pairs.

    Outputs without a score or without span annotation contradict nothing.
    """
    rule = rule or ContradictionRule()
    outputs = judgment.outputs
    questions = []
    for index, output in enumerate(outputs):
        kind = _contradiction_kind(output, rule)
        if kind is not None:
            questions.append(Contradiction(kind, (index,)))
    for better, worse in permutations(range(len(outputs)), 2):
        if _is_better_with_more(outputs[better], outputs[worse], rule.margin):
            kind = ContradictionKind.BETTER_WITH_MORE_ERRORS
            questions.append(Contradiction(kind, (better, worse)))
    return questions


def _contradiction_kind(
    output: ScoredOutput,
    rule: ContradictionRule,
) -> ContradictionKind | None:
    if output.score is None or output.spans is None:
        return None
    if not output.count(Severity.MINOR, *_MAJOR):
        is_low = output.score < rule.error_free_from
        if is_low:
            return ContradictionKind.LOW_WITHOUT_ERROR
        return None
    if output.score >= rule.perfect_from:
        return ContradictionKind.PERFECT_WITH_ERROR
    if output.count(*_MAJOR) and output.score >= rule.major_below:
        return ContradictionKind.HIGH_WITH_MAJOR
    return None


def _is_better_with_more(
    better: ScoredOutput,
    worse: ScoredOutput,
    margin: float,
) -> bool:
    if None in (better.score, worse.score, better.spans, worse.spans):
        return False
    ahead = (better.score or 0) - (worse.score or 0)
    if ahead <= 0 or ahead < margin:
        return False
    kinds = ((Severity.MINOR,), _MAJOR)
    more = []
    for kind in kinds:
        more.append(better.count(*kind) - worse.count(*kind))
    return min(more) >= 0 and max(more) > 0
