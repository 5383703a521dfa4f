"""What blocks of a task of blind editing ask, and about which edit."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from django.db.models import F, OuterRef, QuerySet, Subquery

from annotation.models import Block, Judgment
from annotation.protocols import Stage
from campaign.models import Output
from protocols.editing.models import Answer, Outcome

#: What a block asks, as the judge page and simulated judges are told.
EDIT: Final = "edit"
ACCEPT: Final = "accept"
FIRST_STAGE: Final = Stage(rules={"asked": EDIT}, is_text_alone=True)


def edits_shown(block_ids: Sequence[int]) -> dict[int, str]:
    """Return what came out and is to be accepted, by block; nothing for blocks that ask for edits. Three queries at most.

    A HIT that was begun by somebody and finished by another may have two edits of a block: that of who was first is
    shown, as they left it. An output that was left as it is, or that nobody edited, is shown itself.
    """
    first = Block.objects.filter(hit=OuterRef("hit__repeats"), segment=OuterRef("segment"))
    rows = Block.objects.filter(pk__in=block_ids, hit__repeats__isnull=False).annotate(
        first=Subquery(first.values("pk")[:1]), output=F("outputs__0")
    )
    asked = {pk: (of, output) for pk, of, output in rows.values_list("pk", "first", "output")}
    if not asked:
        return {}
    edits = edits_in_force(of for of, _output in asked.values())
    texts = dict(
        Output.objects.filter(pk__in=[output for _of, output in asked.values()]).values_list(
            "pk", "text"
        )
    )
    return {
        pk: _shown(edits.get(of), texts.get(output) or "") for pk, (of, output) in asked.items()
    }


def edits_in_force(block_ids: Iterable[int]) -> Mapping[int, Answer]:
    """Return the edit that others are asked about, by block: the last of the judge who gave the first. One query."""
    return _in_force(Answer.objects.filter(judgment__block__in=list(block_ids)))


def edit_asked_about(block_id: int) -> Answer | None:
    """Return the edit that a block asks about; None where nobody gave one. One query."""
    block = Block.objects.filter(pk=block_id)
    answers = Answer.objects.filter(
        judgment__block__hit=Subquery(block.values("hit__repeats")),
        judgment__block__segment=Subquery(block.values("segment")),
    )
    return next(iter(_in_force(answers).values()), None)


def _in_force(answers: QuerySet[Answer]) -> dict[int, Answer]:
    found: dict[int, Answer] = {}
    edits = answers.filter(acceptable__isnull=True)
    for answer in edits.select_related("judgment").order_by("pk"):
        known = found.get(answer.judgment.block_id)
        if known is None or known.judgment.judge_id == answer.judgment.judge_id:
            found[answer.judgment.block_id] = answer
    return found


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


def first_judgment(block_id: int) -> Judgment | None:
    """Return the first edit of a block, by whomever."""
    return Judgment.objects.filter(block=block_id).order_by("pk").first()
