"""The rows behind imported answers: blocks, judgments, and what answers say beside their labels."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any, Final
from uuid import UUID

import numpy as np

from annotation.importing.answer_places import Place
from annotation.importing.hits import ImportedHITs, Integers, block_uuids
from annotation.importing.new_hits import ImportedHITWriter
from annotation.models import Block, Judgment
from annotation.models.block import stands_for
from annotation.protocols import answer_kind
from campaign.database.copy import array_cell, constraints_check_now, ids_reserve, rows_copy
from campaign.database.rows_together import rows_write_together
from campaign.models import Task

_BLOCK: Final = (
    *("id", "hit_id", "position", "control", "segment_id", "public_id", "outputs", "stands_for"),
)
_JUDGMENT: Final = {
    "id": "bigint",
    "task_id": "bigint",
    "client_id": "uuid",
    "judge_id": "bigint",
    "block_id": "bigint",
    "labels": "smallint[]",
    "duration_ms": "integer",
    "active_ms": "integer",
    "comment": "text",
    "submitted_at": "timestamptz",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """An answer that is to be stored."""

    client_id: UUID
    judge: int
    place: Place
    part: int
    answer: Any
    labels: Sequence[int | None]
    submitted_at: datetime
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
        self.hits = ImportedHITWriter(task)
        self._blocks_written = 0
        self._judges: dict[tuple[int, int, bytes], int] = {}
        # Of answers that others may be about, the judgments by client id.
        self._judgments: dict[UUID, int] = {}
        self.begin_file({})

    def begin_file(self, why: dict[str, Any]) -> None:
        """Begin a file: no HIT has blocks of two. `why` says which it is, on its HITs."""
        self._placed = ImportedHITs()
        self._why = why

    def write(self, rows: Sequence[AnswerRow]) -> None:
        """Write the rows, with the HITs that begin."""
        if not rows:
            return
        blocks = self._blocks(rows)
        ids = ids_reserve(Judgment, len(rows))
        about = self._about(rows, ids)
        values = [
            {
                "id": id_,
                "task_id": self._task.pk,
                "client_id": str(row.client_id),
                "judge_id": row.judge,
                "block_id": block,
                "labels": list(row.labels),
                "duration_ms": row.duration_ms,
                "active_ms": row.active_ms,
                "comment": row.comment,
                "submitted_at": row.submitted_at.isoformat(),
                **self._kind.row(row.answer, row.part),
                **about(row),
            }
            for id_, block, row in zip(ids, blocks, rows, strict=True)
        ]
        # In one statement, as `judgment_imported_has_its_answer` asks.
        rows_write_together(
            values,
            first=Judgment,
            columns=_JUDGMENT,
            other=self._kind.table if self._kind.keeps_answers else None,
            key="judgment_id",
            other_columns=self._kind.columns,
        )
        constraints_check_now()

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
        whys = [b"\x01" + json.dumps({**self._why, **row.why}).encode() for row in rows]
        judges = np.array(
            # A HIT is of one judge and one pass, and says the same of all its blocks.
            [
                self._judges.setdefault((row.judge, row.part, why), len(self._judges))
                for row, why in zip(rows, whys, strict=True)
            ],
            dtype=np.int64,
        )
        positions = self._placed.positions(judges)
        new = self._hits(
            [
                (why, row.part)
                for row, why, position in zip(rows, whys, positions.tolist(), strict=True)
                if position == 1
            ]
        )
        hits = self._placed.hits(judges, positions, new)
        ids = ids_reserve(Block, len(rows))
        uuids = block_uuids(self._blocks_written, len(rows), at=self.hits.began_at)
        rows_copy(
            Block,
            _BLOCK,
            (
                (
                    *(id_, hit, position, "", row.place.segment, str(UUID(bytes=uuid.tobytes()))),
                    array_cell(chain.from_iterable(row.place.outputs)),
                    None
                    if (shown := stands_for(list(map(len, row.place.outputs)))) is None
                    else array_cell(shown),
                )
                for id_, hit, position, uuid, row in zip(
                    ids, hits.tolist(), positions.tolist(), uuids, rows, strict=True
                )
            ),
        )
        self._blocks_written += len(rows)
        return ids

    def _hits(self, begun: Sequence[tuple[bytes, int]]) -> Integers:
        """Write a HIT for each, of what it says and of a pass; return the ids."""
        ids = np.zeros(len(begun), dtype=np.int64)
        for why in dict.fromkeys(why for why, _part in begun):
            mine = [place for place, (each, _part) in enumerate(begun) if each == why]
            parts = np.array([begun[place][1] for place in mine], dtype=np.int16)
            ids[mine] = self.hits.write(len(mine), why=why, parts=parts)
        return ids
