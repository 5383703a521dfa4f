"""Build the design of a test set before anybody has chosen one."""

from typing import Any, Final

from annotation.models import Design
from annotation.protocols import AnswerKind, answer_kind
from annotation.sampling.parameters import FEWEST_CANDIDATES
from annotation.selectors.reference_use import is_reference_shown
from campaign.models import Campaign, Task

#: Outputs in a block of which nothing is said.
_USUAL: Final = 5
# Judges who are asked about what another one said.
_ASKED_ABOUT_IT: Final = 2


def design_unless_chosen(*, task: Task, campaign: Campaign, seed: int) -> Design:
    """Return the design of a test set for which none was chosen, not saved.

    It draws the reference like a system, unless judges see it: then never. Blocks hold as many outputs as the protocol
    begins with; where it asks about two at a time, two; where it sorts systems, the sort says which. Where others are
    asked about what was said of an output, two are.
    """
    return Design(
        task=task,
        **_fields(task.protocol),
        seed=seed,
        reference_rate=0.0 if is_reference_shown(task=task, campaign=campaign) else None,
    )


def _fields(protocol: str) -> dict[str, Any]:
    kind = answer_kind(protocol)
    fields = _size(kind)
    if kind.passes is not None:
        fields["segments_per_hit"] = kind.passes.segments_per_hit
    if kind.has_stages:
        fields["redundancy"] = 1 + _ASKED_ABOUT_IT
    return fields


def _size(kind: AnswerKind) -> dict[str, Any]:
    if kind.comparisons is not None:
        return {"kind": Design.Kind.SORTING, "systems_per_block": FEWEST_CANDIDATES}
    most = kind.candidates[-1]
    if most == FEWEST_CANDIDATES:
        return {"kind": Design.Kind.BINARY, "systems_per_block": FEWEST_CANDIDATES}
    if kind.first_candidates == 1 or not kind.compares_outputs:
        # So that no system is shown less than others.
        return {"kind": Design.Kind.BALANCED, "systems_per_block": 1}
    return {"systems_per_block": kind.first_candidates or min(_USUAL, most)}
