"""Judgments in Parquet, with the columns of the five-way CSV: opened, checked and read without an object a row."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from campaign.formats import FormatError, InputFile, Place
from campaign.formats.records import CONTROL
from campaign.formats.streams import byte_chunks
from campaign.formats.tables import MAX_INTEGER, UNKNOWN_COLUMN, is_index, require_column
from optional_packages import has_extra, how_to_install
from ranking.core.judged.coded_blocks import systems_table
from ranking.files.labels import LARGEST_LABEL, Refuse, filled, judge_of, systems_of
from ranking.files.records import MAX_CANDIDATES, NO_JUDGE, JudgedBlock
from ranking.files.vocabulary import Columns, Vocabulary

if TYPE_CHECKING:
    import pyarrow as pa

#: First bytes of every Parquet file.
MAGIC = b"PAR1"
#: Rows decoded at a time.
_ROWS_AT_A_TIME = 1 << 16
_TEXTS = ("srclang", "trglang", "judgeId", "documentId")
_NUMBERS = ("srcIndex", "duration_ms")
_REQUIRED = ("srclang", "trglang", "srcIndex")
_SLOT = re.compile(r"system([1-9][0-9]{0,3})(id|rank|number)")
#: Columns of the CSV that say nothing about a ranking.
_NOT_READ = ("segmentid",)


@dataclass(frozen=True)
class Column:
    """A column: the name that docs/formats-judgments.md gives it, and the name and place it has in the file."""

    ours: str
    theirs: str
    place: int


@dataclass(frozen=True)
class Layout:
    """The columns of a file.

    Attributes
    ----------
    fixed : mapping of str to Column
        By our names; those that may be missing may be missing here.
    slots : tuple of pairs of Column
        For each place, its system and its rank.
    """

    fixed: dict[str, Column]
    slots: tuple[tuple[Column, Column], ...]

    @cached_property
    def read(self) -> tuple[Column, ...]:
        """All columns that are read."""
        return (*self.fixed.values(), *(column for slot in self.slots for column in slot))


class JudgmentsFile:
    """An open Parquet file of judgments.

    Attributes
    ----------
    name : str
        What errors call it.
    layout : Layout
    starts : int64, shape (G + 1,)
        The first row of each of G row groups, and the number of all rows.
    """

    def __init__(self, name: str, source: Any) -> None:
        from pyarrow import parquet

        self.name = name
        # Opened twice: which columns are to be read as dictionaries must be said at opening.
        schema = parquet.read_schema(source)
        self.layout = _layout(name, schema)
        texts = [
            column.theirs
            for column in self.layout.read
            if _is_text(schema.field(column.place).type)
        ]
        self._file = parquet.ParquetFile(source, read_dictionary=texts, pre_buffer=False)
        metadata = self._file.metadata
        rows = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
        self.starts: npt.NDArray[np.int64] = np.cumsum([0, *rows], dtype=np.int64)

    @property
    def row_groups(self) -> int:
        return len(self.starts) - 1

    def segments_of(self, group: int) -> tuple[int, int] | None:
        """Return the least and the largest segment of a row group; None if the file does not say."""
        place = self.layout.fixed["srcIndex"].place
        chunk = self._file.metadata.row_group(group).column(place)
        found = chunk.statistics
        if found is None or not found.has_min_max:
            return None
        if not (math.isfinite(found.min) and math.isfinite(found.max)):
            return None
        return int(found.min), int(found.max)

    def batches(self, group: int) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield the rows of a row group, some thousands at a time, with the row they begin at."""
        row = int(self.starts[group])
        batches = self._file.iter_batches(
            batch_size=_ROWS_AT_A_TIME,
            row_groups=[group],
            columns=[column.theirs for column in self.layout.read],
            use_threads=False,
        )
        for batch in batches:
            yield row, batch
            row += batch.num_rows


@contextmanager
def opened(name: str, source: Any) -> Iterator[JudgmentsFile]:
    """Open a file of judgments.

    Parameters
    ----------
    name : str
        What errors call it.
    source : str, path or binary file
        A binary file must be able to seek.

    Raises
    ------
    FormatError
        If the file is no Parquet, damaged, or has other columns; while
        it is open, if it turns out to be damaged.
    """
    with refusing_damage(name):
        yield JudgmentsFile(name, source)


def columns_of_schema(name: str, source: Any) -> list[str]:
    """Return the names of a file's columns. Raises FormatError for a damaged file."""
    with refusing_damage(name):
        from pyarrow import parquet

        names: list[str] = parquet.read_schema(source).names
        return names


@contextmanager
def refusing_damage(name: str) -> Iterator[None]:
    """Raise FormatError for data that pyarrow cannot read."""
    if not has_extra("parquet"):
        raise Place(name).error(
            "the file is Parquet, which needs the pyarrow package", how_to_install("parquet")
        )
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise Place(name).error(
            f"the file is not Parquet or is damaged ({str(error).splitlines()[0]})",
            "write the file again without gzip, or check that the transfer was complete",
        ) from error


