"""Results go to standard output or, whole or not at all, to a file; progress to a terminal."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from django.core.management.base import OutputWrapper


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Give a file beside `path` to write, which takes its place when all went well.

    Whatever ends the writing early, Ctrl-C too, leaves `path` as it was.
    """
    if path.exists() and not path.is_file():  # /dev/stdout, a pipe: nothing to be replaced
        yield path
        return
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


class Progress:
    """One line on standard error that says how far it is, on a terminal only; and sentences."""

    def __init__(self, err: OutputWrapper, *, quiet: bool = False) -> None:
        self._err = err
        self._quiet = quiet
        self._shown = bool(err.isatty()) and not quiet
        self._task = ""
        self._percent = -1

    def begin(self, task: str) -> Self:
        """Name what is done next."""
        self._task, self._percent = task, -1
        return self

    def say(self, sentence: str) -> None:
        """Write a sentence, on a terminal or not, unless the command is to be quiet."""
        if self._quiet:
            return
        self._clear()
        self._err.write(sentence, str)
        self._err.flush()

    def __call__(self, done: int, total: int) -> None:
        percent = min(100 * done // total, 100) if total else 100
        if self._shown and percent != self._percent:
            self._percent = percent
            self._err.write(f"\r\x1b[K{self._task}: {percent} %", str, ending="")
            self._err.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._clear()

    def _clear(self) -> None:
        """Take away the line that says how far it is."""
        if self._shown and self._percent >= 0:
            self._err.write("\r\x1b[K", str, ending="")
            self._err.flush()
            self._percent = -1
