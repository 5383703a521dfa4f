"""The segments and outputs that imported judgments are about, by id."""

from functools import partial
from typing import Any, Final, NoReturn

import numpy as np
import numpy.typing as npt
from django.contrib.postgres.fields import ArrayField
from django.db.models import BigIntegerField, F, IntegerField, Q

from annotation.importing.answer_places import known_segments
from annotation.models.pool import IsAnyOf
from campaign.database.column_writing import columns_write
from campaign.database.columns import ColumnsQuery
from campaign.database.copy import ids_reserve
from campaign.formats import FiveWayColumns
from campaign.formats.losses import Losses
from campaign.formats.segment_identity import (
    DocumentColumn,
    SegmentName,
    SegmentProblem,
    document_named,
)
from campaign.models import Output, Segment, Task

Integers = npt.NDArray[np.int64]

_UNKNOWN: Final = 0

# Of thousands of numbers: Django prepares each value of `__in` by itself, an array is one.
_SEGMENTS: Final = ColumnsQuery(
    lambda test_set_id, numbers: Segment.objects.filter(
        IsAnyOf(F("number"), numbers), test_set_id=test_set_id
    ).annotate(has_text=Q(source_text__isnull=False)),
    {"test_set_id": BigIntegerField(), "numbers": ArrayField(IntegerField())},
    [("id", "i8"), ("number", "i4"), ("has_text", "?")],
)
_OUTPUTS: Final = ColumnsQuery(
    lambda segment_ids: Output.objects.filter(IsAnyOf(F("segment_id"), segment_ids)),
    {"segment_ids": ArrayField(BigIntegerField())},
    [("id", "i8"), ("segment_id", "i8"), ("system_id", "i8")],
)


class SegmentNumbers:
    """Confirms the segments that rows of files number: their test set has the number, in the document that they name."""

    def __init__(self, task: Task, losses: Losses) -> None:
        self._known = known_segments(task.test_set)
        self._losses = losses
        self._file: str | None = None

    def confirm(self, columns: FiveWayColumns) -> None:
        """Raise FormatError for a row of another test set or document; call it with all rows of a file, in their order."""
        if columns.file != self._file:
            self._file = columns.file
            self._documents = DocumentColumn(columns.file, self._known, self._losses)
            # Numbers with the documents of the test set that rows named: thousands of rows share them.
            self._confirmed: set[tuple[int, str]] = set()
        places = zip(
            columns.lines.tolist(), columns.source_index.tolist(), columns.documents, strict=True
        )
        for row, (line, number, cell) in enumerate(places):
            if (number, cell) in self._confirmed:
                continue
            refuse = partial(_refuse, columns, row, "documentId")
            document = self._documents.document(document_named(cell), line, refuse)
            if (number, document) in self._confirmed:
                continue
            try:
                self._known.candidates(SegmentName(str(number), document, is_number=True))
            except SegmentProblem as error:
                _refuse(columns, row, "srcIndex", error.problem, error.remedy)
            self._confirmed.add((number, document))


def _refuse(columns: FiveWayColumns, row: int, field: str, problem: str, remedy: str) -> NoReturn:
    raise columns.error(row, problem, remedy, field=field)


