"""Read judgments in Parquet, with the columns of the five-way CSV, column by column."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from itertools import chain
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from campaign.formats import InputFile, Location
from campaign.formats.cells import (
    LARGEST_LABEL,
    Refuse,
    filled,
    judge_of,
    refuse_at,
    systems_of,
)
from campaign.formats.five_way import BEST_WORST
from campaign.formats.records import CONTROL, JudgedBlock
from campaign.formats.streams import byte_chunks
from campaign.formats.tables import (
    MAX_INTEGER,
    UNKNOWN_COLUMN,
    is_index,
    require_column,
)
from optional_packages import has_extra, how_to_install
from ranking.core.judged.blocks import systems_table
from ranking.files.records import MAX_CANDIDATES, NO_JUDGE
from ranking.files.vocabulary import Columns, Vocabulary

if TYPE_CHECKING:
    import pyarrow as pa

#: First bytes of every Parquet file.
MAGIC: Final = b"PAR1"
#: Rows decoded at a time.
_ROWS_AT_A_TIME: Final = 1 << 16
_REQUIRED: Final = ("srclang", "trglang", "srcIndex")
_FIXED: Final = (*_REQUIRED, "judgeId", "documentId", "duration_ms", BEST_WORST)
_SLOT: Final = re.compile(r"system([1-9][0-9]{0,3})(id|rank|number)")
#: Columns of the CSV that do not affect rankings.
_NOT_READ: Final = ("segmentid",)

#: Convert a value of a column to a number; the other arguments are the column's name and a function that raises an error at its row.
Take = Callable[[Any, str, Refuse], int]


class JudgmentsFile:
    """An open Parquet file of judgments.

    Attributes
    ----------
    name : str
        Name in error messages.
    columns : dict of str to str
        Names of columns in the file, keyed by the names in docs/formats-judgments.md in lower case.
    slots : tuple of pairs of str
        For each candidate position, the columns of the system and its rank.
    starts : int64, shape (G + 1,)
        The first row of each of G row groups, and the number of all rows.
    """

    def __init__(self, name: str, source: Any) -> None:
        from pyarrow import parquet

        self.name = name
        self._file = parquet.ParquetFile(source, pre_buffer=False)
        self._names: list[str] = self._file.schema_arrow.names
        self.columns = _columns(name, self._names)
        self.slots = self._slots()
        for column in _REQUIRED:
            self._required_column(column)
        starts = [0]
        for group in range(self._file.num_row_groups):
            rows = self._file.metadata.row_group(group).num_rows
            starts.append(starts[-1] + rows)
        self.starts: npt.NDArray[np.int64] = np.array(starts, dtype=np.int64)

    def _slots(self) -> tuple[tuple[str, str], ...]:
        """Return the columns of the systems and ranks, at least two."""
        last = 2
        for match in map(_SLOT.fullmatch, self.columns):
            if match:
                last = max(last, int(match[1]))
        slots = []
        for slot in range(1, last + 1):
            system = self._required_column(f"system{slot}Id")
            slots.append((system, self._required_column(f"system{slot}rank")))
        return tuple(slots)

    def _required_column(self, column: str) -> str:
        require_column(self.name, None, self.columns, column)
        return self.columns[column.lower()]

    @property
    def row_groups(self) -> int:
        return len(self.starts) - 1

    def segments_of(self, group: int) -> tuple[int, int] | None:
        """Return the smallest and the largest segment of a row group; None if the file does not record them."""
        column = self._names.index(self.columns["srcindex"])
        statistics = self._file.metadata.row_group(group).column(column).statistics
        if statistics is None or not statistics.has_min_max:
            return None
        if not math.isfinite(statistics.min) or not math.isfinite(statistics.max):
            return None
        return int(statistics.min), int(statistics.max)

    def batches(
        self,
        groups: Sequence[int] | None,
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield the rows of row groups, tens of thousands at a time, each batch with its first row number."""
        columns = []
        for column in map(str.lower, _FIXED):
            if column in self.columns:
                columns.append(self.columns[column])
        columns += chain.from_iterable(self.slots)
        if groups is None:
            groups = range(self.row_groups)
        for group in groups:
            row = int(self.starts[group])
            for batch in self._file.iter_batches(
                batch_size=_ROWS_AT_A_TIME,
                row_groups=[group],
                columns=columns,
                use_threads=False,
            ):
                yield row, batch
                row += batch.num_rows


