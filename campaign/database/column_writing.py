"""Write columns of numbers into a table, with PostgreSQL's binary COPY: no Python object a row.

Constraints and triggers apply as usual.
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
from django.db import connection, models

_BEGIN: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_END: Final = b"\xff\xff"
_NULL: Final = -1
_SENT_AT_ONCE: Final = 256 * 1024
_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
#: PostgreSQL's number of the type of an element: smallint and bigint.
_ELEMENT_TYPES: Final = {2: 21, 8: 20}

Array: TypeAlias = npt.NDArray[Any]
Mask: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Arrays:
    """A column of arrays of up to k elements each.

    Attributes
    ----------
    values : array of n × k integers
        Of 2 bytes for smallint[], of 8 for bigint[].
    is_there : array of n × k booleans
        Which of them are elements of the row's array; the others are left out.
    is_null : array of n × k booleans, optional
        Which of these are NULL.
    is_row_null : array of n booleans, optional
        Which rows have NULL instead of an array.
    """

    values: Array
    is_there: Mask
    is_null: Mask | None = None
    is_row_null: Mask | None = None


#: A number for each row; UUIDs as ``V16``; arrays; the same number, or the bytes of the same value, in all.
Column: TypeAlias = Array | np.generic | Arrays | bytes

JSON_EMPTY_OBJECT: Final = b"\x01{}"


def timestamp(moment: datetime) -> np.int64:
    """Return a moment as PostgreSQL keeps it, in microseconds."""
    since = moment - _EPOCH
    return np.int64((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds)


def columns_write(model: type[models.Model], count: int, columns: Mapping[str, Column]) -> None:
    """Write `count` rows into a model's table. Call it in a transaction.

    Parameters
    ----------
    model : type of Model
    count : int
    columns : mapping of str to column
        By the column's name in the table. Numbers are as wide as the table has them: ``i2`` for
        smallint, ``i4`` for integer, ``i8`` for bigint and, by `timestamp`, for times. A column of
        text, or of JSON, has the same bytes in all rows.
    """
    if not count:
        return
    quote = connection.ops.quote_name
    names = ", ".join(map(quote, columns))
    rows = io.BytesIO(b"".join([_BEGIN, _rows(count, list(columns.values())), _END]))
    with connection.cursor() as cursor:
        # Names come from our own models, never from a file.
        cursor.copy_expert(
            f"COPY {quote(model._meta.db_table)} ({names}) FROM STDIN (FORMAT binary)",
            rows,
            _SENT_AT_ONCE,
        )


def _rows(count: int, columns: list[Column]) -> bytes:
    """Return the rows: each as wide as the widest, then without the bytes that are not there."""
    names = [f"column {number}" for number in range(len(columns))]
    fields = [(name, _field(column)) for name, column in zip(names, columns, strict=True)]
    rows = np.zeros(count, dtype=[("fields", ">i2"), *fields])
    rows["fields"] = len(columns)
    for name, column in zip(names, columns, strict=True):
        _fill(rows[name], column)
    if not any(isinstance(column, Arrays) and _is_ragged(column) for column in columns):
        return rows.tobytes()
    width = rows.dtype.itemsize
    is_there = np.ones((count, width), dtype=np.bool_)
    end = 2
    for (_name, field), column in zip(fields, columns, strict=True):
        start, end = end, end + field.itemsize
        if isinstance(column, Arrays):
            _leave_out(is_there[:, start:end], column)
    return rows.view(np.uint8).reshape(count, width)[is_there].tobytes()


def _field(column: Column) -> np.dtype[Any]:
    """Return how a value stands in a row: its length in bytes, and the value."""
    if isinstance(column, bytes):
        # numpy knows no field of no bytes.
        return np.dtype([("length", ">i4"), *([("value", f"V{len(column)}")] if column else [])])
    if isinstance(column, Arrays):
        value = column.values.dtype.newbyteorder(">")
        element = np.dtype([("length", ">i4"), ("value", value)])
        # One dimension, whether an element may be NULL, their type, how many, from which index.
        head = np.dtype((">i4", 5))
        shape = column.values.shape[1:]
        return np.dtype([("length", ">i4"), ("head", head), ("elements", element, shape)])
    return np.dtype([("length", ">i4"), ("value", column.dtype.newbyteorder(">"))])


def _fill(field: Array, column: Column) -> None:
    if isinstance(column, bytes):
        field["length"] = len(column)
        if column:
            field["value"] = np.void(column)
    elif isinstance(column, Arrays):
        _fill_arrays(field, column)
    else:
        field["length"] = column.dtype.itemsize
        field["value"] = column


def _fill_arrays(field: Array, column: Arrays) -> None:
    width = column.values.dtype.itemsize
    count = column.is_there.sum(axis=1)
    field["head"] = [1, 0, _ELEMENT_TYPES[width], 0, 1]
    field["head"][:, 3] = count
    elements = field["elements"]
    elements["length"] = width
    elements["value"] = column.values
    bytes_of_values = count * width
    if column.is_null is not None:
        is_null = column.is_null & column.is_there
        elements["length"][is_null] = _NULL
        field["head"][:, 1] = is_null.any(axis=1)
        bytes_of_values -= is_null.sum(axis=1) * width
    field["length"] = field.dtype["head"].itemsize + 4 * count + bytes_of_values
    if column.is_row_null is not None:
        field["length"][column.is_row_null] = _NULL


def _is_ragged(column: Arrays) -> bool:
    has_null = any(mask is not None and mask.any() for mask in (column.is_null, column.is_row_null))
    return has_null or not column.is_there.all()


def _leave_out(is_there: Mask, column: Arrays) -> None:
    """Mark the bytes of a column of arrays that are not there; the first four are its length."""
    after_head = 4 + 20
    # A view: each element is its length, four bytes, and its value.
    elements = is_there[:, after_head:].reshape(*column.values.shape, -1)
    elements[...] = column.is_there[..., np.newaxis]
    if column.is_null is not None:
        elements[..., 4:] &= ~column.is_null[..., np.newaxis]
    if column.is_row_null is not None:
        is_there[column.is_row_null, 4:] = False
