"""Rules that the values of all formats share, with errors that name line and key."""

from __future__ import annotations

from typing import Any

from protocols.spans.records import MAX_SCORE, ScoredJudgment, ScoredOutput
from ranking.files.json_objects import number_of
from ranking.files.labels import Refuse

_ONE_SCREEN = "write what one judge said on one screen"


def score_value(key: str, value: object, refuse: Refuse) -> float:
    """Take a score."""
    score = number_of(key, value, refuse)
    if not 0 <= score <= MAX_SCORE:
        refuse(
            key,
            f"the score {score:g} is not between 0 and {MAX_SCORE}",
            f"write a score from 0 (worst) to {MAX_SCORE}",
        )
    return score


def judgment_made(refuse: Refuse, **values: Any) -> ScoredJudgment:
    """Return the judgment, or refuse what no judgment is."""
    try:
        return ScoredJudgment(**values)
    except ValueError as error:
        refuse(None, str(error), _ONE_SCREEN)


def output_made(refuse: Refuse, **values: Any) -> ScoredOutput:
    """Return the output, or refuse what no output is."""
    try:
        return ScoredOutput(**values)
    except ValueError as error:
        refuse("outputs", str(error), _ONE_SCREEN)
