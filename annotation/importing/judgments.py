"""Judgments of a five-way CSV, each with the block it was made on."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final

import numpy as np
from django.db import transaction

from annotation.importing.blocks import BlockWriter
from annotation.importing.row_ids import RowIds, ids_there
from annotation.importing.texts import SegmentNumbers
from annotation.models import HIT, Block, Judgment, JudgmentNumber, Skip
from annotation.services import judgments_number
from annotation.services.judging.notifications import ranking_request
from campaign.database.copy import statistics_refresh
from campaign.formats import FiveWayColumns
from campaign.formats.losses import Loss, Losses
from campaign.importing.errors import ImportRefusedError
from campaign.importing.judgment_files import (
    ROWS_AT_ONCE,
    JudgmentsFile,
    LanguagePair,
    columns_placed,
    is_of,
)
from campaign.models import Judge, Output, Segment, Task

_BATCH: Final = ROWS_AT_ONCE


@dataclass(frozen=True, slots=True)
class JudgmentsImported:
    """What an import did: rows that became judgments and skips, and rows known before.

    Of all these rows, `repeated` say exactly what a row before them says; each counts. `losses` are what rows say and
    is not kept.
    """

    judgments: int
    skips: int
    already_there: int
    repeated: int
    losses: tuple[Loss, ...]


@transaction.atomic
def judgments_import(
    *,
    task: Task,
    files: Sequence[JudgmentsFile],
    languages: LanguagePair | None = None,
    progress: Callable[[int], None] | None = None,
) -> JudgmentsImported:
    """Import every row of `files`; of those `languages` chooses, if given.

    A row becomes a block with its candidates as shown, in a HIT with others of
    its judge, and a judgment by a judge known by the file's name for them; a row
    without a label becomes a skip. A row that was imported before is left alone:
    it is known by its segment, judge, candidates, labels and by how many rows
    before it say the same.

    The judgments are numbered last, in the order of the rows. Nobody who submits to this test set
    waits for the import; memory grows by about 100 bytes a row. Once committed, the ranking is told.

    Raises FormatError for what a row says, ImportRefusedError for the whole.
    """
    writer = BlockWriter(task)
    row_ids = RowIds(task.pk)
    losses = Losses()
    segments = SegmentNumbers(task, losses)
    judgments = skips = already_there = done = 0
    # Closed here, since a refusal leaves the reader in the middle of a file.
    with closing(
        columns_placed(
            files, languages=languages, known_systems=writer.system_ids, rows_at_once=_BATCH
        )
    ) as placed:
        for columns in _of_the_task(placed, task) if languages is None else placed:
            segments.confirm(columns)
            client_ids = row_ids.of(columns)
            is_new = np.ones(len(columns), dtype=np.bool_)
            if not writer.is_first_import:
                is_new &= ~ids_there(client_ids)
            count = int(is_new.sum())
            written = writer.write(columns.only(is_new), client_ids[is_new])
            judgments += written
            skips += count - written
            already_there += len(columns) - count
            done += len(columns)
            if progress:
                progress(done)
    if not done:
        chosen = f" of {languages}" if languages else ""
        raise ImportRefusedError(
            f"there is no judgment{chosen} in the input", "give a file with at least one"
        )
    judgments_number(task_id=task.pk)
    statistics_refresh(Segment, Output, HIT, Block, Judge, Judgment, JudgmentNumber, Skip)
    if judgments:
        ranking_request(task_id=task.pk)
    return JudgmentsImported(
        judgments=judgments,
        skips=skips,
        already_there=already_there,
        repeated=row_ids.repeated,
        losses=losses.found(),
    )


def _of_the_task(placed: Iterable[FiveWayColumns], task: Task) -> Iterator[FiveWayColumns]:
    """Refuse rows of other languages: they are judgments of other texts."""
    own = LanguagePair(task.test_set.source_language, task.test_set.target_language)
    for columns in placed:
        others = np.flatnonzero(~is_of(columns, own))
        if len(others):
            row = int(others[0])
            pair = LanguagePair(*columns.names.pairs[int(columns.pairs[row])])
            raise columns.error(
                row,
                f'the row is {pair}, the test set "{task.test_set.name}" {own}',
                "give a file of this test set, or choose the rows to import "
                "by their source and their target language",
                field="srclang",
            )
        yield columns