@contextmanager
def opened(name: str, source: Any) -> Iterator[JudgmentsFile]:
    """Open a file of judgments.

    Parameters
    ----------
    name : str
        Name in error messages.
    source : str, path or binary file
        A binary file must be seekable.

    Raises
    ------
    FormatError
        If the file is not Parquet, is damaged, or has other columns. Damage may also be found later, while
        reading.
    """
    with refusing_damage(name):
        yield JudgmentsFile(name, source)


@contextmanager
def refusing_damage(name: str) -> Iterator[None]:
    """Raise FormatError for data that pyarrow cannot read."""
    if not has_extra("parquet"):
        raise Location(name).error(
            "the file is Parquet, which needs the pyarrow package",
            how_to_install("parquet"),
        )
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise Location(name).error(
            f"the file is not Parquet or is damaged ({str(error).splitlines()[0]})",
            "write the file again without gzip, or check that the transfer was complete",
        ) from error


def _columns(file: str, names: Sequence[str]) -> dict[str, str]:
    """Return the file's columns by our names in lower case. Raises FormatError for unknown columns."""
    known_keys = {*map(str.lower, _FIXED), *_NOT_READ}
    columns: dict[str, str] = {}
    for name in names:
        key = name.strip().lower()
        location = Location(file, field=name)
        if is_index(name):
            continue
        if key not in known_keys and not _SLOT.fullmatch(key):
            raise location.error("the column is unknown", UNKNOWN_COLUMN)
        if key in columns:
            raise location.error(
                "the column appears twice in the file",
                "remove or rename one of the two",
            )
        columns[key] = name
    return columns


def read_row_groups(
    file: JudgmentsFile,
    vocabulary: Vocabulary,
    groups: Sequence[int] | None = None,
) -> Iterator[Columns]:
    """Yield the judgments and skips of a file, tens of thousands at a time.

    Parameters
    ----------
    file : JudgmentsFile
    vocabulary : Vocabulary
        Receives new names.
    groups : sequence of int, optional
        Row groups to read; all if not given.

    Raises
    ------
    FormatError
        With the row in the file, counted from 1, as line, and the column as field.
    """
    for first, batch in file.batches(groups):
        if batch.num_rows:
            yield _batch_columns(_Batch(file, first, batch), vocabulary)


class _Batch:
    """Some rows of a file, with their positions in it."""

    def __init__(self, file: JudgmentsFile, first: int, rows: pa.RecordBatch) -> None:
        self.file = file
        self._first = first
        self._rows = rows

    def __len__(self) -> int:
        return int(self._rows.num_rows)

    def numbers(self, column: str, take: Take) -> npt.NDArray[np.int64]:
        """Return a number for each value of a column; `take` is called once for each different value."""
        import pyarrow as pa

        values = self._rows.column(column)
        if not isinstance(values, pa.DictionaryArray):
            values = values.dictionary_encode()
        # Places may have no sign, so that they have no room for -1.
        indices = values.indices.cast(pa.int64())
        codes = indices.fill_null(-1).to_numpy(zero_copy_only=False)
        names: list[Any] = []
        for value in values.dictionary.to_pylist():
            # pandas writes NaN for a missing value.
            if value != value:
                names.append(None)
            else:
                names.append(value)
        # The last entry is for -1.
        names.append(None)
        numbers_by_code = np.zeros(len(names), dtype=np.int64)
        _codes, first_rows = np.unique(codes, return_index=True)
        for row in np.sort(first_rows).tolist():
            code = codes[row]
            numbers_by_code[code] = take(names[code], column, self._refusing(row))
        numbers: npt.NDArray[np.int64] = numbers_by_code[codes]
        return numbers

    def fixed(self, column: str, take: Take, missing: int) -> npt.NDArray[np.int64]:
        """Return the numbers of a column by our name; `missing` for all rows if the file does not have it."""
        theirs = self.file.columns.get(column.lower())
        if theirs is None:
            return np.full(len(self), missing)
        return self.numbers(theirs, take)

    def refuse_where(
        self,
        wrong: npt.NDArray[np.bool_],
        column: str,
        problem: str,
        remedy: str,
    ) -> None:
        """Raise an error at the first wrong row, if there is one."""
        if wrong.any():
            self._refusing(int(np.argmax(wrong)))(column, problem, remedy)

    def _refusing(self, row: int) -> Refuse:
        return refuse_at(self.file.name, self._first + row + 1)


