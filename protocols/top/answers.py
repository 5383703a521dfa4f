"""Answers of “top or not”: whether each output is at the top. Labels hold the whole answer.

With the rule `best_worst`, judges choose the best and the worst output instead (best-worst scaling, Kiritchenko &
Mohammad 2017). The others are not compared with each other.
"""

from collections.abc import Sequence
from typing import Any, Final, TypedDict

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.serializers import Serializer

from annotation.models import Judgment
from annotation.protocols.answer_kinds import (
    QUESTION,
    AnswerKind,
    Perceived,
    QuestionField,
    QuestionSerializer,
    Rules,
    ShownRules,
    numbered_cells,
    numbered_columns,
)
from annotation.protocols.submissions import (
    AssignedBlock,
    SubmissionRefusedError,
    answer_refused,
)
from annotation.sampling.parameters import FEWEST_CANDIDATES
from campaign.api.constants import ConstantField
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Campaign, Protocol
from campaign.texts.studies import Preset


class TopAnswer(TypedDict, total=False):
    """A truth value for each output in display order, true at the top; or the positions of `best` and `worst`, from 1."""

    top: Sequence[bool]
    best: int
    worst: int


_TOP: Final = 1
_NOT: Final = 2
_WORST: Final = 3
#: Maximum number of outputs in a block: each has its own key.
_MOST: Final = 5


class TopAnswerSerializer(PlainSerializer):
    """The outputs marked as top."""

    kind = ConstantField("top")
    top = serializers.ListField(
        child=serializers.BooleanField(),
        max_length=_MOST,
        help_text="One value per output, in display order; at least one is true.",
    )


class BestWorstAnswerSerializer(PlainSerializer):
    """The best and the worst output, for tasks with the rule `best_worst`."""

    kind = ConstantField("best_worst")
    best = serializers.IntegerField(
        min_value=1,
        max_value=_MOST,
        help_text="Position in display order, from 1.",
    )
    worst = serializers.IntegerField(
        min_value=1,
        max_value=_MOST,
        help_text="Position of another output.",
    )


class TopRulesSerializer(QuestionSerializer):
    """Options of “top or not”."""

    protocol = ConstantField(Protocol.TOP)
    best_worst = serializers.BooleanField(
        help_text="Judges choose the best and the worst output.",
    )


class TopAnswers(AnswerKind):
    """The outputs that are at the top."""

    protocol = Protocol.TOP
    sentence = gettext_lazy("Judges mark the best output, or several.")
    work: Promise | str = gettext_lazy("You mark the best of several outputs.")
    question_about_media: Promise | str = gettext_lazy(
        "Mark the output with the best overall quality. Mark several if they are equally good.",
    )
    candidates = range(FEWEST_CANDIDATES, _MOST + 1)
    serializer: type[Serializer[Any]] | None = TopAnswerSerializer
    serializer_of_several = BestWorstAnswerSerializer
    rules_serializer = TopRulesSerializer
    rules_fields = {
        "best_worst": forms.BooleanField(
            label=gettext_lazy(
                "Ask for the best and the worst of three to five outputs",
            ),
            help_text=gettext_lazy(
                "Best-worst scaling: the other outputs are not compared with each other.",
            ),
            initial=False,
            required=False,
        ),
        QUESTION: QuestionField(),
    }
    screen_words = {
        "top_question_media": gettext_lazy(
            "Mark the best output, or several if they are equally good.",
        ),
        "top_question": gettext_lazy(
            "Mark the best output: meaning first, then fluency. Mark several if they are equally good.",
        ),
        "best_worst_question_media": gettext_lazy(
            "Which output is best, and which is worst?",
        ),
        "best_worst_question": gettext_lazy(
            "Which output is best, and which is worst? Judge meaning first, then fluency.",
        ),
        "best_worst_said": gettext_lazy("Best: {best}, worst: {worst}"),
        "best_worst_wanted": gettext_lazy(
            "Mark the best and the worst output, or skip the item.",
        ),
        "best_on": gettext_lazy("{letter} marked as best."),
        "worst_on": gettext_lazy("{letter} marked as worst."),
        "top_none": gettext_lazy("No outputs marked yet"),
        "top_said": gettext_lazy("Top: {letters}"),
        "top_on": gettext_lazy("{letter} marked as top."),
        "top_off": gettext_lazy("{letter} unmarked."),
        "top_wanted": gettext_lazy(
            "Mark at least one output as top, or skip the item.",
        ),
    }

    @classmethod
    def of(cls, stored_rules: Rules) -> AnswerKind:
        if stored_rules.get("best_worst"):
            return BestWorstAnswers(stored_rules)
        return TopAnswers(stored_rules)

    def shown_rules(self, campaign: Campaign, part: int) -> ShownRules:
        return self.rules

    def refusal(
        self,
        assigned: AssignedBlock,
        answer: TopAnswer,
    ) -> SubmissionRefusedError | None:
        if "top" not in answer:
            return answer_refused("This task has no best and worst output: send `top`.")
        marks = len(answer["top"])
        candidates = len(assigned.candidates)
        if marks != candidates:
            return answer_refused(
                f"{marks} answers were sent for {candidates} outputs.",
            )
        if any(answer["top"]):
            return None
        return answer_refused(_("Mark at least one output as top, or skip the item."))

    def labels(self, answer: TopAnswer, candidates: int) -> list[int | None]:
        labels: list[int | None] = []
        for is_top in answer["top"]:
            if is_top:
                labels.append(_TOP)
            else:
                labels.append(_NOT)
        return labels

    def submitted(self, row: Judgment) -> TopAnswer:
        labels = row.labels
        if _WORST in labels:
            return {"best": labels.index(_TOP) + 1, "worst": labels.index(_WORST) + 1}
        return {"top": [label == _TOP for label in labels]}

    def cell_kinds(self, candidates: int) -> dict[str, type]:
        return numbered_columns("top", bool, candidates)

    def cells(self, answer: TopAnswer) -> dict[str, object]:
        return numbered_cells("top", answer["top"])

    def simulated(self, perceived: Perceived) -> TopAnswer:
        best = min(perceived.labels)
        return {"top": [label == best for label in perceived.labels]}


