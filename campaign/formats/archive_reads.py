"""Streams of archives for zipfile and tarfile that refuse what these would read slowly, without end or into memory."""

import re
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Final

from campaign.formats.errors import FormatError

# Headers of a tar: a name of 4,096 bytes, and attributes. tarfile needs quadratic time for some of them.
_HEADER_BYTES: Final = 8 * 1024
_HEADERS_IN_A_ROW: Final = 16
_HEADER_BYTES_IN_ALL: Final = 4 * 1024 * 1024
# tarfile tries every digit of a run as the beginning of a length, and takes a name up to the next "=".
_MANY_DIGITS: Final = re.compile(rb"[0-9]{300}")
_RECORD_LENGTH: Final = re.compile(rb"([1-9][0-9]{0,4}) ")
_KIND: Final = slice(156, 157)
_ATTRIBUTES: Final = (b"x", b"g", b"X")
_LONG_NAMES: Final = (b"L", b"K")


class ZipReads:
    """The stream of a zip, which refuses to read more than `most` bytes at once."""

    def __init__(self, stream: IO[bytes], most: int, refusal: FormatError) -> None:
        self._stream = stream
        self._most = most
        self._refusal = refusal
        self.seek = stream.seek
        self.tell = stream.tell
        self.close = stream.close

    def seekable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        content = self._stream.read(self._most + 1 if size < 0 else min(size, self._most + 1))
        if len(content) > self._most:
            raise self._refusal
        return content


class TarReads:
    """The stream of a tar, which refuses headers that tarfile would read slowly or without end.

    tarfile reads one header after the other, recursively, until it has that of a file. Content, which is read within
    `of_content`, is not limited.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._in_a_row = 0
        self._bytes = 0
        self._kind = b""
        self._is_content = False
        self.seek = stream.seek
        self.tell = stream.tell

    @contextmanager
    def of_content(self) -> Iterator[None]:
        self._is_content = True
        yield
        self._is_content = False
        self._in_a_row = 0

    def read(self, size: int = -1, /) -> bytes:
        if self._is_content:
            return self._stream.read(size)
        if not 0 <= size <= _HEADER_BYTES:
            raise tarfile.ReadError(f"a header of {size:,} bytes")
        header = self._stream.read(size)
        self._count(len(header))
        if self._kind in _ATTRIBUTES:
            _refuse_slow_attributes(header)
        # After these kinds, the next block is not a header but what it announces.
        is_announced = self._kind in (*_ATTRIBUTES, *_LONG_NAMES)
        self._kind = b"" if is_announced else header[_KIND]
        return header

    def _count(self, size: int) -> None:
        self._in_a_row += 1
        self._bytes += size
        if self._in_a_row > _HEADERS_IN_A_ROW:
            raise tarfile.ReadError(f"more than {_HEADERS_IN_A_ROW} headers in a row")
        if self._bytes > _HEADER_BYTES_IN_ALL:
            raise tarfile.ReadError(f"headers of more than {_HEADER_BYTES_IN_ALL:,} bytes")


def _refuse_slow_attributes(header: bytes) -> None:
    """Raise ReadError unless a header consists of lines "LENGTH NAME=VALUE", followed by NUL bytes."""
    if _MANY_DIGITS.search(header):
        raise tarfile.ReadError("a header with hundreds of digits")
    start = 0
    while header[start : start + 1] not in {b"", b"\0"}:
        match = _RECORD_LENGTH.match(header, start)
        if match is None:
            raise tarfile.ReadError("a damaged header")
        end = start + int(match[1])
        name, equals, _value = header[match.end() : end].partition(b"=")
        if not name or not equals or header[end - 1 : end] != b"\n":
            raise tarfile.ReadError("a damaged header")
        start = end
