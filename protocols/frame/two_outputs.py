"""Answers about two outputs: the better one, or the same quality."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext as _

from annotation.protocols.answer_kinds import AnswerKind, Perceived
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError, answer_refused
from campaign.models import Protocol
from protocols.models import Verdict

LABELS: Final[Mapping[str, tuple[int, int]]] = {
    Verdict.FIRST: (1, 2),
    Verdict.SECOND: (2, 1),
    Verdict.SAME: (1, 1),
    Verdict.BOTH_FINE: (1, 1),
    Verdict.BOTH_WRONG: (1, 1),
}
_OUTPUTS: Final = 2


def refusal(assigned: AssignedBlock, _answer: Mapping[str, str]) -> SubmissionRefusedError | None:
    """Refuse an answer unless two outputs are shown."""
    if len(assigned.candidates) == _OUTPUTS:
        return None
    # A practice block that lost an output because its system was withdrawn.
    return answer_refused(_("Rank at least two outputs, or skip the item."))


def simulated(perceived: Perceived) -> dict[str, str]:
    """Return the answer of a simulated judge, who may find both outputs the same."""
    first, second = perceived.labels
    if first == second:
        return {"verdict": Verdict.SAME}
    return {"verdict": Verdict.FIRST if first < second else Verdict.SECOND}


def two_outputs_answers(protocol: Protocol, **particular: Any) -> AnswerKind:
    """Return the answers of a protocol whose judges choose the better of two outputs."""
    of_all: dict[str, Any] = {
        "refusal": refusal,
        "simulated": simulated,
        "cell_kinds": lambda _candidates: {"verdict": str},
    }
    return AnswerKind(
        protocol=protocol,
        candidates=range(_OUTPUTS, _OUTPUTS + 1),
        labels=lambda answer, _candidates: list(LABELS[answer["verdict"]]),
        **{**of_all, **particular},
    )
