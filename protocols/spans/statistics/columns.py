"""Scored judgments as arrays, and scores derived from errors."""

from collections.abc import Iterable
from enum import StrEnum

from protocols.spans.records import ScoredJudgment, ScoredOutput
from protocols.spans.weights import USUAL_WEIGHTS, Weights, weighted_score
from ranking.core.scored.columns import ScoreColumns


class Measure(StrEnum):
    """Definition of an output's score."""

    SCORE = "score"
    """Score by the judge, from 0 to 100."""

    MQM = "mqm"
    """Minus the weights of the errors, by default those of Freitag et al. (2021); 0 is best."""


def score_of(output: ScoredOutput, measure: Measure | Weights) -> float | None:
    """Return the score of an output by a measure, or from its errors by weights; None if it has none."""
    if measure is Measure.SCORE:
        return output.score
    return weighted_score(output, USUAL_WEIGHTS if measure is Measure.MQM else measure)


def given_measure(judgments: Iterable[ScoredJudgment]) -> Measure:
    """Return the measure that judgments have: scores or, if no output has any, error weights, as in
    MQM.
    """
    has_score = any(output.score is not None for each in judgments for output in each.outputs)
    return Measure.SCORE if has_score else Measure.MQM


def score_columns(
    judgments: Iterable[ScoredJudgment], *, measure: Measure | Weights = Measure.SCORE
) -> ScoreColumns:
    """Return the scores of judgments as columns.

    Parameters
    ----------
    judgments : iterable of ScoredJudgment
        Judgments of one test set; their order affects only `round`.
    measure : Measure or Weights

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
