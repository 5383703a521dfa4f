"""The rows behind imported judgments: HITs, blocks and the judgments themselves."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from annotation.importing.hits import ImportedHITs, block_uuids
from annotation.importing.new_hits import (
    RENAME_JUDGE,
    ImportedHITWriter,
    JudgeTakesPartError,
    imported_judges,
)
from annotation.importing.texts import ImportedTexts
from annotation.models import Block, Judgment, Skip, SkipReason
from campaign.database.column_writing import Arrays, Column, columns_write
from campaign.database.copy import constraints_check_now, ids_reserve
from campaign.formats import FiveWayColumns
from campaign.models import Task

Integers = npt.NDArray[np.int64]

_NO_TEXT: Final = b""


class BlockWriter:
    """Writes rows of one test set, some thousand at a time; used inside one transaction.

    Takes the lock of the test set's HIT sequence.

    Attributes
    ----------
    is_first_import : bool
        Whether nothing was imported into the test set before.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._new_hits = ImportedHITWriter(task)
        self.is_first_import = self._new_hits.is_first_import
        self._hits = ImportedHITs()
        self._blocks_written = 0
        self._judge_ids: dict[str, int] = {}
        self._texts = ImportedTexts(task)
        self._now = self._new_hits.now

    @property
    def system_ids(self) -> dict[str, int]:
        """The systems of the test set, by name."""
        return self._texts.system_ids

    def write(self, columns: FiveWayColumns, client_ids: npt.NDArray[Any]) -> int:
        """Write the rows; return how many of them became judgments. The others are skips."""
        if not len(columns):
            return 0
        judges = self._judges(columns)
        segments, outputs = self._texts.of(columns)
        blocks = self._blocks(columns, segments, outputs)
        judged = self._judgments(columns, client_ids, blocks, judges)
        constraints_check_now()
        return judged

    def _judges(self, columns: FiveWayColumns) -> Integers:
        """Return the judge of each row, by id; create those not known yet."""
        different, first, place = np.unique(columns.judges, return_index=True, return_inverse=True)
        names = [columns.names.judges[number] for number in different.tolist()]
        # In the order of their first rows.
        new = {
            names[each]: int(first[each])
            for each in np.argsort(first)
            if names[each] not in self._judge_ids
        }
        try:
            if new:
                self._judge_ids |= imported_judges(
                    campaign_id=self._task.test_set.campaign_id, pseudonyms=list(new)
                )
        except JudgeTakesPartError as error:
            raise columns.error(
                new[error.pseudonym], error.problem, RENAME_JUDGE, field="judgeId"
            ) from error
        return np.fromiter(map(self._judge_ids.__getitem__, names), np.int64)[place]

    def _blocks(self, columns: FiveWayColumns, segments: Integers, outputs: Integers) -> Integers:
        """Write a block for each row, and the HITs that begin; return the blocks' ids."""
        count = len(columns)
        positions = self._hits.positions(columns.judges)
        new = self._new_hits.write(int((positions == 1).sum()))
        blocks = np.array(ids_reserve(Block, count))
        flat = outputs.reshape(count, -1)
        shown: dict[str, Column] = {"outputs": Arrays(flat, is_there=flat > 0)}
        sizes = (outputs > 0).sum(axis=2)
        if (sizes > 1).any():
            shown["stands_for"] = Arrays(
                sizes.astype(np.int16), is_there=sizes > 0, is_row_null=(sizes <= 1).all(axis=1)
            )
        columns_write(
            Block,
            count,
            {
                "id": blocks,
                "hit_id": self._hits.hits(columns.judges, positions, new),
                "position": positions.astype(np.int16),
                "control": _NO_TEXT,
                "segment_id": segments,
                "public_id": block_uuids(self._blocks_written, count, at=self._new_hits.began_at),
                **shown,
            },
        )
        self._blocks_written += count
        return blocks

    def _judgments(
        self,
        columns: FiveWayColumns,
        client_ids: npt.NDArray[Any],
        blocks: Integers,
        judges: Integers,
    ) -> int:
        """Write judgments, and skips of rows without a label; return the number of judgments."""
        is_judged = columns.labels.any(axis=1)
        labels = columns.labels[is_judged].astype(np.int16)
        columns_write(
            Judgment,
            len(labels),
            {
                "client_id": client_ids[is_judged],
                "judge_id": judges[is_judged],
                "block_id": blocks[is_judged],
                "submitted_at": self._now,
                "comment": _NO_TEXT,
                "task_id": np.int64(self._task.pk),
                "labels": Arrays(
                    labels, is_there=columns.candidates[is_judged] >= 0, is_null=labels == 0
                ),
            },
        )
        columns_write(
            Skip,
            len(columns) - len(labels),
            {
                "client_id": client_ids[~is_judged],
                "judge_id": judges[~is_judged],
                "block_id": blocks[~is_judged],
                "created_at": self._now,
                "comment": _NO_TEXT,
                "reason": SkipReason.NOT_STATED.value.encode(),
                "task_id": np.int64(self._task.pk),
            },
        )
        return len(labels)
