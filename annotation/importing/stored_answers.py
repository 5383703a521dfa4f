"""Find imported answers that the answers of a later file replace, or that it no longer has.

Imports only add rows: an answer that replaces a stored one becomes a revision of its block, as a judge's own does. Where
that cannot be, the stored block is withdrawn and does not count.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db.models import F, QuerySet

from annotation.models import (
    Block,
    Design,
    Judgment,
    QualityAction,
    QualityActionKind,
    Skip,
)
from annotation.models.block import BlockControl
from annotation.models.judgment import JudgmentQuerySet
from annotation.services.numbers import counters_rebuild, ranking_request
from campaign.models import Task
from campaign.selectors.uploads import judgments_imports

#: Key of `HIT.why` for a judge's intended further answers about the same outputs.
REPEAT: Final = "repeat"


class NoLongerInFile(StrEnum):
    """Choice to keep or withdraw stored answers that a later file of the same tool no longer has."""

    KEEP = "keep"
    WITHDRAW = "withdraw"


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An imported judgment that counts."""

    judgment: int
    client_id: UUID
    block: int
    outputs: tuple[int, ...]
    stands_for: tuple[int, ...] | None
    submitted_at: datetime


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """Judge, segment, pass and repeat of an answer, which identify it together with its outputs."""

    judge: int
    segment: int
    part: int
    repeat: int


def stored_answers(
    *,
    task: Task,
    judges: Collection[int],
    segments: Collection[int],
) -> dict[AnswerKey, list[StoredAnswer]]:
    """Return the imported judgments that count, by these judges about these segments. One query."""
    rows = (
        _imported_judgments(task)
        .filter(judge__in=judges, block__segment__in=segments)
        .annotate(repeat=F(f"block__hit__why__{REPEAT}"))
        .values_list(
            "judge",
            "block__segment",
            "block__hit__part",
            "repeat",
            "pk",
            "client_id",
            "block",
            "block__outputs",
            "block__stands_for",
            "submitted_at",
            named=True,
        )
    )
    answers_by_key: dict[AnswerKey, list[StoredAnswer]] = defaultdict(list)
    for row in rows:
        sizes = None
        if row.block__stands_for is not None:
            sizes = tuple(row.block__stands_for)
        key = AnswerKey(
            row.judge,
            row.block__segment,
            row.block__hit__part,
            row.repeat or 1,
        )
        stored = StoredAnswer(
            row.pk,
            row.client_id,
            row.block,
            tuple(row.block__outputs),
            sizes,
            row.submitted_at,
        )
        answers_by_key[key].append(stored)
    return answers_by_key


@dataclass(frozen=True, slots=True)
class MissingAnswer:
    """A stored answer that a later file no longer has: its block, and where it came from."""

    block: int
    location: str


@dataclass(frozen=True, slots=True)
class EarlierExports:
    """The earlier files with which an import shares answers, by hash; and their answers that it does not have."""

    files: frozenset[str]
    missing: tuple[MissingAnswer, ...]


def earlier_exports(
    *,
    task: Task,
    client_ids: Collection[bytes],
    files: Collection[str],
) -> EarlierExports:
    """Compare an import with earlier ones.

    Parameters
    ----------
    task : Task
    client_ids : collection of bytes
        Those of the answers of the import.
    files : collection of str
        The hashes of its files.
    """
    skips = Skip.objects.filter(
        task=task,
        block__hit__design__kind=Design.Kind.IMPORTED,
        block__control="",
    ).standing()
    stored = [
        *_rows_with_file(_imported_judgments(task)),
        *_rows_with_file(skips),
    ]
    shared = set()
    for answer in stored:
        if answer.client_id.bytes in client_ids:
            shared.add(answer.sha256)
    if shared <= set(files):
        return EarlierExports(frozenset(), ())
    earlier = _connected_files(task, shared)
    missing = []
    for answer in stored:
        if answer.client_id.bytes in client_ids or answer.sha256 in files:
            continue
        if answer.sha256 in earlier:
            location = f"{answer.file}, judge {answer.judge__pseudonym}, segment {answer.block__segment__number}"
            missing.append(MissingAnswer(answer.block, location))
    return EarlierExports(earlier, tuple(missing))


def _rows_with_file(rows: QuerySet[Any]) -> QuerySet[Any, Any]:
    """Return imported judgments or skips as rows that name their file."""
    in_files = rows.annotate(
        sha256=F("block__hit__why__sha256"),
        file=F("block__hit__why__file"),
    )
    named: QuerySet[Any, Any] = in_files.order_by("pk").values_list(
        "client_id",
        "block",
        "sha256",
        "file",
        "judge__pseudonym",
        "block__segment__number",
        named=True,
    )
    return named


def _connected_files(task: Task, files: Collection[str]) -> frozenset[str]:
    """Return these files, and the imports that shared answers with them, however many imports apart."""
    earlier = set(files)
    groups = []
    for report in judgments_imports(task=task):
        groups.append(
            {
                *(file["sha256"] for file in report["files"]),
                *report.get("earlier_exports", ()),
            },
        )
    is_growing = True
    while is_growing:
        joined = []
        for group in groups:
            if not earlier.isdisjoint(group) and group - earlier:
                joined.append(group)
        earlier.update(*joined)
        is_growing = bool(joined)
    return frozenset(earlier)


def withdrawn_blocks(client_ids: Iterable[UUID]) -> list[int]:
    """Return the withdrawn blocks of the judgments and skips with these ids, without answers that an organiser took back.

    Two queries, and a third if there are any.
    """
    of_withdrawn = {
        "client_id__in": list(client_ids),
        "block__control": BlockControl.WITHDRAWN,
    }
    blocks = [
        *Judgment.objects.filter(**of_withdrawn).values_list("block", flat=True),
        *Skip.objects.filter(**of_withdrawn).values_list("block", flat=True),
    ]
    if not blocks:
        return []
    taken_back = QualityAction.objects.in_force().filter(
        action=QualityActionKind.RETRACT,
        evidence__block__in=blocks,
    )
    taken = set(taken_back.values_list("evidence__block", flat=True))
    return [block for block in blocks if block not in taken]


def blocks_count_again(*, task: Task, blocks: Sequence[int]) -> None:
    """Let withdrawn blocks count again. Requests a ranking. Called as `blocks_withdraw` is."""
    if blocks:
        withdrawn = Block.objects.filter(pk__in=blocks, control=BlockControl.WITHDRAWN)
        withdrawn.update(control=BlockControl.NONE)
        counters_rebuild(task_id=task.pk)
        ranking_request(task_id=task.pk)


def blocks_withdraw(*, task: Task, blocks: Sequence[int]) -> None:
    """Let imported blocks no longer count. Requests a ranking.

    Called within the import's transaction, after its judgments were numbered.
    """
    if blocks:
        Block.objects.filter(pk__in=blocks).update(control=BlockControl.WITHDRAWN)
        counters_rebuild(task_id=task.pk)
        ranking_request(task_id=task.pk)


def overlapping(
    stored: Sequence[StoredAnswer],
    outputs: Collection[int],
) -> list[StoredAnswer]:
    """Return the stored answers about any of these outputs."""
    overlapping = []
    for answer in stored:
        if not set(outputs).isdisjoint(answer.outputs):
            overlapping.append(answer)
    return overlapping


def _imported_judgments(task: Task) -> JudgmentQuerySet:
    current = Judgment.objects.of(task.pk).counted().current()
    return current.filter(block__hit__design__kind=Design.Kind.IMPORTED)