def _batch_columns(batch: _Batch, vocabulary: Vocabulary) -> Columns:
    slots = batch.file.slots

    def candidate(value: Any, field: str, refuse: Refuse) -> int:
        text = _text(value, field, refuse)
        if not text.strip():
            return -1
        return vocabulary.candidate(systems_of(text, field, set(), refuse))

    def judge(value: Any, field: str, refuse: Refuse) -> int:
        return vocabulary.judge(judge_of(_plain(value, field, refuse), field, refuse))

    def document(value: Any, field: str, refuse: Refuse) -> int:
        return vocabulary.document(_plain(value, field, refuse))

    systems = [batch.numbers(system, candidate) for system, _rank in slots]
    ranks = [batch.numbers(rank, _label) for _system, rank in slots]
    candidate_numbers = np.array(systems, dtype=np.int32)
    label = np.array(ranks, dtype=np.int8)
    for (system, rank), candidates, labels in zip(
        slots,
        candidate_numbers,
        label,
        strict=True,
    ):
        batch.refuse_where(
            (candidates < 0) & (labels > 0),
            rank,
            "the rank has no system",
            f"name the system in {system}, or leave the rank empty",
        )
    _refuse_rows(batch, candidate_numbers.T, vocabulary)
    best_worst = batch.fixed(BEST_WORST, _best_worst, 0)
    vocabulary.best_worst.update((best_worst > 0).tolist())
    no_judge = -1
    if "judgeid" not in batch.file.columns:
        no_judge = vocabulary.judge(NO_JUDGE)
    return Columns(
        language=np.array(_languages(batch, vocabulary), dtype=np.int32),
        judge=batch.fixed("judgeId", judge, no_judge).astype(np.int32),
        segment=batch.fixed("srcIndex", _segment, 0).astype(np.int32),
        candidate=np.ascontiguousarray(candidate_numbers.T),
        label=np.ascontiguousarray(label.T),
        duration_ms=batch.fixed("duration_ms", _duration, -1),
        document=batch.fixed("documentId", document, -1).astype(np.int32),
    )


def _best_worst(value: Any, field: str, refuse: Refuse) -> int:
    if value not in {None, 0, 1}:
        refuse(
            field,
            f"{value!r} is neither 0 nor 1",
            "write 1 for best-worst scaling, else 0",
        )
    return int(value or 0)


def _languages(batch: _Batch, vocabulary: Vocabulary) -> list[int]:
    names: dict[str, int] = {}

    def number(value: Any, field: str, refuse: Refuse) -> int:
        if value is None:
            refuse(field, "the cell is empty", "fill it in")
        text = _plain(value, field, refuse)
        if text:  # votes name no language
            filled(text, field, refuse)
        return names.setdefault(text, len(names))

    sources = batch.fixed("srclang", number, -1).tolist()
    targets = batch.fixed("trglang", number, -1).tolist()
    by_number = list(names)
    languages = []
    for source, target in zip(sources, targets, strict=True):
        pair = (by_number[source], by_number[target])
        languages.append(vocabulary.language(pair))
    return languages


def _refuse_rows(
    batch: _Batch,
    candidate_numbers: npt.NDArray[np.int32],
    vocabulary: Vocabulary,
) -> None:
    """Refuse rows with too many candidates, and rows that name a system twice, alone or with others."""
    column = batch.file.slots[0][0]
    batch.refuse_where(
        np.count_nonzero(candidate_numbers >= 0, axis=1) > MAX_CANDIDATES,
        column,
        f"the row shows more than {MAX_CANDIDATES} candidates",
        f"use blocks of at most {MAX_CANDIDATES}",
    )
    candidates = list(vocabulary.candidates)
    names = sorted(set(chain.from_iterable(candidates)))
    table = systems_table(candidates, names)
    # The last row is for -1.
    systems = np.pad(table, ((0, 1), (0, 0)), constant_values=-1)[candidate_numbers]
    in_order = np.sort(systems.reshape(len(candidate_numbers), -1), axis=1)
    is_repeated = np.diff(in_order, axis=1) == 0
    is_system = in_order[:, 1:] >= 0
    batch.refuse_where(
        (is_repeated & is_system).any(axis=1),
        column,
        "a system appears twice in the row",
        "name each system once per row",
    )


