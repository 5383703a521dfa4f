"""Open Parquet files of judgments, and find the columns of the five-way CSV in them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from campaign.formats import FormatError, Place
from campaign.formats.tables import UNKNOWN_COLUMN, is_index, require_column
from optional_packages import has_extra, how_to_install

if TYPE_CHECKING:
    import pyarrow as pa

#: How every Parquet file begins.
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
    """A column: the name that docs/formats.md gives it, and the name and place it has in the file."""

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
    """Raise FormatError for what pyarrow cannot read."""
    if not has_extra("parquet"):
        raise Place(name).error(
            "the file is Parquet, which needs the package pyarrow", how_to_install("parquet")
        )
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise Place(name).error(
            f"the file is no Parquet, or damaged ({str(error).splitlines()[0]})",
            "write the file again, without gzip around it, or check that it was transferred completely",
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
                "the column stands twice in the file", "remove or rename one of the two"
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
        f"the column holds {kind}, not {wanted}",
        f"write it as {'int32' if is_number else 'string'}",
    )
