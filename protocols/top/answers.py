"""Answers of “top or not”: whether each output is at the top. Labels hold the whole answer."""

from collections.abc import Mapping, Sequence
from typing import Final

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.protocols import (
    QUESTION,
    AnswerKind,
    Perceived,
    QuestionField,
    QuestionSerializer,
    numbered_cells,
    numbered_columns,
)
from annotation.sampling.parameters import FEWEST_CANDIDATES
from annotation.submissions import AssignedBlock, SubmissionRefusedError, answer_refused
from campaign.models import Protocol

TopAnswer = Mapping[str, Sequence[bool]]

_TOP: Final = 1
_NOT: Final = 2
#: Maximum number of outputs in a block: each has its own key.
_MOST: Final = 5


class TopAnswerSerializer(serializers.Serializer[object]):
    """The outputs marked as top."""

    top = serializers.ListField(
        child=serializers.BooleanField(),
        max_length=_MOST,
        help_text="One value per output, in display order; at least one is true.",
    )


class TopRulesSerializer(QuestionSerializer):
    """Options of “top or not”."""


def _refusal(assigned: AssignedBlock, answer: TopAnswer) -> SubmissionRefusedError | None:
    said, shown = len(answer["top"]), len(assigned.candidates)
    if said != shown:
        return answer_refused(
            f"{said} answers were sent for {shown} outputs.",
        )
    if any(answer["top"]):
        return None
    return answer_refused(_("Mark at least one output as top, or skip the sentence."))


def _simulated(perceived: Perceived) -> dict[str, list[bool]]:
    best = min(perceived.labels)
    return {"top": [label == best for label in perceived.labels]}


ANSWERS: Final = AnswerKind(
    protocol=Protocol.TOP,
    candidates=range(FEWEST_CANDIDATES, _MOST + 1),
    serializer=TopAnswerSerializer,
    labels=lambda answer, _candidates: [_TOP if each else _NOT for each in answer["top"]],
    refusal=_refusal,
    as_given=lambda judgment: {"top": [label == _TOP for label in judgment.labels]},
    cell_kinds=lambda candidates: numbered_columns("top", bool, candidates),
    cells=lambda answer: numbered_cells("top", answer["top"]),
    rules_serializer=TopRulesSerializer,
    rules_fields={QUESTION: QuestionField()},
    simulated=_simulated,
)
