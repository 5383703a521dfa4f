"""Large CSV files, fast: read by pyarrow, or refused as not plain.

pyarrow accepts more than the strict readers do, so the bytes are checked before it reads them.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from campaign.formats import FormatError, InputFile
from campaign.formats.streams import byte_chunks

if TYPE_CHECKING:
    import pyarrow as pa

#: Bytes read at a time.
SCANNED_AT_A_TIME = 8 << 20
_BOM = b"\xef\xbb\xbf"
_TAB, _LF, _SPACE, _QUOTE, _COMMA, _DELETE = b'\t\n ",\x7f'
_SEPARATORS = (_COMMA, _LF)


class NotPlainError(Exception):
    """The strict reader must read this file: it may be in order, or an error it can word."""


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column of N texts as numbers.

    Attributes
    ----------
    code : int32, shape (N,)
        Which of `texts` each row holds.
    texts : list of str
        The different texts of the column.
    """

    code: npt.NDArray[np.int32]
    texts: list[str]

    def mapped(self, value: Callable[[str], int], dtype: type = np.int32) -> npt.NDArray[Any]:
        """Return the value of each row's text, shape (N,); `value` is called once a text."""
        found: npt.NDArray[Any] = np.array([value(text) for text in self.texts], dtype)[self.code]
        return found


#: The columns of a file by their names in lower case.
CodedColumns = dict[str, CodedColumn]
#: Raises NotPlainError if the names of the columns, in lower case, are not as they should be.
CheckHeader = Callable[[list[str]], None]


def scan(file: InputFile, check_header: CheckHeader) -> Iterator[CodedColumns]:
    """Yield the rows of a CSV with one line of header, some megabytes at a time.

    Raises
    ------
    NotPlainError
        At the first thing that is not simple: a quote but around a whole cell, a control
        character, bytes that are not UTF-8, a row with more or fewer cells than the header.
    """
    for table in _tables(file, check_header):
        yield _coded(table)


def scan_whole(file: InputFile, check_header: CheckHeader) -> CodedColumns:
    """Return all rows of a CSV at once; as `scan` otherwise."""
    import pyarrow as pa

    tables = list(_tables(file, check_header))
    if not tables:
        raise NotPlainError
    return _coded(pa.concat_tables(tables))


def _tables(file: InputFile, check_header: CheckHeader) -> Iterator[pa.Table]:
    from pyarrow import ArrowInvalid

    header: list[str] | None = None
    try:
        for lines in _lines(file):
            _check_bytes(lines)
            start = 0
            if header is None:
                start = lines.index(b"\n") + 1
                header = _header(lines[:start])
                check_header(header)
            if lines.startswith(_BOM, start):
                raise NotPlainError  # pyarrow would drop what is text here
            if start < len(lines):
                yield _table(lines, start, header)
    except (FormatError, UnicodeDecodeError, csv.Error, ArrowInvalid) as error:
        raise NotPlainError from error


def _lines(file: InputFile) -> Iterator[bytes]:
    """Yield whole lines, some megabytes at a time, each ending in a line feed."""
    pieces: list[bytes] = []
    size, first = 0, True
    for chunk in byte_chunks(file):
        pieces.append(chunk)
        size += len(chunk)
        if size >= SCANNED_AT_A_TIME and (end := chunk.rfind(b"\n") + 1):
            pieces[-1] = chunk[:end]
            yield _plain_ends(pieces, first)
            pieces, first = [chunk[end:]], False
            size = len(pieces[0])
    if size:
        yield _plain_ends([*pieces, b"\n"], first)  # one line feed too many is a blank line


def _plain_ends(pieces: list[bytes], first: bool) -> bytes:
    data = b"".join(pieces)
    if first:
        data = data.removeprefix(_BOM)
    if b"\r" in data:
        # What is left of them is a control character, and refused as such.
        data = data.replace(b"\r\n", b"\n")
    return data


def _check_bytes(lines: bytes) -> None:
    """Refuse what pyarrow accepts or takes for something else than the strict reader does."""
    if not lines.isascii():
        lines.decode()
    data = np.frombuffer(lines, dtype=np.uint8)
    controls = np.count_nonzero(data < _SPACE) - np.count_nonzero(data == _LF)
    if controls and controls != lines.count(b"\t"):
        raise NotPlainError
    if _DELETE in lines or (_QUOTE in lines and not _quotes_enclose_cells(data)):
        raise NotPlainError


def _quotes_enclose_cells(data: npt.NDArray[np.uint8]) -> bool:
    """Return whether quotes stand in pairs around whole cells; `data` ends in a line feed."""
    marks = np.flatnonzero((data == _QUOTE) | (data == _LF))
    quotes = np.flatnonzero(data[marks] == _QUOTE)
    opening, closing = quotes[::2], quotes[1::2]
    if len(opening) != len(closing) or (closing != opening + 1).any():
        return False  # one that is not closed on its line
    # Before the first byte stands data[-1], a line feed.
    before, after = data[marks[opening] - 1], data[marks[closing] + 1]
    return bool(np.isin(before, _SEPARATORS).all() and np.isin(after, _SEPARATORS).all())


def _header(line: bytes) -> list[str]:
    return [cell.strip().lower() for cell in next(csv.reader((line.decode(),), strict=True))]


def _table(lines: bytes, start: int, header: list[str]) -> pa.Table:
    import pyarrow as pa
    import pyarrow.csv

    text = pa.dictionary(pa.int32(), pa.string())
    return pyarrow.csv.read_csv(
        pa.BufferReader(pa.py_buffer(lines).slice(start)),
        read_options=pyarrow.csv.ReadOptions(column_names=header),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(header, text), check_utf8=False
        ),
    )


def _coded(table: pa.Table) -> CodedColumns:
    """Take the columns out of a table, without what would import pandas where that is installed."""
    columns = {}
    for name, column in zip(table.column_names, table.unify_dictionaries().columns, strict=True):
        texts = column.chunk(0).dictionary.to_pylist() if column.num_chunks else []
        if max(map(len, texts), default=0) > csv.field_size_limit():
            raise NotPlainError
        code = [np.from_dlpack(chunk.indices) for chunk in column.chunks]
        columns[name] = CodedColumn(np.concatenate([np.empty(0, np.int32), *code]), texts)
    return columns
