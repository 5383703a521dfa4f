"""What blocks of a task of blind editing ask, and about which edit."""

from collections.abc import Sequence
from typing import Any, Final

from django.db.models import F, OuterRef, QuerySet, Subquery

from annotation.models import Block
from annotation.protocols import Stage
from campaign.models import Output
from protocols.editing.models import Answer, Outcome

#: What a block asks, as the judge page and simulated judges are told.
EDIT: Final = "edit"
ACCEPT: Final = "accept"
FIRST_STAGE: Final = Stage(rules={"asked": EDIT}, is_text_alone=True)


def edits_shown(block_ids: Sequence[int]) -> dict[int, str]:
    """Return what came out and is to be accepted, by block; nothing for blocks that ask for edits. Two queries at most.

    A HIT that was begun by somebody and finished by another may have two edits of a block: that of who was first is
    shown, as they left it. An output that was left as it is, or that nobody edited, is shown itself.
    """
    asking = list(_asking(block_ids))
    edits = edits_in_force([of for _pk, of, _output in asking]) if asking else {}
    return {pk: _shown(edits.get(of), output or "") for pk, of, output in asking}


def edits_in_force(block_ids: Sequence[int]) -> dict[int, Answer]:
    """Return the edit that others are asked about, by block: the last of the judge who gave the first. One query."""
    return _in_force(Answer.objects.filter(judgment__block__in=block_ids))


def edit_asked_about(block_id: int) -> Answer | None:
    """Return the edit that a block asks about; None if its output was not edited. One query."""
    block = Block.objects.filter(pk=block_id)
    hit, segment = Subquery(block.values("hit__repeats")), Subquery(block.values("segment"))
    answers = Answer.objects.filter(judgment__block__hit=hit, judgment__block__segment=segment)
    return next(iter(_in_force(answers).values()), None)


def _in_force(answers: QuerySet[Answer]) -> dict[int, Answer]:
    """Return the edit that counts of each block."""
    first_judge: dict[int, int] = {}
    found: dict[int, Answer] = {}
    edits = answers.filter(acceptable__isnull=True).order_by("pk").select_related("judgment")
    for edit in edits:
        judgment = edit.judgment
        if first_judge.setdefault(judgment.block_id, judgment.judge_id) == judgment.judge_id:
            found[judgment.block_id] = edit
    return found


def _asking(block_ids: Sequence[int]) -> QuerySet[Block, Any]:
    """Return which of these blocks ask about what was said of another, that one, and the text of the output."""
    first = Block.objects.filter(hit=OuterRef("hit__repeats"), segment=OuterRef("segment"))
    output = Output.objects.filter(pk=OuterRef("output"))
    return (
        Block.objects.filter(pk__in=block_ids, hit__repeats__isnull=False)
        .annotate(output=F("outputs__0"))
        .values_list("pk", Subquery(first.values("pk")[:1]), Subquery(output.values("text")))
    )


def _shown(edit: Answer | None, output: str) -> str:
    return edit.text if edit is not None and edit.outcome == Outcome.EDITED else output


def stages(block_ids: Sequence[int]) -> dict[int, Stage]:
    """Return what blocks ask: for an edit, or whether the one that is shown is acceptable."""
    to_accept = edits_shown(block_ids)
    return {
        block_id: Stage(rules={"asked": ACCEPT}, texts=(to_accept[block_id],))
        if block_id in to_accept
        else FIRST_STAGE
        for block_id in block_ids
    }
