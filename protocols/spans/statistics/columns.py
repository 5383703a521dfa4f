"""Scores of outputs, given by judges or derived from errors, one by one and as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

from protocols.spans.records import ScoredJudgment, ScoredOutput
from protocols.spans.weights import Weights, weighted_score
from ranking.core.scored.columns import ScoreColumns


@dataclass(frozen=True, slots=True)
class OutputScore:
    """The score of an output.

    Attributes
    ----------
    screen : int
        Which of the judgments it is of, from 0.
    segment : int
        Place of the segment among all, by document and name, from 0.
    judgment : ScoredJudgment
    output : ScoredOutput
    score : float
    """

    screen: int
    segment: int
    judgment: ScoredJudgment
    output: ScoredOutput
    score: float


def score_of(output: ScoredOutput, weights: Weights | None) -> float | None:
    """Return the score of an output, by the weights of its errors if there are weights; None if it has none."""
    if weights is None:
        return output.score
    return weighted_score(output, weights)


def scores_of(
    judgments: Sequence[ScoredJudgment],
    weights: Weights | None = None,
) -> list[OutputScore]:
    """Return the scores of all outputs that have one, in order."""
    names = sorted({(judgment.document, judgment.segment) for judgment in judgments})
    segments = {name: index for index, name in enumerate(names)}
    scores = []
    for screen, judgment in enumerate(judgments):
        segment = segments[judgment.document, judgment.segment]
        for output in judgment.outputs:
            score = score_of(output, weights)
            if score is not None:
                scores.append(OutputScore(screen, segment, judgment, output, score))
    return scores


def score_columns(
    judgments: Sequence[ScoredJudgment],
    *,
    weights: Weights | None = None,
) -> ScoreColumns:
    """Return the scores of judgments as columns.

    Parameters
    ----------
    judgments : sequence of ScoredJudgment
        Judgments of one test set; their order affects only `round`.
    weights : Weights, optional
        Weights of errors, for scores derived from them.

    Raises
    ------
    ValueError
        If no output has such a score.
    """
    rows = []
    for score in scores_of(judgments, weights):
        for system in score.output.systems:
            rows.append(
                (
                    system,
                    (score.judgment.document, score.judgment.segment),
                    score.judgment.judge,
                    score.score,
                ),
            )
    if not rows:
        if weights is None:
            missing = "a score"
        else:
            missing = "errors marked, or none asked for"
        raise ValueError(f"no output has {missing}")
    return ScoreColumns.of_rows(rows)
