"""Answers of “top or not”: whether each output is at the top. Labels hold the whole answer.

With the rule `best_worst`, judges choose the best and the worst output instead (best-worst scaling, Kiritchenko &
Mohammad 2017). The others are not compared with each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from annotation.protocols.answer_kinds import (
    QUESTION,
    AnswerKind,
    Perceived,
    QuestionField,
    QuestionSerializer,
    numbered_cells,
    numbered_columns,
    rules_completed,
)
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError, answer_refused
from annotation.sampling.parameters import FEWEST_CANDIDATES
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Protocol

TopAnswer = Mapping[str, Sequence[bool]]
#: Positions of the outputs in display order, from 1.
BestWorstAnswer = Mapping[str, int]

_TOP: Final = 1
_NOT: Final = 2
_WORST: Final = 3
#: Maximum number of outputs in a block: each has its own key.
_MOST: Final = 5


class TopAnswerSerializer(PlainSerializer):
    """The outputs marked as top."""

    top = serializers.ListField(
        child=serializers.BooleanField(),
        max_length=_MOST,
        help_text="One value per output, in display order; at least one is true.",
    )


class BestWorstAnswerSerializer(PlainSerializer):
    """The best and the worst output, for tasks with the rule `best_worst`."""

    best = serializers.IntegerField(
        min_value=1, max_value=_MOST, help_text="Position in display order, from 1."
    )
    worst = serializers.IntegerField(
        min_value=1, max_value=_MOST, help_text="Position of another output."
    )


class TopRulesSerializer(QuestionSerializer):
    """Options of “top or not”."""

    best_worst = serializers.BooleanField(help_text="Judges choose the best and the worst output.")


def _refusal(assigned: AssignedBlock, answer: TopAnswer) -> SubmissionRefusedError | None:
    if "top" not in answer:
        return answer_refused("This task has no best and worst output: send `top`.")
    said, shown = len(answer["top"]), len(assigned.candidates)
    if said != shown:
        return answer_refused(
            f"{said} answers were sent for {shown} outputs.",
        )
    if any(answer["top"]):
        return None
    return answer_refused(_("Mark at least one output as top, or skip the item."))


def _simulated(perceived: Perceived) -> dict[str, list[bool]]:
    best = min(perceived.labels)
    return {"top": [label == best for label in perceived.labels]}


def _best_worst_refusal(
    assigned: AssignedBlock, answer: BestWorstAnswer
) -> SubmissionRefusedError | None:
    if "best" not in answer:
        return answer_refused("This task asks for the best and the worst output: send both.")
    shown = len(assigned.candidates)
    if max(answer["best"], answer["worst"]) > shown:
        return answer_refused(f"There are only {shown} outputs.")
    if answer["best"] == answer["worst"]:
        return answer_refused(_("The best and the worst output must be different."))
    return None


def best_worst_labels(answer: BestWorstAnswer, candidates: int) -> list[int | None]:
    """Return the labels that the choice of the best and the worst output implies."""
    labels: list[int | None] = [_NOT] * candidates
    labels[answer["best"] - 1] = _TOP
    labels[answer["worst"] - 1] = _WORST
    return labels


def _best_worst_simulated(perceived: Perceived) -> dict[str, int]:
    # At random among outputs that seem equally good.
    order = list(range(len(perceived.labels)))
    perceived.random.shuffle(order)
    order.sort(key=lambda index: perceived.labels[index])
    return {"best": order[0] + 1, "worst": order[-1] + 1}


def _as_given(judgment: Any) -> dict[str, Any]:
    labels = judgment.labels
    if _WORST in labels:
        return {"best": labels.index(_TOP) + 1, "worst": labels.index(_WORST) + 1}
    return {"top": [label == _TOP for label in labels]}


_RULES: Final = {
    "best_worst": forms.BooleanField(
        label=gettext_lazy("Ask for the best and the worst of three to five outputs"),
        help_text=gettext_lazy(
            "Best-worst scaling: the other outputs are not compared with each other."
        ),
        initial=False,
        required=False,
    ),
    QUESTION: QuestionField(),
}


def _of_rules(rules: Mapping[str, Any]) -> AnswerKind:
    return _BEST_WORST if rules.get("best_worst") else ANSWERS


ANSWERS: Final = AnswerKind(
    protocol=Protocol.TOP,
    candidates=range(FEWEST_CANDIDATES, _MOST + 1),
    serializer=TopAnswerSerializer,
    serializer_of_several=BestWorstAnswerSerializer,
    labels=lambda answer, _candidates: [_TOP if each else _NOT for each in answer["top"]],
    refusal=_refusal,
    as_given=_as_given,
    cell_kinds=lambda candidates: numbered_columns("top", bool, candidates),
    cells=lambda answer: numbered_cells("top", answer["top"]),
    rules_fields=_RULES,
    of_rules=_of_rules,
    shown_rules=lambda _campaign, rules: rules_completed(_RULES, rules),
    rules_serializer=TopRulesSerializer,
    simulated=_simulated,
)

_BEST_WORST: Final = replace(
    ANSWERS,
    best_worst=True,
    candidates=range(3, _MOST + 1),
    serializer=BestWorstAnswerSerializer,
    labels=best_worst_labels,
    refusal=_best_worst_refusal,
    cell_kinds=lambda _candidates: {"best": int, "worst": int},
    cells=dict,
    simulated=_best_worst_simulated,
)