class ImportedTexts:
    """The segments and outputs of a test set, read as rows name them: 8 bytes an output."""

    def __init__(self, task: Task) -> None:
        self._task = task
        systems = task.test_set.systems.order_by("name").values_list("name", "id")
        self.system_ids: dict[str, int] = dict(systems)
        self._columns = {name: column for column, name in enumerate(self.system_ids)}
        self._column_ids = np.fromiter(self.system_ids.values(), np.int64)
        # Rows of the arrays below, by the segment's number.
        self._rows: dict[int, int] = {}
        self._segment_ids = np.empty(0, dtype=np.int64)
        self._has_text = np.empty(0, dtype=np.bool_)
        self._outputs = np.empty((0, len(self.system_ids)), dtype=np.int64)
        self._systems = np.empty((0, 0), dtype=np.int64)

    def of(self, columns: FiveWayColumns) -> tuple[Integers, Integers]:
        """Return the segment of each row and its outputs, both by id.

        Outputs that are known from judgments alone are created. The second array is n × k × m: of each
        row's k candidates up to m outputs, then 0. `SegmentNumbers` has confirmed the segments.

        Raises FormatError where the test set does not have the output.
        """
        different, place = np.unique(columns.source_index, return_inverse=True)
        self._read(different[[number not in self._rows for number in different.tolist()]])
        rows = np.fromiter(map(self._rows.__getitem__, different.tolist()), np.int64)[place]
        systems = self._systems_by_candidate(columns)[columns.candidates]
        is_shown = systems >= 0
        shape = rows[:, np.newaxis, np.newaxis]
        missing = is_shown & (self._outputs[shape, systems] == _UNKNOWN)
        if missing.any():
            self._create(columns, rows, systems, missing)
        return self._segment_ids[rows], np.where(is_shown, self._outputs[shape, systems], _UNKNOWN)

    def _systems_by_candidate(self, columns: FiveWayColumns) -> Integers:
        """Return the columns of each candidate's systems, then -1; in the last row, for no candidate, -1."""
        named = columns.names.candidates
        if len(self._systems) <= len(named):
            self._systems = np.full((len(named) + 1, max(map(len, named))), -1, dtype=np.int64)
            for number, names in enumerate(named):
                self._systems[number, : len(names)] = [
                    self._columns.get(name, -1) for name in names
                ]
        return self._systems

    def _read(self, numbers: Integers) -> None:
        """Read the segments with these numbers, and their outputs."""
        if not len(numbers):
            return
        found = _SEGMENTS.read(test_set_id=self._task.test_set_id, numbers=numbers.tolist())
        order = np.argsort(found["id"])
        ids = found["id"][order]
        if not len(ids):
            return
        for row, number in enumerate(found["number"][order].tolist(), len(self._segment_ids)):
            self._rows[number] = row
        there = _OUTPUTS.read(segment_ids=ids.tolist())
        by_id = np.argsort(self._column_ids)
        outputs = np.full((len(ids), len(self._column_ids)), _UNKNOWN, dtype=np.int64)
        column = by_id[np.searchsorted(self._column_ids[by_id], there["system_id"])]
        outputs[np.searchsorted(ids, there["segment_id"]), column] = there["id"]
        self._segment_ids = np.concatenate([self._segment_ids, ids])
        self._has_text = np.concatenate([self._has_text, found["has_text"][order]])
        self._outputs = np.concatenate([self._outputs, outputs])

    def _create(
        self,
        columns: FiveWayColumns,
        rows: Integers,
        systems: Integers,
        missing: npt.NDArray[np.bool_],
    ) -> None:
        """Create the outputs that are missing, in the order in which rows name them."""
        row_of, *_place = place = np.nonzero(missing)
        with_text = np.flatnonzero(self._has_text[rows[row_of]])
        if len(with_text):
            row = int(row_of[with_text[0]])
            name = list(self.system_ids)[int(systems[place][with_text[0]])]
            raise columns.error(
                row,
                f"the system {name} has no output for segment {columns.source_index[row]}",
                "correct the row, or import the test set with all outputs",
            )
        keys = rows[row_of] * len(self._column_ids) + systems[place]
        _different, first = np.unique(keys, return_index=True)
        first.sort()
        at: tuple[Any, Any] = (rows[row_of][first], systems[place][first])
        ids = np.array(ids_reserve(Output, len(first)), dtype=np.int64)
        columns_write(
            Output,
            len(ids),
            {
                "id": ids,
                "segment_id": self._segment_ids[at[0]],
                "system_id": self._column_ids[at[1]],
            },
        )
        self._outputs[at] = ids
