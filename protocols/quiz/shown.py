"""What readers are shown of a snippet: its text so far, and statements that they are asked about. Not what is expected."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F, OuterRef, QuerySet, Subquery

from annotation.models import Block
from annotation.protocols import Stage
from campaign.models import Output, Task
from protocols.quiz.models import Snippet


@dataclass(frozen=True, slots=True)
class _Shown:
    """A block of a HIT that is shown."""

    pk: int
    public_id: UUID
    text: str
    #: Of the snippet that ends with it.
    statements: list[str]


def stages(block_ids: Sequence[int]) -> dict[int, Stage]:
    """Return what blocks show and ask, by id: the text of their snippet as far as it was read. One query.

    All blocks of a HIT have the same rules: the statements, and the block with which they are asked.
    """
    by_hit: dict[int, list[_Shown]] = defaultdict(list)
    for hit, pk, public_id, text, statements in _shown(block_ids):
        by_hit[hit].append(_Shown(pk, public_id, text or "", statements or []))
    asked_for = set(block_ids)
    return {
        shown.pk: Stage(
            rules=rules_of(blocks[-1].statements, blocks[-1].public_id),
            texts=("\n".join(each.text for each in blocks[: place + 1]),),
        )
        for blocks in by_hit.values()
        for place, shown in enumerate(blocks)
        if shown.pk in asked_for
    }


def rules_of(statements: Sequence[str], last: UUID) -> dict[str, object]:
    """Return what the judge page must know: the statements, and the block with which they are asked."""
    return {"statements": list(statements), "asked_with": str(last)}


def stages_drawn(
    task: Task, segments: Sequence[int], ids: Sequence[UUID], texts: Sequence[str]
) -> list[Stage]:
    """Return what the blocks of a HIT would show and ask that is drawn and not stored. One query."""
    snippet = Snippet.objects.filter(
        task=task,
        document__segments__number=segments[-1],
        last=F("document__segments__position"),
    ).first()
    rules = rules_of([] if snippet is None else snippet.statements, ids[-1])
    return [
        Stage(rules=rules, texts=("\n".join(texts[: place + 1]),)) for place in range(len(texts))
    ]


def _shown(block_ids: Sequence[int]) -> QuerySet[Block, Any]:
    """Return all blocks of the HITs of these, with the statements of the snippets that end with them."""
    hits = Block.objects.filter(pk__in=block_ids).values("hit")
    text = Output.objects.filter(pk=OuterRef("output"))
    statements = Snippet.objects.filter(
        task=OuterRef("hit__task"),
        document=OuterRef("segment__document"),
        last=OuterRef("segment__position"),
    )
    return (
        Block.objects.filter(hit__in=hits)
        .order_by("hit", "position")
        .annotate(output=F("outputs__0"))
        .values_list(
            *("hit", "pk", "public_id"),
            *(Subquery(text.values("text")), Subquery(statements.values("statements"))),
        )
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """Statements that are asked about, and whether each is true."""

    statements: list[str]
    expected: list[bool]


def asked_with(block_id: int) -> Asked:
    """Return what is asked with a block: statements about the snippet that ends with its segment, if one does. One query."""
    # Joined, all snippets would be read to find that of the block.
    block = Block.objects.filter(pk=block_id)
    row = (
        Snippet.objects.filter(
            task=Subquery(block.values("hit__task")),
            document=Subquery(block.values("segment__document")),
            last=Subquery(block.values("segment__position")),
        )
        .values_list("statements", "expected")
        .first()
    )
    return Asked([], []) if row is None else Asked(*row)
