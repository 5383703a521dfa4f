"""Answers in a sort: the better of two outputs, or the same quality. Labels hold the whole
answer.
"""

from typing import Any, Final

from rest_framework import serializers

from annotation.protocols import Comparisons
from campaign.models import Protocol
from protocols.frame.two_outputs import LABELS, two_outputs_answers
from protocols.models import Verdict
from protocols.sorting.sorts import RULES, comparisons_close, comparisons_open, rules_complete
from protocols.sorting.statistics import most_comparisons

_VERDICTS: Final = {
    LABELS[verdict]: verdict.value for verdict in (Verdict.FIRST, Verdict.SAME, Verdict.SECOND)
}


class SortingAnswerSerializer(serializers.Serializer[object]):
    """The better of two outputs, in display order."""

    verdict = serializers.ChoiceField(choices=list(_VERDICTS.values()))


class SortingRulesSerializer(serializers.Serializer[object]):
    """Rules of a sort for judges: none."""


def _as_given(judgment: Any) -> dict[str, str]:
    return {"verdict": _VERDICTS[tuple(judgment.labels)]}


ANSWERS: Final = two_outputs_answers(
    Protocol.SORTING,
    serializer=SortingAnswerSerializer,
    as_given=_as_given,
    rules_serializer=SortingRulesSerializer,
    rules_fields=RULES,
    comparisons=Comparisons(
        close=comparisons_close,
        open=comparisons_open,
        sentences_of_a_judge=lambda rules: rules_complete(rules)["most_of_a_judge"],
        judgments=lambda rules: rules_complete(rules)["judgments"],
        most=most_comparisons,
    ),
    screen=Protocol.TWO_OUTPUTS,
)
