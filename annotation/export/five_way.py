"""Judgments of a task as five-way CSV, which import_answers reads back."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from django.contrib.postgres.expressions import ArraySubquery
from django.db import transaction
from django.db.models import Expression, Max, QuerySet, TextField, Value
from django.db.models.functions import Cast

from annotation.models import Block, Judgment, JudgmentSequence, Skip
from annotation.models.block import by_candidate
from annotation.models.judgment import JudgmentQuerySet
from annotation.selectors.judges import excluded_judges
from annotation.selectors.shown import candidate_count, outputs_of
from annotation.services.numbers import judgments_number
from campaign.database.copied_rows import Rows, rows_copied
from campaign.database.transactions import table_scans_off
from campaign.formats import FiveWayRow, write_five_way_csv
from campaign.formats.errors import Loss
from campaign.models import Task

_AT_ONCE: Final = 1 << 13
_ROW: Final[dict[str, type]] = {
    "line": int,
    "judge": str,
    "labels": str,
    "duration_ms": int,
    "source_index": int,
    "position": int,
    "document": str,
    "systems": str,
    "sizes": str,
}


def five_way_csv(*, task: Task, watermark: int | None = None) -> Iterator[str]:
    """Yield the lines of the file, the header first."""
    judgments_number(task_id=task.pk)
    slots = max(_most_candidates(task), 5)
    return write_five_way_csv(five_way_rows(task=task, watermark=watermark), slots=slots)


def five_way_rows(*, task: Task, watermark: int | None = None) -> Iterator[FiveWayRow]:
    """Yield the current judgments by number, then the blocks that were skipped and not judged.

    Controls are left out, and judges who are excluded now, as they are of the ranking: the file
    ranks as the latest run does.

    With `watermark`, exactly the judgments of a ranking run that has it: those current among the
    numbers up to it, and no skips, which have no number. Without, unnumbered judgments are numbered
    first, so that every acknowledged judgment is included. Judgments that come in meanwhile are
    left out.
    """
    until = judgments_number(task_id=task.pk) if watermark is None else watermark
    written = judgments_written(task=task, watermark=until)
    yield from judged_rows(task=task, judgments=written, until=until)
    if watermark is None:
        skips = Skip.objects.standing().filter(task=task, block__control="").order_by("id")
        yield from _rows(SystemsShown(task), _copied(skips, "id", Value("")))


def judged_rows(
    *,
    task: Task,
    judgments: JudgmentQuerySet,
    until: int,
    after: int = 0,
    names: Mapping[int, str] | None = None,
) -> Iterator[FiveWayRow]:
    """Yield those of the judgments of a test set that have the numbers `after` + 1 … `until`, by number.

    `names` are what systems are called, by id: neither the numbers of systems in the rows nor the order of those
    behind one candidate depends on anything else. A query for every few thousand numbers; memory holds as many.
    """
    shown = SystemsShown(task, names)
    for some in numbered_in_parts(judgments, task=task, after=after, until=until):
        yield from _rows(shown, _copied(some, "numbered__number", Cast("labels", TextField())))


def numbered_in_parts(
    judgments: JudgmentQuerySet, *, task: Task, after: int, until: int
) -> Iterator[JudgmentQuerySet]:
    """Yield the judgments with the numbers `after` + 1 … `until` by number, as querysets of a few thousand numbers each."""
    for start in range(after, until, _AT_ONCE):
        yield judgments.filter(
            numbered__task_id=task.pk,
            numbered__number__gt=start,
            numbered__number__lte=min(start + _AT_ONCE, until),
        ).order_by("numbered__number")


def most_candidates(judgments: JudgmentQuerySet) -> int:
    """Return the most candidates of a block among these judgments, 0 if there is none."""
    found = judgments.aggregate(most=Max(candidate_count("block__")))
    return int(found["most"] or 0)


def _most_candidates(task: Task) -> int:
    """Return the most candidates of a block with a number or a skip. No judged block is looked at."""
    skipped = Skip.objects.filter(task=task)
    most = skipped.aggregate(most=Max(candidate_count("block__")))["most"] or 0
    judged = JudgmentSequence.objects.filter(task=task).values_list("most_candidates")
    return max(most, *(candidates for (candidates,) in judged), 0)


def systems_and_sizes() -> tuple[Cast, Cast]:
    """Return expressions of the outer query's block, for `SystemsShown.of`."""
    systems = ArraySubquery(outputs_of("block__").values("system_id"))
    return Cast(systems, TextField()), Cast("block__stands_for", TextField())


