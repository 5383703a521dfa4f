"""Answers in a sort: the better of two outputs, or the same quality. Labels hold the whole
answer.
"""

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from annotation.protocols import AnswerKind, Comparisons, Perceived
from annotation.submissions import AssignedBlock, SubmissionRefusedError, answer_refused
from campaign.models import Protocol
from protocols.sorting.sorts import (
    DEFAULTS,
    MOST,
    comparisons_close,
    comparisons_open,
    rules_complete,
)
from protocols.sorting.statistics.merge_insertion import most_comparisons

_OUTPUTS: Final = 2
_LABELS: Final[Mapping[str, tuple[int, int]]] = {"first": (1, 2), "same": (1, 1), "second": (2, 1)}
_VERDICTS: Final[Mapping[tuple[int | None, ...], str]] = {
    labels: verdict for verdict, labels in _LABELS.items()
}
SortAnswer = Mapping[str, str]


class SortingAnswerSerializer(serializers.Serializer[object]):
    """The better of two outputs, in display order."""

    verdict = serializers.ChoiceField(choices=list(_LABELS))


class SortingRulesSerializer(serializers.Serializer[object]):
    """Rules of a sort for judges: none."""


def _labels(answer: SortAnswer, _candidates: int) -> list[int | None]:
    return list(_LABELS[answer["verdict"]])


def _refusal(assigned: AssignedBlock, _answer: SortAnswer) -> SubmissionRefusedError | None:
    if len(assigned.candidates) == _OUTPUTS:
        return None
    # A practice block that lost an output because its system was withdrawn.
    return answer_refused(_("Rank at least two outputs, or skip the sentence."))


def _as_given(judgment: Any) -> dict[str, str]:
    return {"verdict": _VERDICTS[tuple(judgment.labels)]}


def _simulated(perceived: Perceived) -> dict[str, str]:
    first, second = perceived.labels
    if first == second:
        return {"verdict": "same"}
    return {"verdict": "first" if first < second else "second"}


def _number_field(name: str, label: Any, help_text: Any, *, lowest: int = 0) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        help_text=help_text,
        min_value=lowest,
        max_value=MOST,
        initial=DEFAULTS[name],
        required=False,
    )


ANSWERS: Final = AnswerKind(
    protocol=Protocol.SORTING,
    candidates=range(_OUTPUTS, _OUTPUTS + 1),
    serializer=SortingAnswerSerializer,
    labels=_labels,
    refusal=_refusal,
    as_given=_as_given,
    rules_serializer=SortingRulesSerializer,
    simulated=_simulated,
    rules_fields={
        "judgments": _number_field(
            "judgments",
            gettext_lazy("Judgments per comparison"),
            gettext_lazy(
                "A comparison closes at this number (700: seven judges with 100 sentences each)."
            ),
            lowest=1,
        ),
        "extension": _number_field(
            "extension",
            gettext_lazy("Extra judgments after a tie"),
            gettext_lazy("If still tied, the winner is drawn at random."),
        ),
        "most_of_a_judge": _number_field(
            "most_of_a_judge",
            gettext_lazy("Maximum judgments per judge and comparison"),
            gettext_lazy(
                "Each judge receives at most this many randomly drawn sentences (100 in the paper). Enter 0 for no limit."
            ),
        ),
    },
    comparisons=Comparisons(
        close=comparisons_close,
        open=comparisons_open,
        sentences_of_a_judge=lambda rules: rules_complete(rules)["most_of_a_judge"],
        judgments=lambda rules: rules_complete(rules)["judgments"],
        most=most_comparisons,
    ),
    screen=Protocol.TWO_OUTPUTS,
)
