"""Read a queryset as columns of numbers, with PostgreSQL's binary COPY.

A million rows take a second or two and no Python object each; the ORM takes ten times as long.
"""

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from django.db import connection
from django.db.models import Field, QuerySet

from campaign.database.prepared_query import Parameter

Columns: TypeAlias = dict[str, npt.NDArray[Any]]

_SIGNATURE = b"PGCOPY\n\xff\r\n\0"
#: The signature, 32 bits of flags and the length of an extension, which is 0.
_HEADER_BYTES = len(_SIGNATURE) + 8
#: After the last row, instead of a number of fields.
_END = b"\xff\xff"
_BYTES_AT_A_TIME = 1 << 22
_NOT_OF_ONE_WIDTH = "the rows are not of one width"


def columns_copied(queryset: QuerySet[Any, Any], dtype: npt.DTypeLike) -> Columns:
    """Read a queryset and return its columns.

    Every row must have the same width: no NULL (use `Coalesce`), numbers of the width that `dtype`
    says, and arrays of the same number of elements, without NULL. Narrow the queryset to such rows
    first. Rows come in any order unless the queryset has one.

    Parameters
    ----------
    queryset : QuerySet
        Its fields and annotations named in `dtype` are read.
    dtype : structured data type
        A field for each column: ``i2``, ``i4``, ``i8`` or ``f8`` as PostgreSQL's smallint, integer,
        bigint and double precision, ``?`` as boolean; with a shape ``(k,)`` for arrays of k elements.

    Returns
    -------
    dict
        A contiguous array for each name of `dtype`, as long as the queryset.

    Raises
    ------
    ValueError
        If a value is NULL or of another width. The message names the column.
    """
    return ColumnsQuery(lambda: queryset, {}, dtype).read()


class ColumnsQuery:
    """A queryset that Django compiles once a process, read as columns as often as one likes.

    For few rows Django takes longer to compile a queryset than PostgreSQL to answer.

    Parameters
    ----------
    queryset : callable
        Takes a value for each of `fields`, by name, and returns a queryset. It is called once, with
        an expression for each value, so it must not branch on values.
    fields : mapping of str to Field
        Model fields that could hold the values.
    dtype : structured data type
        As of `columns_copied`.
    """

    def __init__(
        self,
        queryset: Callable[..., QuerySet[Any, Any]],
        fields: "Mapping[str, Field[Any, Any]]",
        dtype: npt.DTypeLike,
    ) -> None:
        self.queryset = queryset
        self.fields = fields
        self.dtype: np.dtype[Any] = np.dtype(dtype)

    def read(self, **values: Any) -> Columns:
        """Return the columns of the queryset with these values, as `columns_copied` does.

        Values that are none of `fields` are left out.
        """
        sql, parameters = self._compiled
        given = [values[each.name] if isinstance(each, _Name) else each for each in parameters]
        parts = _Parts(self.dtype)
        with connection.cursor() as cursor, io.BufferedWriter(parts, _BYTES_AT_A_TIME) as sink:
            query = cursor.mogrify(sql, given).decode()
            cursor.copy_expert(f"COPY ({query}) TO STDOUT (FORMAT binary)", sink)
        return parts.joined()

    @cached_property
    def _compiled(self) -> tuple[str, tuple[Any, ...]]:
        later = {name: Parameter("%s", field, _Name(name)) for name, field in self.fields.items()}
        rows = self.queryset(**later).values_list(*(self.dtype.names or ()))
        sql, parameters = rows.query.sql_with_params()
        return str(sql), tuple(parameters)


@dataclass(frozen=True)
class _Name:
    """Stands among the parameters of a query for the value of this name."""

    name: str


class _Parts(io.RawIOBase):
    """Takes the bytes of a binary COPY and keeps its columns, some thousand rows at a time."""

    def __init__(self, wanted: np.dtype[Any]) -> None:
        self._wanted = wanted
        self._row = np.dtype(
            [("fields", ">i2"), *((name, _field(wanted[name])) for name in wanted.names or ())]
        )
        self._rest = b""
        self._is_begun = False
        self._problem: str | None = None
        self._parts: list[Columns] = [self._columns(np.empty(0, dtype=self._row))]

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        # Refused in the end: an exception in here would leave the connection amid the COPY.
        if self._problem is None:
            self._take(self._rest + bytes(data))
        return len(data)

    def _take(self, taken: bytes) -> None:
        if not self._is_begun and len(taken) >= _HEADER_BYTES:
            if not taken.startswith(_SIGNATURE):
                self._problem = "PostgreSQL sent no binary COPY"
            taken, self._is_begun = taken[_HEADER_BYTES:], True
        count = len(taken) // self._row.itemsize if self._is_begun else 0
        rows = np.frombuffer(taken, dtype=self._row, count=count)
        self._problem = self._problem or self._wrong(rows)
        self._parts.append(self._columns(rows))
        self._rest = taken[count * self._row.itemsize :]

    def joined(self) -> Columns:
        """Return all columns; call it once, after the last byte."""
        if self._problem is None and self._rest != _END:
            # The last row is shorter than the requested width.
            short = np.frombuffer(self._rest.ljust(self._row.itemsize), dtype=self._row)
            self._problem = self._wrong(short) or _NOT_OF_ONE_WIDTH
        if self._problem is not None:
            raise ValueError(self._problem)
        found: Columns = {}
        for name in self._wanted.names or ():
            found[name] = np.concatenate([part.pop(name) for part in self._parts])
        return found

    def _columns(self, rows: npt.NDArray[Any]) -> Columns:
        return {
            name: _values(rows[name]).astype(self._wanted[name].base)
            for name in self._wanted.names or ()
        }

    def _wrong(self, rows: npt.NDArray[Any]) -> str | None:
        """Return the problem with rows, if there is one."""
        names = self._wanted.names or ()
        # Behind a row of another width nothing is in its place, so the first row is looked at alone.
        for some in (rows[:1], rows):
            for name in names:
                problem = _problem(some[name], self._wanted[name])
                if problem:
                    return f"{name}: {problem}"
        return _NOT_OF_ONE_WIDTH if (rows["fields"] != len(names)).any() else None


def _field(wanted: np.dtype[Any]) -> np.dtype[Any]:
    """Return the layout of a value in a row: its length in bytes, and the value."""
    value = wanted.base.newbyteorder(">")
    if not wanted.shape:
        return np.dtype([("length", ">i4"), ("value", value)])
    # An array: one dimension, whether an element is NULL, their type; how many from which index.
    head = [(name, ">i4") for name in ("length", "dimensions", "nulls", "type", "count", "first")]
    element = np.dtype([("length", ">i4"), ("value", value)])
    return np.dtype([*head, ("elements", element, wanted.shape)])


def _values(field: npt.NDArray[Any]) -> npt.NDArray[Any]:
    is_array = "elements" in (field.dtype.names or ())
    return field["elements"]["value"] if is_array else field["value"]


def _problem(field: npt.NDArray[Any], wanted: np.dtype[Any]) -> str | None:
    """Return the problem with a column, if there is one."""
    length = field.dtype.itemsize - 4
    found = field["length"][field["length"] != length]
    if len(found):
        return "a value is NULL" if found[0] == -1 else f"{found[0]} bytes instead of {length}"
    if not wanted.shape:
        return None
    elements = field["elements"]["length"]
    if (field["count"] != wanted.shape[0]).any() or (elements != wanted.base.itemsize).any():
        return f"not an array of {wanted.shape[0]} elements of {wanted.base.itemsize} bytes"
    return None
