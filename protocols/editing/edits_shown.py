"""What blocks of a task of blind editing ask, and about which edit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import F, OuterRef, Subquery

from annotation.models import Block, Judgment
from annotation.protocols import Stage
from campaign.models import Output
from protocols.editing.models import Answer, Outcome

#: What a block asks, as the judge page and simulated judges are told.
EDIT: Final = "edit"
ACCEPT: Final = "accept"
FIRST_STAGE: Final = Stage(rules={"asked": EDIT}, is_text_alone=True)


@dataclass(frozen=True, slots=True)
class ShownEdit:
    """What somebody is asked to accept.

    Attributes
    ----------
    text : str
        What came out; the output itself where it was left as it is.
    edit_id : int or None
        The judgment that is an edit; None where nobody gave one.
    """

    text: str
    edit_id: int | None


def edits_shown(block_ids: Sequence[int]) -> dict[int, ShownEdit]:
    """Return what is to be accepted, by block; nothing for blocks that ask for edits. Three queries at most.

    A HIT that was begun by somebody and finished by another may have two edits of a block: that of who was first is
    shown, as they left it.
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
    answers = Answer.objects.filter(judgment__block__in=list(block_ids), acceptable__isnull=True)
    found: dict[int, Answer] = {}
    for answer in answers.select_related("judgment").order_by("pk"):
        known = found.get(answer.judgment.block_id)
        if known is None or known.judgment.judge_id == answer.judgment.judge_id:
            found[answer.judgment.block_id] = answer
    return found


def _shown(edit: Answer | None, output: str) -> ShownEdit:
    if edit is None:
        return ShownEdit(output, None)
    return ShownEdit(edit.text if edit.outcome == Outcome.EDITED else output, edit.pk)


def stages(block_ids: Sequence[int]) -> dict[int, Stage]:
    """Return what blocks ask: for an edit, or whether the one that is shown is acceptable."""
    to_accept = edits_shown(block_ids)
    return {
        block_id: Stage(rules={"asked": ACCEPT}, texts=(to_accept[block_id].text,))
        if block_id in to_accept
        else FIRST_STAGE
        for block_id in block_ids
    }


def first_judgment(block_id: int) -> Judgment | None:
    """Return the first edit of a block, by whomever."""
    return Judgment.objects.filter(block=block_id).order_by("pk").first()
