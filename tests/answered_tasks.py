"""An answer of each form that the API describes, with the task in which a judge gives it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from campaign.models import Protocol


@dataclass(frozen=True)
class AnswerForm:
    """A form of answers.

    Attributes
    ----------
    name : str
        Of the test's case.
    kind : str
        By which the answer names its form.
    protocol : Protocol
    answer : function
        Maps the number of candidates to an answer.
    rules : dict
        Rules of the task.
    """

    name: str
    kind: str
    protocol: Protocol
    answer: Callable[[int], dict[str, Any]]
    rules: dict[str, Any] = field(default_factory=dict)


_ERROR: Final = {"start": 0, "end": 2, "severity": "minor", "kind": "error"}
_MQM: Final = {
    "scored": False,
    "source_marked": True,
    "severities": ["neutral", "minor", "major", "critical"],
    "categories": ["Accuracy/Omission", "Other"],
    "weights": "google-2021",
}
FORMS: Final = (
    AnswerForm("passes", "rating", Protocol.RATING, lambda _count: {"value": 4}),
    AnswerForm(
        "criteria",
        "ratings",
        Protocol.RATING,
        lambda count: {"outputs": [{"fluency": 4, "adequacy": 2}] * count},
        {"all_at_once": True},
    ),
    AnswerForm(
        "esa",
        "spans",
        Protocol.SPANS,
        lambda count: {"outputs": [{"score": 48, "spans": [_ERROR]}] * count},
    ),
    AnswerForm(
        "direct assessment",
        "spans",
        Protocol.SPANS,
        lambda count: {"outputs": [{"score": 48, "spans": []}] * count},
        {"spans_asked": False},
    ),
    AnswerForm(
        "mqm",
        "spans",
        Protocol.SPANS,
        lambda count: {
            "outputs": [
                {"score": None, "spans": [{**_ERROR, "category": "Other"}]},
            ]
            * count,
        },
        _MQM,
    ),
    AnswerForm(
        "two outputs",
        "two_outputs",
        Protocol.TWO_OUTPUTS,
        lambda _count: {"verdict": "first"},
    ),
    AnswerForm(
        "two outputs with four answers",
        "two_outputs",
        Protocol.TWO_OUTPUTS,
        lambda _count: {"verdict": "both_fine"},
        {"four_answers": True},
    ),
    AnswerForm("sorting", "sorting", Protocol.SORTING, lambda _c: {"verdict": "first"}),
    AnswerForm(
        "top or not",
        "top",
        Protocol.TOP,
        lambda count: {"top": [True] + [False] * (count - 1)},
    ),
    AnswerForm(
        "best and worst",
        "best_worst",
        Protocol.TOP,
        lambda _count: {"best": 1, "worst": 2},
        {"best_worst": True},
    ),
    AnswerForm(
        "editing",
        "editing",
        Protocol.EDITING,
        lambda _count: {"outcome": "unchanged", "text": "", "keystrokes": 0},
    ),
    AnswerForm("quiz", "quiz", Protocol.QUIZ, lambda _count: {"answers": []}),
)
EVERY_FORM: Final = pytest.mark.parametrize(
    "form",
    [pytest.param(form, id=form.name) for form in FORMS],
)
