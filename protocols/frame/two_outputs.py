"""Answers about two outputs: the better one, or the same quality."""

from collections.abc import Mapping
from typing import Final, TypedDict

from django.utils.translation import gettext as _

from annotation.protocols.answer_kinds import AnswerKind, Perceived
from annotation.protocols.submissions import (
    AssignedBlock,
    SubmissionRefusedError,
    answer_refused,
)
from protocols.models import Verdict

LABELS: Final[Mapping[str, tuple[int, int]]] = {
    Verdict.FIRST: (1, 2),
    Verdict.SECOND: (2, 1),
    Verdict.SAME: (1, 1),
    Verdict.BOTH_FINE: (1, 1),
    Verdict.BOTH_WRONG: (1, 1),
}
_OUTPUTS: Final = 2


class VerdictJSON(TypedDict):
    """An answer about two outputs."""

    verdict: str


class TwoOutputsKind(AnswerKind):
    """Answers of a protocol whose judges choose the better of two outputs."""

    candidates = range(_OUTPUTS, _OUTPUTS + 1)

    def refusal(
        self,
        assigned: AssignedBlock,
        answer: VerdictJSON,
    ) -> SubmissionRefusedError | None:
        """Refuse an answer unless two outputs are shown."""
        if len(assigned.candidates) == _OUTPUTS:
            return None
        # A practice block that lost an output because its system was withdrawn.
        return answer_refused(_("Rank at least two outputs, or skip the item."))

    def labels(self, answer: VerdictJSON, candidates: int) -> list[int | None]:
        return list(LABELS[answer["verdict"]])

    def cell_kinds(self, candidates: int) -> dict[str, type]:
        return {"verdict": str}

    def simulated(self, perceived: Perceived) -> VerdictJSON:
        """Return the answer of a simulated judge, who may find both outputs the same."""
        first, second = perceived.labels
        if first == second:
            return {"verdict": Verdict.SAME}
        return {"verdict": Verdict.FIRST if first < second else Verdict.SECOND}
