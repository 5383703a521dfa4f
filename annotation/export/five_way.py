"""The judgments of a test set as five-way CSV: what import_judgments reads back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import F, Max, QuerySet

from annotation.export.shown import systems_shown
from annotation.models import Judgment, JudgmentSequence, Skip
from annotation.models.judgment import JudgmentQuerySet
from annotation.selectors import excluded_judges
from annotation.selectors.outputs_shown import candidate_count
from annotation.services import judgments_number
from campaign.formats import FiveWayRow, write_five_way_csv
from campaign.models import Task

_CHUNK: Final = 2_000


def five_way_csv(*, task: Task, watermark: int | None = None) -> Iterator[str]:
    """Yield the lines of the file, the header first."""
    judgments_number(task_id=task.pk)
    slots = max(_most_candidates(task), 5)
    return write_five_way_csv(five_way_rows(task=task, watermark=watermark), slots=slots)


def five_way_rows(*, task: Task, watermark: int | None = None) -> Iterator[FiveWayRow]:
    """Yield the current judgments by number, then the blocks that were skipped and not judged.

    Controls are left out, and judges who are excluded now, as they are of the ranking: the file
    ranks as the latest run does.

    With `watermark`, exactly the judgments of a ranking run that has it: those
    current among the numbers up to it, and no skips, which have no number. Without, judgments that have
    no number get one first: whoever reads gets what was acknowledged. Two
    queries for every 2,000 rows; memory holds as many. Judgments that come in
    meanwhile are left out.
    """
    writer = _RowWriter(task)
    until = judgments_number(task_id=task.pk) if watermark is None else watermark
    for judged in _judged_chunks(task, until):
        yield from writer.rows(judged)
    if watermark is None:
        for skipped in _skipped_chunks(task):
            yield from writer.rows(skipped)


def judged_rows(
    *, task: Task, judgments: JudgmentQuerySet, names: Mapping[int, str]
) -> Iterator[FiveWayRow]:
    """Yield these judgments of a test set by number, each of them.

    `names` are what systems are called, by id: neither the numbers of systems in the rows nor the order of those
    behind one candidate depends on anything else.
    """
    writer = _RowWriter(task, names)
    for chunk in _chunks(judgments):
        yield from writer.rows(chunk)


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


@dataclass(frozen=True, slots=True)
class _JudgedBlock:
    order: int
    block: int
    labels: list[int | None] | None  # None: skipped
    judge: str
    segment: int
    position: int
    document: str


_PLACE: Final = ("block__segment__number", "block__segment__position")
_DOCUMENT: Final = "block__segment__document__name"


def _judged_chunks(task: Task, until: int) -> Iterator[list[_JudgedBlock]]:
    excluded = excluded_judges(campaign_id=task.test_set.campaign_id)
    judgments = Judgment.objects.of(task.pk).counted().exclude(judge__pseudonym__in=excluded)
    yield from _chunks(judgments.current(watermark=until))


def _chunks(judgments: JudgmentQuerySet) -> Iterator[list[_JudgedBlock]]:
    numbered: QuerySet[Any, Any] = judgments.annotate(number=F("numbered__number"))
    after = 0
    while chunk := [
        _JudgedBlock(*row)
        for row in numbered.filter(number__gt=after)
        .order_by("number")
        .values_list("number", "block_id", "labels", "judge__pseudonym", *_PLACE, _DOCUMENT)[
            :_CHUNK
        ]
    ]:
        yield chunk
        after = chunk[-1].order


def _skipped_chunks(task: Task) -> Iterator[list[_JudgedBlock]]:
    skips = Skip.objects.standing().filter(task=task, block__control="").order_by("id")
    after = 0
    while chunk := [
        _JudgedBlock(id_, block, None, *rest)
        for id_, block, *rest in skips.filter(id__gt=after).values_list(
            "id", "block_id", "judge__pseudonym", *_PLACE, _DOCUMENT
        )[:_CHUNK]
    ]:
        yield chunk
        after = chunk[-1].order


class _RowWriter:
    def __init__(self, task: Task, names: Mapping[int, str] | None = None) -> None:
        self._task = task
        self._is_in_order = names is not None
        if names is None:
            systems = list(task.test_set.systems.order_by("id").values_list("id", "name"))
        else:
            systems = sorted(names.items(), key=lambda one: one[1])
        # The format has a number for each system; which one is nobody's business but the file's.
        self._systems = {id_: (name, number) for number, (id_, name) in enumerate(systems, 1)}

    def rows(self, chunk: list[_JudgedBlock]) -> Iterator[FiveWayRow]:
        shown = systems_shown(judged.block for judged in chunk)
        for judged in chunk:
            candidates = [
                [self._systems[id_] for id_ in systems] for systems in shown[judged.block]
            ]
            if self._is_in_order:
                candidates = [sorted(systems) for systems in candidates]
            yield FiveWayRow(
                source_language=self._task.test_set.source_language,
                target_language=self._task.test_set.target_language,
                source_index=judged.segment,
                document=judged.document,
                segment_id=str(judged.position),
                judge=judged.judge,
                candidates=tuple(tuple(name for name, _ in systems) for systems in candidates),
                labels=tuple(judged.labels or [None] * len(candidates)),
                system_numbers=tuple(tuple(n for _, n in systems) for systems in candidates),
            )