def copied_by_index(rows: QuerySet[Any, Any], columns: Mapping[str, type]) -> list[Rows]:
    """Return the result of `rows_copied`, planned with indexes: otherwise each part would read whole tables."""
    with transaction.atomic(), table_scans_off():
        return list(rows_copied(rows, columns))


class SystemsShown:
    """Reads which systems are behind the candidates of blocks, in shown order, each combination once.

    With `names` of systems by id, those behind one candidate are in the order of their names.
    """

    def __init__(self, task: Task, names: Mapping[int, str] | None = None) -> None:
        self.task = task
        self._is_in_order = names is not None
        if names is None:
            systems = list(task.test_set.systems.order_by("id").values_list("id", "name"))
        else:
            systems = sorted(names.items(), key=lambda one: one[1])
        # The format needs a number for each system; the numbers have no meaning outside the file.
        self._systems = {id_: (name, number) for number, (id_, name) in enumerate(systems, 1)}
        self._known: dict[tuple[str, str | None], tuple[Any, ...]] = {}

    def of(self, systems: str, sizes: str | None) -> tuple[Any, ...]:
        """Return the names of the systems behind each candidate, and their numbers in the file."""
        key = systems, sizes
        if key not in self._known:
            known = [self._systems[int(id_)] for id_ in systems[1:-1].split(",")]
            shown = by_candidate(
                known, [int(one) for one in sizes[1:-1].split(",")] if sizes else None
            )
            if self._is_in_order:
                shown = [sorted(candidate) for candidate in shown]
            self._known[key] = tuple(
                tuple(tuple(one[place] for one in candidate) for candidate in shown)
                for place in (0, 1)
            )
        return self._known[key]


def _copied(rows: QuerySet[Any, Any], line: str, labels: Expression) -> list[Rows]:
    """Return rows of judgments or skips with the columns of `_ROW`; the labels of a skip are empty."""
    values = rows.values_list(
        *(line, "judge__pseudonym", labels, "duration_ms"),
        *("block__segment__number", "block__segment__position", "block__segment__document__name"),
        *systems_and_sizes(),
    )
    return copied_by_index(values, _ROW)


def _rows(shown: SystemsShown, batches: list[Rows]) -> Iterator[FiveWayRow]:
    test_set = shown.task.test_set
    for batch in batches:
        for cells in zip(*batch.values(), strict=True):
            line, judge, labels, duration_ms, segment, position, document, systems, sizes = cells
            candidates, numbers = shown.of(systems, sizes)
            yield FiveWayRow(
                source_language=test_set.source_language,
                target_language=test_set.target_language,
                source_index=segment,
                document=document,
                segment_id=str(position),
                judge=judge,
                candidates=candidates,
                labels=_labels(labels) if labels else (None,) * len(candidates),
                system_numbers=numbers,
                line=line,
                duration_ms=duration_ms,
            )


def _labels(array: str) -> tuple[int | None, ...]:
    return tuple(None if label == "NULL" else int(label) for label in array[1:-1].split(","))


def judgments_written(*, task: Task, watermark: int) -> JudgmentQuerySet:
    """Return the judgments that files hold: current among 1…`watermark`, by number, not of excluded judges. One query."""
    excluded = excluded_judges(campaign_id=task.test_set.campaign_id)
    judgments = Judgment.objects.of(task.pk).counted().current(watermark=watermark)
    return judgments.exclude(judge__pseudonym__in=excluded).order_by("numbered__number")


def judgments_lost(what: str, judgments: JudgmentQuerySet) -> list[Loss]:
    """Return that something of these judgments is lost; nothing if there are none. One query."""
    numbers = list(judgments.values_list("numbered__number", flat=True))
    return [Loss(what, len(numbers), f"judgment {numbers[0]}")] if numbers else []


def comments_lost(*, task: Task, watermark: int) -> list[Loss]:
    """Return that the comments of the judgments 1…`watermark` are lost. Two queries."""
    written = judgments_written(task=task, watermark=watermark)
    return judgments_lost("comments", written.exclude(comment=""))


def systems_shown(block_ids: Iterable[int]) -> dict[int, list[list[int]]]:
    """Return for each block the ids of the systems behind its candidates, in shown order.

    One query. The systems of a candidate come in the order in which it was
    recorded that it stands for them, so a file read in is written back alike.
    """
    rows = (
        Block.objects.filter(pk__in=list(block_ids))
        .order_by()
        .values_list("pk", ArraySubquery(outputs_of().values("system_id")), "stands_for")
    )
    return {
        block: [list(ids) for ids in by_candidate(systems, stands_for)]
        for block, systems, stands_for in rows
    }
