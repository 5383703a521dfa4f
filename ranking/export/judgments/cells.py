"""Columns as the texts that stand for their values in JSON and in CSV.

Most texts stand for themselves. Those that do not are found by their bytes, and written one by one.
"""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from campaign.formats.formulas import neutral


def _of_bytes(these: bytes) -> bytes:
    """Return for each byte 1 if it is one of these, else 0: a table of `bytes.translate`, faster than numpy's."""
    return bytes(byte in these for byte in range(256))


_ESCAPED_IN_JSON: Final = _of_bytes(bytes(range(0x20)) + b'"\\')
_QUOTED_IN_CSV: Final = _of_bytes(b',"\r\n')
#: What `neutral` may put an apostrophe before begins with one of these.
_LIKE_A_FORMULA: Final = _of_bytes(b"=+-@\t\r'")

#: What json.dumps calls with `ensure_ascii=False`.
_quoted: Final = json.encoder.encode_basestring


def json_cells(column: Any, kind: type) -> Any:
    """Return a column in JSON; `object` columns hold JSON already."""
    if pa.types.is_dictionary(column.type):
        return _none_as(json_cells(column.dictionary, kind).take(column.indices), "null")
    if kind is object:
        return _none_as(column, "null")
    if pa.types.is_string(column.type):
        quoted = pc.binary_join_element_wise('"', _escaped(column, kind), '"', "")
        return _none_as(quoted, "null")
    return _none_as(column.cast(pa.string()), "null")


def json_quoted_cells(column: Any, kind: type) -> tuple[str, Any]:
    """Return the quotes that all cells of a column stand in, if they do, and what is in them."""
    if kind is object or column.null_count or not pa.types.is_string(column.type):
        return "", json_cells(column, kind)
    return '"', _escaped(column, kind)


def _escaped(texts: Any, kind: type) -> Any:
    """Return texts as they are in JSON, without quotes."""
    if kind is datetime:
        return texts
    rows = _rows_with(texts, _ESCAPED_IN_JSON)
    return _replaced(texts, rows, _each(lambda text: _quoted(text)[1:-1], texts, rows))


def csv_cells(column: Any, kind: type) -> Any:
    """Return a column as cells of a CSV file that no spreadsheet computes."""
    if pa.types.is_dictionary(column.type):
        return _none_as(csv_cells(column.dictionary, kind).take(column.indices), "")
    if pa.types.is_boolean(column.type):
        return _none_as(pc.if_else(column, "True", "False"), "")
    if not pa.types.is_string(column.type):
        return _none_as(column.cast(pa.string()), "")
    if kind is datetime:
        return _none_as(column, "")
    begins = _rows_beginning(column, _LIKE_A_FORMULA)
    texts = _replaced(column, begins, _each(neutral, column, begins))
    rows = _rows_with(texts, _QUOTED_IN_CSV)
    doubled = pc.replace_substring(_taken(texts, rows), '"', '""')
    return _none_as(_replaced(texts, rows, pc.binary_join_element_wise('"', doubled, '"', "")), "")


def _taken(texts: Any, rows: npt.NDArray[np.int64]) -> Any:
    return texts if len(rows) == len(texts) else texts.take(pa.array(rows))


def _replaced(texts: Any, rows: npt.NDArray[np.int64], values: Any) -> Any:
    """Return texts with these values in these rows, which are in order."""
    if not len(rows):
        return texts
    if len(rows) == len(texts):
        return values
    mask = np.zeros(len(texts), dtype=np.bool_)
    mask[rows] = True
    return pc.replace_with_mask(texts, pa.array(mask), values)


def _each(written: Callable[[str], str], texts: Any, rows: npt.NDArray[np.int64]) -> Any:
    found = _taken(texts, rows).to_pylist() if len(rows) else []
    return pa.array([written(text) for text in found], type=pa.string())


def _none_as(cells: Any, text: str) -> Any:
    return pc.fill_null(cells, text) if cells.null_count else cells


def _rows_with(texts: Any, which: bytes) -> npt.NDArray[np.int64]:
    """Return the rows of texts with one of these bytes."""
    starts, content = _content(texts)
    rows = np.flatnonzero(starts[:-1] < starts[1:])
    if not len(rows):
        return rows
    found = np.frombuffer(content.tobytes().translate(which), dtype=np.bool_)
    return rows[np.logical_or.reduceat(found, starts[rows])]


def _rows_beginning(texts: Any, which: bytes) -> npt.NDArray[np.int64]:
    """Return the rows of texts that begin with one of these bytes."""
    starts, content = _content(texts)
    rows = np.flatnonzero(starts[:-1] < starts[1:])
    first = np.frombuffer(content, dtype=np.uint8)[starts[rows]]
    return rows[np.frombuffer(which, dtype=np.bool_)[first]]


def _content(texts: Any) -> tuple[npt.NDArray[np.int32], memoryview]:
    """Return where texts start, with the end of the last one, and the bytes of them all."""
    _valid, offsets, data = texts.buffers()
    if offsets is None or data is None:
        return np.zeros(len(texts) + 1, dtype=np.int32), memoryview(b"")
    starts = np.frombuffer(offsets, dtype=np.int32)[texts.offset :][: len(texts) + 1]
    return starts - starts[0], memoryview(data)[starts[0] : starts[-1]]
