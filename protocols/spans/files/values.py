"""Rules that the values of all formats share, with errors that name line and key."""

from __future__ import annotations

import math
from typing import Any

from campaign.formats import FormatError, system_name_problem
from campaign.formats.json_objects import refuse_damage
from protocols.spans.records import MAX_SCORE, ScoredJudgment, ScoredOutput
from ranking.files.labels import Refuse, judge_of, refuse_at

__all__ = ["Refuse", "judge_of", "refuse_at"]

#: Larger ones measure nothing here, and those of hundreds of digits are no numbers to compute with.
_LARGEST = 10**15
_ONE_SCREEN = "write what one judge said on one screen"


def text_value(key: str, value: object, refuse: Refuse, *, empty: bool = False) -> str:
    """Take a text; `empty` says whether it may be."""
    if not isinstance(value, str) or not (empty or value.strip()):
        refuse(key, "the value is no text, or an empty one", "write a text in double quotes")
    refuse_broken_text(key, value, refuse)
    return value


def refuse_broken_text(key: str, text: str, refuse: Refuse) -> None:
    """Refuse characters that no text holds; line breaks are no such."""
    try:
        refuse_damage(text.replace("\n", " "), file="", line=None, field=key)
    except FormatError as error:
        refuse(key, error.problem, error.remedy)


def number_value(key: str, value: object, refuse: Refuse) -> float:
    """Take a finite number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        refuse(key, f"{value!r} is no number", "write a number, without quotes")
    # A whole number of many digits is no float, so that the size comes first.
    if abs(value) > _LARGEST:
        refuse(key, "the number is too large", f"write a number up to {_LARGEST:,}")
    if not math.isfinite(value):
        refuse(key, f"{value!r} is no number", "write a number, without quotes")
    return float(value)


def whole_value(key: str, value: object, refuse: Refuse) -> int:
    """Take a whole number from 0."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        refuse(key, f"{value!r} is no whole number from 0", "write a whole number, without quotes")
    if value > _LARGEST:
        refuse(key, "the number is too large", f"write a number up to {_LARGEST:,}")
    return value


def list_value(key: str, value: object, refuse: Refuse) -> list[Any]:
    """Take a list."""
    if not isinstance(value, list):
        refuse(key, "the value is no list", "write it in square brackets")
    return value


def object_value(key: str, value: object, refuse: Refuse) -> dict[str, Any]:
    """Take an object."""
    if not isinstance(value, dict):
        refuse(key, "the value is no object", "write it in curly brackets")
    return value


def score_value(key: str, value: object, refuse: Refuse) -> float:
    """Take a score."""
    score = number_value(key, value, refuse)
    if not 0 <= score <= MAX_SCORE:
        refuse(
            key,
            f"the score {score:g} is not between 0 and {MAX_SCORE}",
            f"write a score from 0 (worst) to {MAX_SCORE}",
        )
    return score


def system_value(key: str, value: object, refuse: Refuse) -> str:
    """Take the name of a system."""
    name = text_value(key, value, refuse)
    problem = system_name_problem(name)
    if problem:
        refuse(key, problem, "rename the system")
    return name


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
