"""What readers are shown of a snippet: its text so far, and statements that they are asked about. Not what is expected."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F

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


def stages(block_ids: Sequence[int]) -> dict[int, Stage]:
    """Return what blocks show and ask, by id: the text of their snippet as far as it was read. Three queries.

    All blocks of a HIT have the same rules: the statements, and the block with which they are asked.
    """
    hits = Block.objects.filter(pk__in=block_ids).values("hit")
    rows = list(
        Block.objects.filter(hit__in=hits)
        .order_by("hit", "position")
        .annotate(output=F("outputs__0"))
        .values_list(
            *("hit", "pk", "public_id", "output", "hit__task"),
            *("segment__document", "segment__position"),
        )
    )
    texts = dict(Output.objects.filter(pk__in={row[3] for row in rows}).values_list("pk", "text"))
    by_hit: dict[int, list[_Shown]] = defaultdict(list)
    ends = {}
    for hit, pk, public_id, output, task, document, position in rows:
        by_hit[hit].append(_Shown(pk, public_id, texts[output] or ""))
        ends[hit] = (task, document, position)
    asked = _statements({task for task, _document, _position in ends.values()})
    asked_for = set(block_ids)
    return {
        shown.pk: Stage(
            rules=rules_of(asked.get(ends[hit], []), blocks[-1].public_id),
            texts=("\n".join(each.text for each in blocks[: place + 1]),),
        )
        for hit, blocks in by_hit.items()
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


def _statements(tasks: set[int]) -> dict[tuple[int, int, int], list[str]]:
    """Return the statements of snippets, by task, document and position of the last segment. One query."""
    rows = Snippet.objects.filter(task__in=tasks)
    return {
        (task, document, last): statements
        for task, document, last, statements in rows.values_list(
            "task", "document", "last", "statements"
        )
    }


def snippet_ending_with(block_id: int) -> Snippet | None:
    """Return the snippet that ends with a block's segment: that whose statements are asked with it. One query."""
    return Snippet.objects.filter(
        task__hits__blocks=block_id,
        document__segments__blocks=block_id,
        last=F("document__segments__position"),
    ).first()
