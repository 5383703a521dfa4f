"""Answers about two outputs: the better one, or that they are the same.

With the rule `four_answers` (Bojar et al. 2011, §2.5.2), "the same" is split into "both fine" and
"both wrong".
"""

from collections.abc import Mapping
from typing import Final

from django import forms
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from annotation.protocols.answer_kinds import (
    QUESTION,
    Perceived,
    QuestionField,
    QuestionSerializer,
    rules_completed,
)
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError, answer_refused
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Protocol
from protocols.frame.two_outputs import refusal, simulated, two_outputs_answers
from protocols.models import TwoOutputsAnswer, Verdict

_OF_FOUR: Final = frozenset({Verdict.BOTH_FINE, Verdict.BOTH_WRONG})
_OF_THREE: Final = frozenset({Verdict.SAME})
#: Stated quality (0–100) from which simulated judges find two equal outputs fine.
_FINE: Final = 50


class TwoOutputsAnswerSerializer(PlainSerializer):
    """The better of two outputs, in display order."""

    verdict = serializers.ChoiceField(
        choices=Verdict.choices,
        help_text="“same” in tasks with three answers; “both_fine” and “both_wrong” in tasks with four.",
    )


class TwoOutputsRulesSerializer(QuestionSerializer):
    """Options of a two-output task."""

    four_answers = serializers.BooleanField(
        help_text="Replaces “the same” with “both fine” and “both wrong”."
    )


def _refusal(assigned: AssignedBlock, answer: Mapping[str, str]) -> SubmissionRefusedError | None:
    verdict = answer["verdict"]
    if verdict in (_OF_THREE if assigned.rules.get("four_answers") else _OF_FOUR):
        return answer_refused(f"“{verdict}” is not an answer of this task.")
    return refusal(assigned, answer)


def _simulated(perceived: Perceived) -> dict[str, str]:
    answer = simulated(perceived)
    if answer["verdict"] != Verdict.SAME or not perceived.rules.get("four_answers"):
        return answer
    is_fine = sum(perceived.qualities) / len(perceived.qualities) >= _FINE
    return {"verdict": Verdict.BOTH_FINE if is_fine else Verdict.BOTH_WRONG}


_RULES: Final = {
    QUESTION: QuestionField(),
    "four_answers": forms.BooleanField(
        label=gettext_lazy("Offer “both fine” and “both wrong” instead of “the same”"),
        initial=False,
        required=False,
    ),
}

ANSWERS: Final = two_outputs_answers(
    Protocol.TWO_OUTPUTS,
    serializer=TwoOutputsAnswerSerializer,
    refusal=_refusal,
    table=TwoOutputsAnswer,
    shown_rules=lambda _campaign, rules: rules_completed(_RULES, rules),
    rules_serializer=TwoOutputsRulesSerializer,
    simulated=_simulated,
    rules_fields=_RULES,
)
