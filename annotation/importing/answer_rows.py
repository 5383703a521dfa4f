"""The rows behind imported answers: blocks, judgments, skips, and what answers say beside their labels."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final
from uuid import UUID

from annotation.importing.answer_places import Place
from annotation.importing.new_hits import ImportedHITs
from annotation.models import Block, Judgment, Skip, SkipReason
from annotation.models.block import stands_for
from annotation.protocols import answer_kind
from campaign.database.copy import Cell, array_cell, constraints_check_now, ids_reserve, rows_copy
from campaign.models import Task

_BLOCK: Final = ("id", "hit_id", "position", "control", "segment_id", "outputs", "stands_for")
_SKIP: Final = (
    *("task_id", "client_id", "judge_id", "block_id", "reason"),
    *("duration_ms", "active_ms", "comment", "created_at"),
)
_JUDGMENT: Final = (
    *("id", "task_id", "client_id", "judge_id", "block_id", "labels"),
    *("duration_ms", "active_ms", "comment", "submitted_at"),
)


@dataclass(slots=True, kw_only=True)
class AnswerRow:
    """An answer that is to be stored; a skip if there is no `answer`."""

    client_id: UUID
    judge: int
    place: Place
    part: int
    answer: Any
    labels: Sequence[int | None]
    submitted_at: str
    duration_ms: int | None
    active_ms: int | None
    comment: str
    about: UUID | None = None
    why: Mapping[str, Any] = field(default_factory=dict)


class AnswerWriter:
    """Writes answers of a task, some hundred at a time; used inside one transaction."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._kind = answer_kind(task.protocol)
        self.hits = ImportedHITs(task)
        # Of answers that others may be about, the judgments by client id.
        self._judgments: dict[UUID, int] = {}

    def write(self, rows: Sequence[AnswerRow]) -> int:
        """Write the rows, with the HITs that begin; return how many are judgments. The others are skips."""
        if not rows:
            return 0
        placed = list(zip(rows, self._blocks(rows), strict=True))
        judged = [(row, block) for row, block in placed if row.answer is not None]
        self._write_judgments(judged)
        rows_copy(
            Skip,
            _SKIP,
            (
                (
                    *(self._task.pk, str(row.client_id), row.judge, block, SkipReason.NOT_STATED),
                    *(row.duration_ms, row.active_ms, row.comment, row.submitted_at),
                )
                for row, block in placed
                if row.answer is None
            ),
        )
        constraints_check_now()
        return len(judged)

    def _write_judgments(self, judged: Sequence[tuple[AnswerRow, int]]) -> None:
        rows = [row for row, _block in judged]
        ids = ids_reserve(Judgment, len(rows))
        about = self._about(rows, ids)
        cells = (
            (
                *(id_, self._task.pk, str(row.client_id), row.judge, block),
                *(array_cell(row.labels), row.duration_ms, row.active_ms, row.comment),
                row.submitted_at,
            )
            for id_, (row, block) in zip(ids, judged, strict=True)
        )
        rows_copy(Judgment, _JUDGMENT, cells)
        if not self._kind.keeps_answers:
            return
        columns = list(self._kind.columns)
        answers = ({**self._kind.row(row.answer, row.part), **about(row)} for row in rows)
        rows_copy(
            self._kind.table,
            ["judgment_id", *columns],
            (
                (id_, *(_cell(answer[column]) for column in columns))
                for id_, answer in zip(ids, answers, strict=True)
            ),
        )

    def _about(
        self, rows: Sequence[AnswerRow], ids: Sequence[int]
    ) -> Callable[[AnswerRow], dict[str, int | None]]:
        """Return what gives the column of the judgment that a row is about; of these rows, or of earlier ones."""
        if self._kind.about is None:
            return lambda _row: {}
        column = self._kind.about.column
        self._judgments.update(zip((row.client_id for row in rows), ids, strict=True))
        # Of an import before this one.
        missing = {row.about for row in rows if row.about and row.about not in self._judgments}
        if missing:
            found = Judgment.objects.filter(task=self._task, client_id__in=missing)
            self._judgments.update(found.values_list("client_id", "pk"))
        return lambda row: {column: self._judgments[row.about] if row.about else None}

    def _blocks(self, rows: Sequence[AnswerRow]) -> list[int]:
        """Write a block for each row; return the ids."""
        places = self.hits.places((row.judge, row.part, row.why) for row in rows)
        ids = ids_reserve(Block, len(rows))
        rows_copy(
            Block,
            _BLOCK,
            (
                (
                    *(id_, hit, position, "", row.place.segment),
                    array_cell(chain.from_iterable(row.place.outputs)),
                    None
                    if (shown := stands_for(list(map(len, row.place.outputs)))) is None
                    else array_cell(shown),
                )
                for id_, (hit, position), row in zip(ids, places, rows, strict=True)
            ),
        )
        return ids


def _cell(value: Any) -> Cell:
    return array_cell(value) if isinstance(value, list) else value