class BestWorstAnswers(TopAnswers):
    """The best and the worst of the outputs."""

    name = gettext_lazy("Best–worst scaling")
    work = gettext_lazy("You choose the best and the worst of several outputs.")
    question_about_media = gettext_lazy(
        "Which output has the best overall quality, and which the worst?",
    )
    best_worst = True
    candidates = range(3, _MOST + 1)
    serializer = BestWorstAnswerSerializer

    def refusal(
        self,
        assigned: AssignedBlock,
        answer: TopAnswer,
    ) -> SubmissionRefusedError | None:
        if "best" not in answer:
            return answer_refused(
                "This task asks for the best and the worst output: send both.",
            )
        candidates = len(assigned.candidates)
        if max(answer["best"], answer["worst"]) > candidates:
            return answer_refused(f"There are only {candidates} outputs.")
        if answer["best"] == answer["worst"]:
            return answer_refused(_("The best and the worst output must be different."))
        return None

    def labels(self, answer: TopAnswer, candidates: int) -> list[int | None]:
        return best_worst_labels(answer, candidates)

    def cell_kinds(self, candidates: int) -> dict[str, type]:
        return {"best": int, "worst": int}

    def cells(self, answer: TopAnswer) -> dict[str, object]:
        return {"best": answer["best"], "worst": answer["worst"]}

    def simulated(self, perceived: Perceived) -> TopAnswer:
        # At random among outputs that seem equally good.
        order = list(range(len(perceived.labels)))
        perceived.random.shuffle(order)
        order.sort(key=lambda index: perceived.labels[index])
        return {"best": order[0] + 1, "worst": order[-1] + 1}


def best_worst_labels(answer: TopAnswer, candidates: int) -> list[int | None]:
    """Return the labels that the choice of the best and the worst output implies."""
    labels: list[int | None] = [_NOT] * candidates
    labels[answer["best"] - 1] = _TOP
    labels[answer["worst"] - 1] = _WORST
    return labels


ANSWERS: Final = TopAnswers
#: “Top or not”, and best-worst scaling.
PRESETS: Final = (
    Preset(
        name="top",
        label=Protocol.TOP.label,
        sentence=TopAnswers.sentence,
        protocol=Protocol.TOP,
    ),
    Preset(
        name="best-worst",
        label=BestWorstAnswers.name,
        sentence=gettext_lazy(
            "Judges choose the best and the worst of several outputs.",
        ),
        protocol=Protocol.TOP,
        rules={"best_worst": True},
    ),
)
