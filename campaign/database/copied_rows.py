"""Read a queryset as columns of Arrow, texts among them, with PostgreSQL's COPY.

A row costs no Python object. `campaign.database.columns` reads numbers alone, and faster.
"""

import io
from collections.abc import Iterator, Mapping
from datetime import datetime
from tempfile import SpooledTemporaryFile
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from django.db import connection
from django.db.models import QuerySet
from pyarrow import csv

#: Bytes that are made columns at a time: some thousands of rows.
_BYTES_AT_ONCE: Final = 1 << 20
#: More bytes wait on the disk.
_MOST_IN_MEMORY: Final = 1 << 22
_TYPES: Final[Mapping[type, Any]] = {
    str: pa.string(),
    object: pa.string(),
    datetime: pa.timestamp("us"),
    int: pa.int64(),
    bool: pa.bool_(),
}


#: A time as a text of one length, and its parts.
_TIME: Final = np.dtype(
    [
        ("date", "S10"),
        ("T", "S1"),
        ("minute", "S6"),
        ("second", "S3"),
        ("thousandth", "S3"),
        ("millionth", "S4"),
    ]
)
_MINUTES: Final = np.array(
    [f"{hour:02}:{minute:02}:" for hour in range(24) for minute in range(60)], dtype="S"
)
_SECONDS: Final = np.array([f"{second:02}." for second in range(60)], dtype="S")
_THOUSANDTHS: Final = np.array([f"{each:03}" for each in range(1000)], dtype="S")
_MILLIONTHS: Final = np.array([f"{each:03}Z" for each in range(1000)], dtype="S")


def rows_copied(rows: QuerySet[Any, Any], columns: Mapping[str, type]) -> Iterator[Any]:
    """Yield the rows of a queryset, some thousands at a time, as record batches of Arrow.

    All are of one statement. They wait in a temporary file, so that the database is free before the first are there: nothing
    is held open for those who read slowly.

    Parameters
    ----------
    rows : QuerySet
        Of `values_list`.
    columns : mapping of str to type
        What each value is called, and what it is: a text, JSON as text (`object`), a whole number, true or false, or a time
        in UTC without its zone, which becomes a text in ISO 8601.
    """
    sql, parameters = rows.query.sql_with_params()
    with SpooledTemporaryFile(max_size=_MOST_IN_MEMORY) as spool:
        parts = _Parts(spool)
        with connection.cursor() as cursor, io.BufferedWriter(parts, _BYTES_AT_ONCE) as sink:
            query = cursor.mogrify(str(sql), parameters).decode()
            cursor.copy_expert(f"COPY ({query}) TO STDOUT (FORMAT csv)", sink)
        spool.seek(0)
        for size in parts.sizes:
            yield _columns(spool.read(size), columns)


class _Parts(io.RawIOBase):
    """Takes the rows of a COPY, and knows the sizes of the parts they came in.

    They come through a buffer, which calls nothing in Python for each row. It passes on the rows it holds when the next one
    has no room beside them, and a row that is longer than the buffer by itself: so parts hold whole rows.
    """

    def __init__(self, file: SpooledTemporaryFile[bytes]) -> None:
        self._file = file
        self.sizes: list[int] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.sizes.append(self._file.write(data))
        return self.sizes[-1]


def _columns(content: bytes, columns: Mapping[str, type]) -> Any:
    table = csv.read_csv(
        pa.py_buffer(content),
        read_options=csv.ReadOptions(
            column_names=list(columns), use_threads=False, block_size=len(content) + 1
        ),
        parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        # NULL is an empty cell, and an empty text one in quotes.
        convert_options=csv.ConvertOptions(
            column_types={name: _TYPES[kind] for name, kind in columns.items()},
            null_values=[""],
            true_values=["t"],
            false_values=["f"],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    found = [
        _as_text(column) if kind is datetime else column
        for kind, column in zip(
            columns.values(), table.combine_chunks().to_batches()[0].columns, strict=True
        )
    ]
    return pa.RecordBatch.from_arrays(found, names=list(columns))


def _as_text(times: Any) -> Any:
    """Return times as `datetime.isoformat` writes them, with Z."""
    count = len(times)
    if times.null_count == count:
        return pa.nulls(count, pa.string())
    since_1970 = times.cast(pa.int64())
    second, microsecond = _parted(
        pc.fill_null(since_1970, pc.min(since_1970)).to_numpy(), 1_000_000
    )
    minute, second = _parted(second, 60)
    day, minute = _parted(minute, 24 * 60)
    thousandth, millionth = _parted(microsecond, 1000)
    days = np.arange(day.min(), day.max() + 1)
    dates = np.datetime_as_string(days.astype("datetime64[D]")).astype("S")
    letters = np.empty(count, dtype=_TIME)
    letters["date"] = dates.take(day - days[0])
    letters["T"] = b"T"
    letters["minute"] = _MINUTES.take(minute)
    letters["second"] = _SECONDS.take(second)
    letters["thousandth"] = _THOUSANDTHS.take(thousandth)
    letters["millionth"] = _MILLIONTHS.take(millionth)
    ends = np.arange(count + 1, dtype=np.int32) * _TIME.itemsize
    texts = pa.StringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(letters))
    if not microsecond.all():
        texts = pc.replace_substring(texts, ".000000", "")
    return pc.if_else(times.is_valid(), texts, None) if times.null_count else texts


def _parted(numbers: npt.NDArray[np.int64], size: int) -> tuple[npt.NDArray[np.int64], ...]:
    """Return how often the size is in each number, and the rest; `divmod` takes several times as long."""
    times = numbers // size
    return times, numbers - times * size