def _text(value: Any, field: str, refuse: Refuse) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        refuse(field, "the value is not text", "write the column as text")
    return value


def _plain(value: Any, field: str, refuse: Refuse) -> str:
    text = _text(value, field, refuse)
    if CONTROL.search(text):
        refuse(field, "the text contains a control character", "remove it")
    return text


def _whole(value: Any, field: str, refuse: Refuse) -> int | None:
    """Return a whole number, which may be a double (pandas, in columns with gaps) or a decimal (DuckDB, Spark)."""
    if value is None:
        return None
    is_number = isinstance(value, int | float | Decimal)
    is_number = is_number and not isinstance(value, bool)
    if not is_number or abs(value) > 2**64 or value != int(value):
        refuse(field, "the value is not a whole number", "write whole numbers")
    return int(value)


def _label(value: Any, field: str, refuse: Refuse) -> int:
    label = _whole(value, field, refuse)
    if label not in {None, -1, *range(1, LARGEST_LABEL + 1)}:
        refuse(
            field,
            "the rank is not 1, 2, 3, 4, 5 or -1",
            "use a rank from 1 (best) to 5, or leave the cell empty if the judge gave none",
        )
    return max(label or 0, 0)


def _segment(value: Any, field: str, refuse: Refuse) -> int:
    segment = _whole(value, field, refuse)
    if segment is None or not 1 <= segment <= MAX_INTEGER:
        refuse(
            field,
            "the source index is not a whole number of 1 or more",
            "count the segments of the test set from 1",
        )
    return segment


def _duration(value: Any, field: str, refuse: Refuse) -> int:
    duration = _whole(value, field, refuse)
    if duration is not None and not 0 <= duration <= MAX_INTEGER:
        refuse(
            field,
            "the duration is out of range",
            "use milliseconds from 0, or leave the cell empty",
        )
    if duration is None:
        return -1
    return duration


def read_parquet(file: InputFile) -> Iterator[JudgedBlock]:
    """Yield a judgment or skip for every row; `line` is its row in the file, from 1.

    Raises
    ------
    FormatError
        As from `read_row_groups`.
    """
    vocabulary = Vocabulary()
    # The footer is read first, so the file must be seekable.
    with TemporaryFile() as whole:
        for chunk in byte_chunks(file):
            whole.write(chunk)
        whole.seek(0)
        with opened(file.name, whole) as parquet:
            before = 0
            for columns in read_row_groups(parquet, vocabulary):
                yield from _blocks(columns, vocabulary, before)
                before += len(columns)


def _blocks(
    columns: Columns,
    vocabulary: Vocabulary,
    before: int,
) -> Iterator[JudgedBlock]:
    languages = list(vocabulary.languages)
    judges = list(vocabulary.judges)
    candidates = list(vocabulary.candidates)
    documents = list(vocabulary.documents)
    for row in range(len(columns)):
        is_filled = columns.candidate[row] >= 0
        numbers = columns.candidate[row][is_filled].tolist()
        labels = columns.label[row][is_filled].tolist()
        duration: int | None = int(columns.duration_ms[row])
        if duration == -1:
            duration = None
        document = ""
        if columns.document[row] >= 0:
            document = documents[columns.document[row]]
        source, target = languages[columns.language[row]]
        yield JudgedBlock(
            line=before + row + 1,
            source_language=source,
            target_language=target,
            segment=int(columns.segment[row]),
            judge=judges[columns.judge[row]],
            candidates=tuple(candidates[number] for number in numbers),
            labels=tuple(label or None for label in labels),
            duration_ms=duration,
            document=document,
            best_worst=True in vocabulary.best_worst,
        )
