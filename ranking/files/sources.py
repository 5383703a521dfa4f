"""Sources of bytes: files and standard input, hashed and counted while they are read."""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from campaign.formats import FormatError, InputFile, Place

STANDARD_INPUT = "-"
STANDARD_INPUT_NAME = "standard input"

#: Called with the number of bytes read so far, and of all that is to be read.
ReadingProgress = Callable[[int, int], None]


class HashedStream:
    """A binary stream that counts and hashes (SHA-256) the bytes read from it."""

    def __init__(self, stream: IO[bytes], told: Callable[[int], None]) -> None:
        self._stream = stream
        self._hash = hashlib.sha256()
        self._told = told

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(size)
        self._hash.update(data)
        self._told(len(data))
        return data

    def sha256(self) -> str:
        """Hash of the whole stream; reads the rest of it."""
        while self.read(1 << 20):
            pass
        return self._hash.hexdigest()


class Sources:
    """Files to be read; ``-`` is standard input, kept in memory so that its size is known.

    Raises
    ------
    FormatError
        If standard input is named twice; from `opened` and `size`, if a file cannot be read.
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        progress: ReadingProgress | None = None,
    ) -> None:
        self.names = tuple(names)
        if self.names.count(STANDARD_INPUT) > 1:
            raise Place(STANDARD_INPUT_NAME).error(
                "the file is named twice", "name it once: it can only be read once"
            )
        self._progress = progress
        self._kept: bytes | None = None
        self._read = 0
        self._total = sum(map(self.size, self.names))

    def size(self, name: str) -> int:
        """Return the number of bytes of a file as stored."""
        if name == STANDARD_INPUT:
            return len(self._kept_input())
        try:
            return Path(name).stat().st_size
        except OSError as error:
            raise unreadable(name, error) from error

    def _kept_input(self) -> bytes:
        if self._kept is None:
            self._kept = sys.stdin.buffer.read()
        return self._kept

    def _told(self, size: int) -> None:
        self._read = min(self._read + size, self._total)  # a file may grow meanwhile
        if self._progress is not None and size:
            self._progress(self._read, self._total)

    def seekable(self, name: str) -> str | IO[bytes]:
        """Return the name of a file, or standard input as a file, for readers that go to and fro."""
        return io.BytesIO(self._kept_input()) if name == STANDARD_INPUT else name

    @contextmanager
    def input(self, name: str) -> Iterator[tuple[InputFile, HashedStream]]:
        """Open a file as readers take it, with the stream that hashes it."""
        with self.opened(name) as stream:
            yield InputFile(STANDARD_INPUT_NAME if name == STANDARD_INPUT else name, stream), stream

    @contextmanager
    def opened(self, name: str) -> Iterator[HashedStream]:
        """Open a file to be read from its beginning."""
        if name == STANDARD_INPUT:
            yield HashedStream(io.BytesIO(self._kept_input()), self._told)
            return
        try:
            with Path(name).open("rb") as stream:
                yield HashedStream(stream, self._told)
        except OSError as error:
            raise unreadable(name, error) from error


def unreadable(name: str, error: OSError) -> FormatError:
    """Return the error of a file that the system does not let be read."""
    return Place(name).error(
        f"the file cannot be read ({error.strerror})", "check its name and permissions"
    )
