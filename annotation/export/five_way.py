"""Read judgments and skips of a task as rows of five-way CSV, which `import_answers` reads back."""

from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Any, Final

from django.contrib.postgres.expressions import ArraySubquery
from django.db import transaction
from django.db.models import F, Max, QuerySet, Value

from annotation.models import Block, Judgment, Skip
from annotation.models.block import by_candidate
from annotation.models.judgment import JudgmentQuerySet
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.judges import excluded_judges
from annotation.selectors.shown import candidate_count, outputs_of
from campaign.database.many_rows import table_scans_off
from campaign.formats import JudgedBlock
from campaign.formats.errors import Loss
from campaign.models import Task

_AT_ONCE: Final = 1 << 13


def skipped_rows(task: Task) -> Iterator[JudgedBlock]:
    """Yield the blocks that were skipped and not judged, apart from controls."""
    skips = Skip.objects.standing().filter(task=task, block__control="").order_by("id")
    after = 0
    while some := _rows(skips.filter(id__gt=after)[:_AT_ONCE], task):
        yield from some
        after = some[-1].line


def judged_rows(
    *,
    task: Task,
    judgments: JudgmentQuerySet,
    until: int,
    after: int = 0,
    names: Mapping[int, str] | None = None,
) -> Iterator[JudgedBlock]:
    """Yield the judgments with the numbers `after` + 1 … `until`, by number.

    `names` maps ids to names of systems. If given, the systems' numbers, and the order of systems
    behind one candidate, depend on these names alone. Reads a few thousand judgments at a time.
    """
    for start in range(after, until, _AT_ONCE):
        some = judgments.filter(
            numbered__task_id=task.pk,
            numbered__number__gt=start,
            numbered__number__lte=min(start + _AT_ONCE, until),
        )
        yield from _rows(some.order_by("numbered__number"), task, names)


def most_candidates(judgments: JudgmentQuerySet) -> int:
    """Return the largest number of candidates in a block of these judgments; 0 if there are none."""
    counts = judgments.aggregate(most=Max(candidate_count("block__")))
    return int(counts["most"] or 0)


def most_candidates_skipped(task: Task) -> int:
    """Return the largest number of candidates in a skipped block of a task; 0 if there are none."""
    counts = Skip.objects.filter(task=task).aggregate(
        most=Max(candidate_count("block__")),
    )
    return int(counts["most"] or 0)


def _rows(
    rows: QuerySet[Any, Any],
    task: Task,
    names: Mapping[int, str] | None = None,
) -> list[JudgedBlock]:
    """Return the rows of judgments or skips; the labels of skips are blank."""
    test_set = task.test_set
    if names is None:
        systems = list(test_set.systems.order_by("id").values_list("id", "name"))
    else:
        systems = sorted(names.items(), key=itemgetter(1))
    # The format requires a number for each system; the numbers have no meaning outside the file.
    names_and_numbers = {}
    for number, (id_, name) in enumerate(systems, 1):
        names_and_numbers[id_] = (name, number)
    kind = answer_kind_of(task)
    if rows.model is Judgment:
        rows = rows.annotate(line=F("numbered__number"), ranks=F("labels"))
    else:
        rows = rows.annotate(line=F("id"), ranks=Value(""))
    rows = rows.values_list(
        "line",
        "block_id",
        "judge__pseudonym",
        "ranks",
        "duration_ms",
        "block__segment__number",
        "block__segment__position",
        "block__segment__document__name",
        named=True,
    )
    # Without indexes, each part would read whole tables.
    with transaction.atomic(), table_scans_off():
        answers = list(rows)
        systems_by_block = systems_shown(answer.block_id for answer in answers)
    written = []
    for answer in answers:
        candidates = []
        for systems_of_text in systems_by_block[answer.block_id]:
            candidates.append([names_and_numbers[system] for system in systems_of_text])
        if names is not None:
            candidates = [sorted(candidate) for candidate in candidates]
        labels = kind.ranks(answer.ranks or [None] * len(candidates))
        candidate_names = []
        candidate_numbers = []
        for candidate in candidates:
            candidate_names.append(tuple(name for name, _number in candidate))
            candidate_numbers.append(tuple(number for _name, number in candidate))
        written.append(
            JudgedBlock(
                source_language=test_set.source_language,
                target_language=test_set.target_language,
                segment=answer.block__segment__number,
                document=answer.block__segment__document__name,
                segment_id=str(answer.block__segment__position),
                judge=answer.judge__pseudonym,
                candidates=tuple(candidate_names),
                labels=tuple(labels),
                system_numbers=tuple(candidate_numbers),
                line=answer.line,
                duration_ms=answer.duration_ms,
                best_worst=kind.best_worst,
            ),
        )
    return written


def judgments_written(*, task: Task, watermark: int) -> JudgmentQuerySet:
    """Return the judgments to export: those current up to `watermark`, without excluded judges. One query."""
    excluded = excluded_judges(campaign_id=task.test_set.campaign_id)
    judgments = Judgment.objects.of(task.pk).counted().current(watermark=watermark)
    return judgments.exclude(judge__pseudonym__in=excluded).order_by("numbered__number")


def comments_lost(*, task: Task, watermark: int) -> list[Loss]:
    """Return the losses for comments on the judgments 1…`watermark`. Two queries."""
    written = judgments_written(task=task, watermark=watermark).exclude(comment="")
    numbers = list(written.values_list("numbered__number", flat=True))
    if numbers:
        return [Loss("comments", len(numbers), f"judgment {numbers[0]}")]
    return []


def names_shown(block_ids: Iterable[int], *, task: Task) -> dict[int, list[list[str]]]:
    """Return `systems_shown` with the names of the systems. Two queries."""
    names = dict(task.test_set.systems.values_list("id", "name"))
    names_by_block = {}
    for block, candidates in systems_shown(block_ids).items():
        names_by_block[block] = [
            [names[system] for system in candidate] for candidate in candidates
        ]
    return names_by_block


def systems_shown(block_ids: Iterable[int]) -> dict[int, list[list[int]]]:
    """Return the ids of the systems behind each block's candidates, in display order.

    One query. The systems of a candidate keep the order in which they were recorded, so an imported
    file is exported unchanged.
    """
    rows = (
        Block.objects.filter(pk__in=list(block_ids))
        .order_by()
        .values_list(
            "pk",
            ArraySubquery(outputs_of().values("system_id")),
            "stands_for",
        )
    )
    candidates_by_block = {}
    for block, systems, stands_for in rows:
        candidates_by_block[block] = [
            list(ids) for ids in by_candidate(systems, stands_for)
        ]
    return candidates_by_block
