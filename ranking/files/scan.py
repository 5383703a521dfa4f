"""Large CSV files, fast: the compiled pass over their bytes, or word that they are not plain."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from campaign.formats import FormatError, InputFile
from campaign.formats.records import CONTROL
from campaign.formats.streams import byte_chunks

#: Bytes scanned at a time: few, so that they are still in the processor's cache when needed again.
SCANNED_AT_A_TIME = 1 << 20
#: The kernels read eight bytes as one number, the first of them the lowest.
IS_POSSIBLE = sys.byteorder == "little"
_BOM = b"\xef\xbb\xbf"
_DELETE = b"\x7f"
_WORD = 8
# The kernels look at two words from the last byte on.
_PADDING = bytes(2 * _WORD)


class NotPlainError(Exception):
    """The strict reader must read this file: it may be in order, or an error it can word."""


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """What the columns of a file hold: kinds of `ranking.files.scan_kernel`, and where they go.

    The systems of the `slots` places are the first names of a row, `texts` names in all.
    """

    kinds: npt.NDArray[np.int64]
    places: npt.NDArray[np.int64]
    slots: int
    texts: int


@dataclass(frozen=True, eq=False)
class Names:
    """Names at `spans` (start, length) of `data`, decoded only when asked for.

    Most are those of the pairwise format's rankings, of which only the number matters.
    """

    data: bytes
    spans: npt.NDArray[np.int64]
    are_ascii: bool

    def __len__(self) -> int:
        return len(self.spans)

    def __getitem__(self, name: int) -> str:
        start, length = self.spans[name].tolist()
        return self.data[start : start + length].decode()


@dataclass(frozen=True, eq=False)
class Scanned:
    """Some rows of a file: names are indices into `names`."""

    names: Names
    index: npt.NDArray[np.int32]
    texts: npt.NDArray[np.int32]
    ranks: npt.NDArray[np.int8]


def scan(
    file: InputFile,
    layout_of: Callable[[list[str]], ColumnLayout],
    *,
    at_a_time: int | None = SCANNED_AT_A_TIME,
) -> Iterator[Scanned]:
    """Yield the rows of a CSV with one line of header, many at a time.

    Parameters
    ----------
    file : InputFile
    layout_of : callable
        Makes the layout from the cells of the header; raises NotPlainError if it cannot.
    at_a_time : int or None
        Bytes; None reads the file in one go.

    Raises
    ------
    NotPlainError
        At the first thing that is not as simple as the compiled pass wants it.
    """
    layout: ColumnLayout | None = None
    try:
        for lines in _lines(file, at_a_time):
            start = 0
            if layout is None:
                start = lines.index(b"\n") + 1
                layout = layout_of(_header(lines[: start - 1]))
            yield _scanned(lines, start, layout)
    except (FormatError, UnicodeDecodeError) as error:
        raise NotPlainError from error


def _lines(file: InputFile, at_a_time: int | None) -> Iterator[bytes]:
    """Yield whole lines, some megabytes at a time, each ending in a line feed, then `_PADDING`."""
    pieces: list[bytes] = []
    size, first = 0, True
    for chunk in byte_chunks(file):
        pieces.append(chunk)
        size += len(chunk)
        if at_a_time is not None and size >= at_a_time and (end := chunk.rfind(b"\n") + 1):
            pieces[-1] = chunk[:end]
            yield _plain_ends(pieces, first)
            pieces, first = [chunk[end:]], False
            size = len(pieces[0])
    if size:
        yield _plain_ends([*pieces, b"\n"], first)  # one line feed too many is a blank line


def _plain_ends(pieces: list[bytes], first: bool) -> bytes:
    data = b"".join([*pieces, _PADDING])
    if first:
        data = data.removeprefix(_BOM)
    if b"\r" in data:
        # What is left of them is a control character, and refused as such.
        data = data.replace(b"\r\n", b"\n")
    return data


def _header(head: bytes) -> list[str]:
    text = head.decode()
    if not text.strip() or CONTROL.search(text):
        raise NotPlainError
    try:
        cells = next(csv.reader((text,), strict=True))
    except csv.Error as error:
        raise NotPlainError from error
    return [cell.strip().lower() for cell in cells]


def _scanned(data: bytes, start: int, layout: ColumnLayout) -> Scanned:
    """Scan lines, with `_PADDING` after them, from `start` on."""
    from ranking.files.scan_kernel import scan_rows

    if _DELETE in data:
        raise NotPlainError
    is_ascii = data.isascii()
    if not is_ascii:
        data.decode()
    most = data.count(b"\n")
    content = np.frombuffer(data, dtype=np.uint8)[: -len(_PADDING)]
    words = np.ndarray((len(data) - _WORD,), dtype=np.uint64, buffer=data, strides=(1,))
    index = np.empty(most, dtype=np.int32)
    texts = np.empty((most, layout.texts), dtype=np.int32)
    ranks = np.empty((most, layout.slots), dtype=np.int8)
    rows, spans = scan_rows(content, words, start, layout.kinds, layout.places, index, texts, ranks)
    if rows < 0:
        raise NotPlainError
    return Scanned(Names(data, spans, is_ascii), index[:rows], texts[:rows], ranks[:rows])