def _is_text(kind: pa.DataType) -> bool:
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _layout(name: str, schema: pa.Schema) -> Layout:
    by_name: dict[str, Column] = {}
    slots: set[int] = set()
    for place, field in enumerate(schema):
        key = field.name.strip().lower()
        if is_index(field.name):
            continue
        ours = _our_name(name, field.name)
        if key in by_name:
            raise Place(name, field=field.name).error(
                "the column appears twice in the file", "remove or rename one of the two"
            )
        by_name[key] = Column(ours, field.name, place)
        if found := _SLOT.fullmatch(key):
            slots.add(int(found.group(1)))
    for ours in _REQUIRED:
        _required(name, by_name, ours)
    layout = Layout(
        fixed={
            ours: by_name[ours.lower()] for ours in (*_TEXTS, *_NUMBERS) if ours.lower() in by_name
        },
        slots=tuple(
            (
                _required(name, by_name, f"system{slot}Id"),
                _required(name, by_name, f"system{slot}rank"),
            )
            for slot in range(1, max({2} | slots) + 1)
        ),
    )
    for column in layout.read:
        _refuse_other_type(name, column, schema.field(column.place).type)
    return layout


def _our_name(file: str, theirs: str) -> str:
    key = theirs.strip().lower()
    for ours in (*_TEXTS, *_NUMBERS):
        if key == ours.lower():
            return ours
    if found := _SLOT.fullmatch(key):
        return f"system{found.group(1)}{'Id' if found.group(2) == 'id' else found.group(2)}"
    if key in _NOT_READ:
        return theirs
    raise FormatError(file, "the column is unknown", UNKNOWN_COLUMN, field=theirs)


def _required(file: str, columns: dict[str, Column], ours: str) -> Column:
    require_column(file, None, columns, ours)
    return columns[ours.lower()]


def _refuse_other_type(file: str, column: Column, kind: pa.DataType) -> None:
    from pyarrow import types

    is_number = column.ours in _NUMBERS or column.ours.endswith("rank")
    # pandas keeps a column of whole numbers with gaps as doubles.
    fits = types.is_integer(kind) or types.is_floating(kind) if is_number else _is_text(kind)
    # A column without any value may have the type of nothing.
    if types.is_null(kind) or fits:
        return
    wanted = "whole numbers" if is_number else "text"
    raise Place(file, field=column.theirs).error(
        f"the column has {kind}, not {wanted}",
        f"write it as {'int32' if is_number else 'string'}",
    )


Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

#: Up to this many places are compared with each other; more are sorted.
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
                "the rank has no system",
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
        # A table of all pairs, unless it would be longer than the rows: these columns may hold
        # other texts.
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
                f"use blocks of at most {MAX_CANDIDATES}",
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
            "a system appears twice in the row",
            "name each system once per row",
        )


class _Cells:
    """The cells of a record batch, with their positions in the file."""

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
        """Return the numbers of a column, with `missing` for empty cells."""
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
                "the value is not a whole number",
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
        "the source index is not a whole number of 1 or more",
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


def read_parquet(file: InputFile) -> Iterator[JudgedBlock]:
    """Yield a judgment or skip for every row; `line` is its place in the file, from 1.

    Raises
    ------
    FormatError
        As `read_row_groups` words it.
    """
    vocabulary = Vocabulary()
    # Its footer is read first, so the file must be one that can be read from anywhere.
    with TemporaryFile() as whole:
        for chunk in byte_chunks(file):
            whole.write(chunk)
        whole.seek(0)
        with opened(file.name, whole) as parquet:
            before = 0
            for columns in read_row_groups(parquet, vocabulary):
                yield from _blocks(columns, vocabulary, before)
                before += len(columns)


def _blocks(columns: Columns, vocabulary: Vocabulary, before: int) -> Iterator[JudgedBlock]:
    languages, judges = list(vocabulary.languages), list(vocabulary.judges)
    candidates, documents = list(vocabulary.candidates), list(vocabulary.documents)
    for row in range(len(columns)):
        shown = [
            (one, label)
            for one, label in zip(columns.candidate[row], columns.label[row], strict=True)
            if one >= 0
        ]
        duration, document = int(columns.duration_ms[row]), int(columns.document[row])
        source, target = languages[columns.language[row]]
        yield JudgedBlock(
            line=before + row + 1,
            source_language=source,
            target_language=target,
            segment=int(columns.segment[row]),
            judge=judges[columns.judge[row]],
            candidates=tuple(candidates[one] for one, _label in shown),
            labels=tuple(int(label) or None for _one, label in shown),
            duration_ms=duration if duration >= 0 else None,
            document=documents[document] if document >= 0 else "",
        )
