"""Read a queryset as columns of values, texts among them, with PostgreSQL's COPY: a tenth of the time that models take.

`campaign.database.columns` reads numbers alone, and faster.
"""

import io
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from tempfile import SpooledTemporaryFile
from typing import Any, Final

from django.db import connection
from django.db.models import QuerySet

#: Columns of the same rows by their names, in order; None is NULL.
Rows = dict[str, list[Any]]

#: Bytes that are made columns at a time: some thousands of rows.
_BYTES_AT_ONCE: Final = 1 << 20
#: More bytes wait on the disk.
_MOST_IN_MEMORY: Final = 1 << 22
_NULL: Final = r"\N"
_ESCAPED: Final = re.compile(r"\\(.)")
_LETTERS: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def rows_copied(rows: QuerySet[Any, Any], columns: Mapping[str, type]) -> Iterator[Rows]:
    """Yield the rows of a queryset, some thousands at a time.

    All are of one statement. They wait in a temporary file, so that the database is free before the first are there: nothing
    is held open for those who read slowly.

    Parameters
    ----------
    rows : QuerySet
        Of `values_list`.
    columns : mapping of str to type
        Name and type of each value: text, JSON as text (`object`), integer, boolean, or a time in UTC without its zone, which becomes a text in ISO 8601.
    """
    sql, parameters = rows.query.sql_with_params()
    with SpooledTemporaryFile(max_size=_MOST_IN_MEMORY) as spool:
        parts = _Parts(spool)
        with connection.cursor() as cursor, io.BufferedWriter(parts, _BYTES_AT_ONCE) as sink:
            query = cursor.mogrify(str(sql), parameters).decode()
            cursor.copy_expert(f"COPY ({query}) TO STDOUT", sink)
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


def _columns(content: bytes, columns: Mapping[str, type]) -> Rows:
    rows = [line.split("\t") for line in content.decode().split("\n")[:-1]]
    return {
        name: [None if value == _NULL else _READ[kind](value) for value in values]
        for (name, kind), values in zip(columns.items(), zip(*rows, strict=True), strict=True)
    }


def _text(value: str) -> str:
    if "\\" not in value:
        return value
    return _ESCAPED.sub(lambda found: _LETTERS.get(found[1], found[1]), value)


def _time(value: str) -> str:
    """Return a time as `datetime.isoformat` writes it, with Z."""
    second, dot, fraction = value.partition(".")
    return (
        f"{second.replace(' ', 'T')}{dot}{fraction:0<6}Z" if dot else f"{second.replace(' ', 'T')}Z"
    )


_READ: Final[Mapping[type, Callable[[str], Any]]] = {
    str: _text,
    object: _text,
    datetime: _time,
    int: int,
    bool: "t".__eq__,
}
