"""From the columns of a Parquet file to numbers for names, checked, without an object a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from campaign.formats import FormatError
from campaign.formats.records import CONTROL
from campaign.formats.tables import MAX_INTEGER
from ranking.core.judged.coded_blocks import systems_table
from ranking.files.labels import LARGEST_LABEL, Refuse, filled, judge_of, systems_of
from ranking.files.parquet.opening import Column, JudgmentsFile
from ranking.files.records import MAX_CANDIDATES, NO_JUDGE
from ranking.files.vocabulary import Columns, Vocabulary

if TYPE_CHECKING:
    import pyarrow as pa

Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

#: Up to so many places are compared with each other; more are sorted.
_FEW_PLACES = 12


def read_row_groups(
    file: JudgmentsFile, vocabulary: Vocabulary, groups: Sequence[int] | None = None
) -> Iterator[Columns]:
    """Yield the judgments and skips of a file, some thousands at a time.

    Parameters
    ----------
    file : JudgmentsFile
    vocabulary : Vocabulary
        Takes names that are new.
    groups : sequence of int, optional
        Row groups to read; all if not given.

    Raises
    ------
    FormatError
        With the row, counted from 1 through the file, as line, and the column as field.
    """
    rows = _Rows(file, vocabulary)
    for group in range(file.row_groups) if groups is None else groups:
        for first, batch in file.batches(group):
            if batch.num_rows:
                yield rows.columns(first, batch)


class _Rows:
    """Turns record batches of a file into `Columns`."""

    def __init__(self, file: JudgmentsFile, vocabulary: Vocabulary) -> None:
        self._file = file
        self._vocabulary = vocabulary
        #: Systems of each candidate by its number, and of none.
        self._systems = np.full((1, 1), -1, dtype=np.int32)

    def columns(self, first: int, batch: pa.RecordBatch) -> Columns:
        cells = _Cells(self._file, first, batch)
        fixed, slots = self._file.layout.fixed, self._file.layout.slots
        candidate = np.empty((batch.num_rows, len(slots)), dtype=np.int32)
        label = np.empty((batch.num_rows, len(slots)), dtype=np.int8)
        for place, (system, rank) in enumerate(slots):
            candidate[:, place] = cells.numbered(system, self._candidate)
            label[:, place] = _labels(cells, rank)
            cells.refuse_where(
                (candidate[:, place] < 0) & (label[:, place] > 0),
                rank,
                "the rank belongs to no system",
                f"name the system in {system.theirs}, or leave the rank empty",
            )
        self._refuse_too_many(cells, candidate)
        self._refuse_twice(cells, candidate)
        return Columns(
            language=self._languages(cells),
            judge=(
                cells.numbered(fixed["judgeId"], self._judge, required=True)
                if "judgeId" in fixed
                else np.full(batch.num_rows, self._vocabulary.judge(NO_JUDGE), dtype=np.int32)
            ),
            segment=_segments(cells, fixed["srcIndex"]),
            candidate=candidate,
            label=label,
            duration_ms=_durations(cells, fixed.get("duration_ms")),
            document=(
                cells.numbered(fixed["documentId"], self._document)
                if "documentId" in fixed
                else np.full(batch.num_rows, -1, dtype=np.int32)
            ),
        )

    def _candidate(self, text: str, field: str, refuse: Refuse) -> int:
        if not text.strip():
            return -1
        return self._vocabulary.candidate(systems_of(text, field, set(), refuse))

    def _judge(self, text: str, field: str, refuse: Refuse) -> int:
        return self._vocabulary.judge(judge_of(_plain(text, field, refuse), field, refuse))

    def _document(self, text: str, field: str, refuse: Refuse) -> int:
        return self._vocabulary.document(_plain(text, field, refuse))

    def _languages(self, cells: _Cells) -> Int32Array:
        names: dict[str, int] = {}

        def number(text: str, field: str, refuse: Refuse) -> int:
            if text:  # votes are of no language
                filled(_plain(text, field, refuse), field, refuse)
            return names.setdefault(text, len(names))

        fixed = self._file.layout.fixed
        source, target = (
            cells.numbered(fixed[column], number, required=True)
            for column in ("srclang", "trglang")
        )
        pair = source.astype(np.int64) * len(names) + target
        # A table of all pairs, unless that is longer than the rows: other texts may stand in these columns.
        is_few = len(names) ** 2 <= len(pair)
        different = np.flatnonzero(np.bincount(pair)) if is_few else np.unique(pair)
        called = list(names)
        numbers = [
            self._vocabulary.language((called[one // len(names)], called[one % len(names)]))
            for one in different.tolist()
        ]
        if not is_few:
            return np.array(numbers, dtype=np.int32)[np.searchsorted(different, pair)]
        table = np.zeros(len(names) ** 2, dtype=np.int32)
        table[different] = numbers
        numbered: Int32Array = table[pair]
        return numbered

    def _refuse_too_many(self, cells: _Cells, candidate: Int32Array) -> None:
        slots = self._file.layout.slots
        if len(slots) > MAX_CANDIDATES:
            cells.refuse_where(
                np.count_nonzero(candidate >= 0, axis=1) > MAX_CANDIDATES,
                slots[0][0],
                f"the row shows more than {MAX_CANDIDATES} candidates",
                f"give blocks of at most {MAX_CANDIDATES}",
            )

    def _refuse_twice(self, cells: _Cells, candidate: Int32Array) -> None:
        """Refuse rows that name a system twice, alone or with others."""
        if len(self._systems) <= len(self._vocabulary.candidates):
            known = list(self._vocabulary.candidates)
            names = sorted({name for one in known for name in one})
            # The last row is for -1.
            self._systems = np.pad(
                systems_table(known, names), ((0, 1), (0, 0)), constant_values=-1
            )
        shown = self._systems[candidate].reshape(len(candidate), -1)
        cells.refuse_where(
            _has_twice(shown),
            self._file.layout.slots[0][0],
            "a system stands twice in the row",
            "name every system once a row",
        )


class _Cells:
    """The cells of a record batch, which know where they stand."""

    def __init__(self, file: JudgmentsFile, first: int, batch: pa.RecordBatch) -> None:
        self._file = file
        self._first = first
        self._batch = batch
        self._column = {field.name: place for place, field in enumerate(batch.schema)}

    def __len__(self) -> int:
        return int(self._batch.num_rows)

    def array(self, column: Column) -> Any:
        return self._batch.column(self._column[column.theirs])

    def numbered(
        self,
        column: Column,
        number: Callable[[str, str, Refuse], int],
        *,
        required: bool = False,
    ) -> Int32Array:
        """Return a number for each text, which `number` gives for (text, field, refuse); -1 for none.

        `number` is called once for each different text.
        """
        from pyarrow import types

        array = self.array(column)
        if types.is_null(array.type):
            codes, texts = np.full(len(self), -1, dtype=np.int32), []
        else:
            if not types.is_dictionary(array.type):
                array = array.dictionary_encode()
            codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False)
            texts = array.dictionary.to_pylist()
        if required:
            self.refuse_where(codes < 0, column, "the cell is empty", "fill it in")
        # The last entry is for -1.
        numbers = np.full(len(texts) + 1, -1, dtype=np.int32)
        for code in np.flatnonzero(np.bincount(codes + 1, minlength=1)[1:]).tolist():
            refuse = self._refusing(column, codes, code)
            if texts[code] is not None:
                numbers[code] = number(texts[code], column.theirs, refuse)
            elif required:
                refuse(column.theirs, "the cell is empty", "fill it in")
        return numbers[codes]

    def whole_numbers(self, column: Column, *, missing: int) -> Int64Array:
        """Return the numbers of a column, with one for what is missing."""
        import pyarrow as pa
        from pyarrow import compute as pc
        from pyarrow import types

        array = self.array(column)
        if types.is_null(array.type):
            return np.full(len(self), missing, dtype=np.int64)
        if types.is_floating(array.type):
            # NaN is how pandas writes that nothing is there.
            doubles = array.cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
            doubles = np.where(np.isnan(doubles), missing, doubles)
            self.refuse_where(
                (doubles != np.trunc(doubles)) | (np.abs(doubles) > MAX_INTEGER),
                column,
                "the value is no whole number",
                "write whole numbers",
            )
            return np.asarray(doubles.astype(np.int64))
        if types.is_uint64(array.type):
            # No number so large is valid; without a limit the largest would become -1, which may be.
            array = pc.min_element_wise(
                array, pa.scalar((1 << 63) - 1, array.type), skip_nulls=False
            )
        whole = array.cast(pa.int64()).fill_null(missing)
        found: Int64Array = whole.to_numpy(zero_copy_only=False)
        return found

    def refuse_where(self, wrong: BoolArray, column: Column, problem: str, remedy: str) -> None:
        """Refuse the first row that is wrong."""
        if wrong.any():
            self._refuse(int(np.argmax(wrong)), column.theirs, problem, remedy)

    def _refusing(self, column: Column, codes: Int32Array, code: int) -> Refuse:
        def refuse(_field: str | None, problem: str, remedy: str) -> NoReturn:
            self._refuse(int(np.argmax(codes == code)), column.theirs, problem, remedy)

        return refuse

    def _refuse(self, row: int, field: str, problem: str, remedy: str) -> NoReturn:
        raise FormatError(self._file.name, problem, remedy, line=self._first + row + 1, field=field)


def _plain(text: str, field: str, refuse: Refuse) -> str:
    if CONTROL.search(text):
        refuse(field, "the text contains a control character", "remove it")
    return text


def _labels(cells: _Cells, column: Column) -> npt.NDArray[np.int8]:
    found = cells.whole_numbers(column, missing=-1)
    cells.refuse_where(
        ((found < 1) | (found > LARGEST_LABEL)) & (found != -1),
        column,
        "the rank is not 1, 2, 3, 4, 5 or -1",
        "give a rank from 1 (best) to 5, or nothing where the judge gave none",
    )
    return np.maximum(found, 0).astype(np.int8)


def _segments(cells: _Cells, column: Column) -> Int32Array:
    found = cells.whole_numbers(column, missing=0)
    cells.refuse_where(
        (found < 1) | (found > MAX_INTEGER),
        column,
        "the source index is no whole number from 1",
        "count the segments of the test set from 1",
    )
    return found.astype(np.int32)


def _durations(cells: _Cells, column: Column | None) -> Int64Array:
    if column is None:
        return np.full(len(cells), -1, dtype=np.int64)
    found = cells.whole_numbers(column, missing=-1)
    array = cells.array(column)
    given = array.is_valid().to_numpy(zero_copy_only=False)
    cells.refuse_where(
        given & ((found < 0) | (found > MAX_INTEGER)),
        column,
        "the duration is out of range",
        "give milliseconds from 0, or nothing",
    )
    return found


def _has_twice(shown: Int32Array) -> BoolArray:
    """Return which rows hold a number from 0 twice."""
    twice = np.zeros(len(shown), dtype=np.bool_)
    if shown.shape[1] > _FEW_PLACES:
        in_order = np.sort(shown, axis=1)
        return np.asarray(((in_order[:, 1:] == in_order[:, :-1]) & (in_order[:, 1:] >= 0)).any(1))
    columns = np.ascontiguousarray(shown.T)
    for place, one in enumerate(columns):
        for other in columns[:place]:
            twice |= (one == other) & (one >= 0)
    return twice
