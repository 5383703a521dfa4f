"""Answers about two outputs: the better one, or that they are the same.

With the rule `four_answers` (Bojar et al. 2011, §2.5.2), "the same" is split into "both fine" and
"both wrong".
"""

from typing import Final

from django import forms
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from annotation.protocols.answer_kinds import (
    QUESTION,
    Perceived,
    QuestionField,
    QuestionSerializer,
    ShownRules,
)
from annotation.protocols.submissions import (
    AssignedBlock,
    SubmissionRefusedError,
    answer_refused,
)
from campaign.api.constants import ConstantField
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Campaign, Protocol
from protocols.frame.two_outputs import TwoOutputsKind, VerdictJSON
from protocols.models import TwoOutputsAnswer, Verdict

_OF_FOUR: Final = frozenset({Verdict.BOTH_FINE, Verdict.BOTH_WRONG})
_OF_THREE: Final = frozenset({Verdict.SAME})
#: Stated quality (0–100) from which simulated judges find two equal outputs fine.
_FINE: Final = 50


class TwoOutputsAnswerSerializer(PlainSerializer):
    """The better of two outputs, in display order."""

    kind = ConstantField("two_outputs")
    verdict = serializers.ChoiceField(
        choices=Verdict.choices,
        help_text="“same” in tasks with three answers; “both_fine” and “both_wrong” in tasks with four.",
    )


class TwoOutputsRulesSerializer(QuestionSerializer):
    """Options of a two-output task."""

    protocol = ConstantField(Protocol.TWO_OUTPUTS)
    four_answers = serializers.BooleanField(
        help_text="Replaces “the same” with “both fine” and “both wrong”.",
    )


class TwoOutputsAnswers(TwoOutputsKind):
    """Which of two outputs is better, in three answers or, with a rule, in four."""

    protocol = Protocol.TWO_OUTPUTS
    sentence = gettext_lazy(
        "Judges compare two outputs: one is better, or they are equal.",
    )
    work = gettext_lazy("You compare two outputs and choose the better one.")
    question_about_media = gettext_lazy("Which output has the better overall quality?")
    serializer = TwoOutputsAnswerSerializer
    table = TwoOutputsAnswer
    rules_serializer = TwoOutputsRulesSerializer
    rules_fields = {
        QUESTION: QuestionField(),
        "four_answers": forms.BooleanField(
            label=gettext_lazy(
                "Offer “both fine” and “both wrong” instead of “the same”",
            ),
            initial=False,
            required=False,
        ),
    }
    screen_words = {
        "output": gettext_lazy("Output {letter}"),
        "which_is_better_media": gettext_lazy(
            "Which output is better?",
        ),
        "which_is_better": gettext_lazy(
            "Which output is better? Judge meaning first, then fluency.",
        ),
        "verdict_first": gettext_lazy("A is better"),
        "verdict_same": gettext_lazy("the same"),
        "verdict_second": gettext_lazy("B is better"),
        "verdict_both_fine": gettext_lazy("both fine"),
        "verdict_both_wrong": gettext_lazy("both wrong"),
        "verdict_wanted": gettext_lazy("Choose an answer, or skip the item."),
    }

    def shown_rules(self, campaign: Campaign, part: int) -> ShownRules:
        return self.rules

    def refusal(
        self,
        assigned: AssignedBlock,
        answer: VerdictJSON,
    ) -> SubmissionRefusedError | None:
        verdict = answer["verdict"]
        if self._has_four_answers:
            refused = _OF_THREE
        else:
            refused = _OF_FOUR
        if verdict in refused:
            return answer_refused(f"“{verdict}” is not an answer of this task.")
        return super().refusal(assigned, answer)

    def simulated(self, perceived: Perceived) -> VerdictJSON:
        answer = super().simulated(perceived)
        if answer["verdict"] != Verdict.SAME or not self._has_four_answers:
            return answer
        is_fine = sum(perceived.qualities) / len(perceived.qualities) >= _FINE
        return {"verdict": Verdict.BOTH_FINE if is_fine else Verdict.BOTH_WRONG}

    @property
    def _has_four_answers(self) -> bool:
        return bool(self.stored_rules.get("four_answers"))


ANSWERS: Final = TwoOutputsAnswers
