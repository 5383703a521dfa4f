"""Streams of archives for zipfile and tarfile, which refuse what these would read slowly, endlessly or into memory."""

import re
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Final

from campaign.formats.errors import FormatError

# Longer than a name of 4,096 bytes with some attributes.
_HEADER_BYTES: Final = 8 * 1024
_HEADERS_OF_A_FILE: Final = 16
_HEADER_BYTES_IN_ALL: Final = 4 * 1024 * 1024
# Extended headers: the block after them is no header, but attributes ("LENGTH NAME=VALUE" in each line) or a long name.
_ATTRIBUTES: Final = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
_LONG_NAMES: Final = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
_TYPE_OF_HEADER: Final = slice(156, 157)
_ATTRIBUTE_LENGTH: Final = re.compile(rb"([1-9][0-9]{0,4}) ")
# tarfile looks for a length from each digit on, which takes quadratic time.
_MANY_DIGITS: Final = re.compile(rb"[0-9]{300}")


class ZipStream:
    """The stream of a zip, whose list of entries has at most `most_bytes`; a longer one raises `refusal`.

    zipfile reads the list at once, however many entries the archive declares. `entries_end` ends the limit: contents
    of files follow, which are read in parts.
    """

    def __init__(
        self,
        stream: IO[bytes],
        most_bytes: int,
        refusal: FormatError,
    ) -> None:
        self._stream = stream
        self._most_bytes = most_bytes
        self._refusal = refusal
        self._reads_entries = True
        self.seek = stream.seek
        self.tell = stream.tell
        self.close = stream.close

    def seekable(self) -> bool:
        return True

    def entries_end(self) -> None:
        """Read without a limit from now on."""
        self._reads_entries = False

    def read(self, size: int = -1, /) -> bytes:
        """Read bytes; raise the refusal if the list of entries is too long."""
        if not self._reads_entries:
            return self._stream.read(size)
        one_too_many = self._most_bytes + 1
        if size < 0 or size > one_too_many:
            size = one_too_many
        content = self._stream.read(size)
        if len(content) > self._most_bytes:
            raise self._refusal
        return content


class TarStream:
    """The stream of a tar, whose headers are limited in number and size, and contain valid attributes.

    tarfile reads the headers of a file recursively. The content of files is read within `content`, without limits.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._reads_content = False
        self._headers_of_file = 0
        self._header_bytes = 0
        # The type of the extended header that was read last, if the block that belongs to it comes next.
        self._extended_by = b""
        self.seek = stream.seek
        self.tell = stream.tell

    @contextmanager
    def content(self) -> Iterator[None]:
        """Read the content of a file; headers of the next one follow."""
        self._reads_content = True
        yield
        self._reads_content = False
        self._headers_of_file = 0

    def read(self, size: int = -1, /) -> bytes:
        """Read content, a header, or the block of an extended header. Raises ReadError for what is refused."""
        if self._reads_content:
            return self._stream.read(size)
        if not 0 <= size <= _HEADER_BYTES:
            raise tarfile.ReadError(f"a header of {size:,} bytes")
        block = self._stream.read(size)
        self._count(len(block))
        if self._extended_by in _ATTRIBUTES:
            _refuse_slow_attributes(block)
        if self._extended_by:
            self._extended_by = b""
        elif block[_TYPE_OF_HEADER] in (*_ATTRIBUTES, *_LONG_NAMES):
            self._extended_by = block[_TYPE_OF_HEADER]
        return block

    def _count(self, size: int) -> None:
        self._headers_of_file += 1
        self._header_bytes += size
        if self._headers_of_file > _HEADERS_OF_A_FILE:
            raise tarfile.ReadError(f"more than {_HEADERS_OF_A_FILE} headers in a row")
        if self._header_bytes > _HEADER_BYTES_IN_ALL:
            raise tarfile.ReadError(
                f"headers of more than {_HEADER_BYTES_IN_ALL:,} bytes",
            )


def _refuse_slow_attributes(block: bytes) -> None:
    """Raise ReadError unless a block has lines "LENGTH NAME=VALUE", each of this length, and then NUL bytes."""
    if _MANY_DIGITS.search(block):
        raise tarfile.ReadError("a header with hundreds of digits")
    start = 0
    while block[start : start + 1] not in {b"", b"\0"}:
        length = _ATTRIBUTE_LENGTH.match(block, start)
        if length is None:
            raise tarfile.ReadError("a damaged header")
        end = start + int(length[1])
        name, equals, _value = block[length.end() : end].partition(b"=")
        if not name or not equals or block[end - 1 : end] != b"\n":
            raise tarfile.ReadError("a damaged header")
        start = end
