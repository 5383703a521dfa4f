"""Read files and standard input, hashing and counting their bytes."""

import hashlib
import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from campaign.formats import FormatError, InputFile, Location

STANDARD_INPUT = "-"
STANDARD_INPUT_NAME = "standard input"

#: Called with the number of bytes read so far and the total number of bytes.
ReadingProgress = Callable[[int, int], None]


class HashedStream:
    """A binary stream that counts and hashes (SHA-256) the bytes read from it."""

    def __init__(self, stream: IO[bytes], progress: Callable[[int], None]) -> None:
        self._stream = stream
        self._hash = hashlib.sha256()
        self._progress = progress

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(size)
        self._hash.update(data)
        self._progress(len(data))
        return data

    def sha256(self) -> str:
        """Return the hash of the whole stream, after reading the rest of it."""
        while self.read(1 << 20):
            pass
        return self._hash.hexdigest()


class Sources:
    """Files to read; ``-`` is standard input, which is kept in memory so that its size is known.

    Parameters
    ----------
    names : sequence of str
    progress : callable, optional
        Called with the bytes read so far and the bytes of all files.
    in_memory : mapping of str to bytes, optional
        The content of names that are not files.

    Raises
    ------
    FormatError
        If standard input is named twice; `opened` and `size` raise it if a file cannot be read.
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        progress: ReadingProgress | None = None,
        in_memory: Mapping[str, bytes] | None = None,
    ) -> None:
        self.names = tuple(names)
        if self.names.count(STANDARD_INPUT) > 1:
            raise Location(STANDARD_INPUT_NAME).error(
                "the file is named twice",
                "name it once: it can only be read once",
            )
        self._progress = progress
        self._in_memory = dict(in_memory or {})
        self._read = 0
        self._total = sum(map(self.size, self.names))

    def size(self, name: str) -> int:
        """Return the number of bytes of a file as stored."""
        content = self._content(name)
        if content is not None:
            return len(content)
        try:
            return Path(name).stat().st_size
        except OSError as error:
            raise unreadable(name, error) from error

    def _content(self, name: str) -> bytes | None:
        """Return the bytes of standard input or of a name in memory; None for a file."""
        if name == STANDARD_INPUT and name not in self._in_memory:
            self._in_memory[name] = sys.stdin.buffer.read()
        return self._in_memory.get(name)

    def _add_read(self, size: int) -> None:
        self._read = min(
            self._read + size,
            self._total,
        )  # a file may grow while it is read
        if self._progress is not None and size:
            self._progress(self._read, self._total)

    def seekable(self, name: str) -> str | IO[bytes]:
        """Return a file's name, or what is in memory as a file object, for readers that need to seek."""
        content = self._content(name)
        if content is None:
            return name
        return io.BytesIO(content)

    @contextmanager
    def input(self, name: str) -> Iterator[tuple[InputFile, HashedStream]]:
        """Open a file for a reader, with the stream that hashes it."""
        file_name = name
        if name == STANDARD_INPUT:
            file_name = STANDARD_INPUT_NAME
        with self.opened(name) as stream:
            yield InputFile(file_name, stream), stream

    @contextmanager
    def opened(self, name: str) -> Iterator[HashedStream]:
        """Open a file at its beginning."""
        content = self._content(name)
        if content is not None:
            yield HashedStream(io.BytesIO(content), self._add_read)
            return
        try:
            with Path(name).open("rb") as stream:
                yield HashedStream(stream, self._add_read)
        except OSError as error:
            raise unreadable(name, error) from error


def unreadable(name: str, error: OSError) -> FormatError:
    """Return the error for a file that cannot be read."""
    return Location(name).error(
        f"the file cannot be read ({error.strerror})",
        "check its name and permissions",
    )
