"""Scored judgments as arrays, and scores derived from errors."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from protocols.spans.records import ScoredJudgment, ScoredOutput, Severity
from ranking.core.scored.columns import ScoreColumns

#: Weights of errors in MQM (Freitag et al. 2021).
MINOR: Final = 1.0
MAJOR: Final = 5.0
#: Weights of a minor punctuation error, and of an output that is not a translation at all.
MINOR_PUNCTUATION: Final = 0.1
NON_TRANSLATION: Final = 25.0


class Measure(StrEnum):
    """Definition of an output's score."""

    SCORE = "score"
    """Score by the judge, from 0 to 100."""

    MQM = "mqm"
    """Minus the weights of the errors, as in MQM; 0 is best."""


def mqm_score(output: ScoredOutput) -> float | None:
    """Return the negated sum of error weights of an output (Freitag et al. 2021); None if not
    annotated.

    A major error weighs 5, a minor one 1, a minor punctuation error 0.1, and a non-translation 25.
    Google's files and papers print the sum without the minus sign. Categories are spelled as by
    Google.
    """
    if output.spans is None:
        return None
    # 0.0 is added so that no errors give 0 rather than -0.
    return 0.0 - sum(_weight(span.severity, span.category) for span in output.spans)


def score_of(output: ScoredOutput, measure: Measure) -> float | None:
    """Return the score of an output by a measure; None if it has none."""
    return output.score if measure is Measure.SCORE else mqm_score(output)


def _weight(severity: Severity, category: str) -> float:
    name = category.lower()
    if name.startswith("non-translation"):
        return NON_TRANSLATION
    if severity is Severity.MAJOR:
        return MAJOR
    return MINOR_PUNCTUATION if name.endswith("/punctuation") else MINOR


def given_measure(judgments: Iterable[ScoredJudgment]) -> Measure:
    """Return the measure that judgments have: scores or, if no output has any, error weights, as in
    MQM.
    """
    has_score = any(output.score is not None for each in judgments for output in each.outputs)
    return Measure.SCORE if has_score else Measure.MQM


def score_columns(
    judgments: Iterable[ScoredJudgment], *, measure: Measure = Measure.SCORE
) -> ScoreColumns:
    """Return the scores of judgments as columns.

    Parameters
    ----------
    judgments : iterable of ScoredJudgment
        Judgments of one test set; their order affects only `round`.
    measure : Measure

    Raises
    ------
    ValueError
        If no output has such a score.
    """
    rows = [
        (system, (judgment.document, judgment.segment), judgment.judge, score)
        for judgment in judgments
        for output in judgment.outputs
        if (score := score_of(output, measure)) is not None
        for system in output.systems
    ]
    if not rows:
        what = "a score" if measure is Measure.SCORE else "errors marked, or none asked for"
        raise ValueError(f"no output has {what}")
    return ScoreColumns.of_rows(rows)
