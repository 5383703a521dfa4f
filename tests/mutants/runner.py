"""Runs the tests near a module again and again, each time on the code as it is then."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

LOG: Final = Path("mutants.log")


class Runner:
    """A process that runs tests on request; see `tests.mutants.warm`."""

    def __init__(self, requests: int, replies: int) -> None:
        self._requests = os.fdopen(requests, "w")
        self._replies = os.fdopen(replies)

    def passes(
        self, *, seconds: float, only: Collection[str] | None = None, entries: Path | None = None
    ) -> bool:
        """Return whether the tests pass within this time: all of them, or `only` those named.

        Writes to `entries`, if that is given, which functions each test enters.
        Raises `SystemExit` where the process has ended.
        """
        request = {
            "seconds": seconds,
            "only": None if only is None else list(only),
            "entries": None if entries is None else str(entries),
        }
        with contextlib.suppress(BrokenPipeError):
            self._requests.write(f"{json.dumps(request)}\n")
            self._requests.flush()
        reply = self._replies.readline()
        if not reply:
            raise SystemExit(f"{LOG.read_text()}\nWhat runs the tests has ended.")
        return int(reply) == 0

    def close(self) -> None:
        """Let the process end."""
        self._requests.close()
        self._replies.close()


@contextlib.contextmanager
def runner(tests: Sequence[str]) -> Iterator[Runner]:
    """Yield what runs these tests in the current folder, and writes what they say to `LOG`."""
    (requests, ours), (theirs, replies) = os.pipe(), os.pipe()
    with LOG.open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.mutants.warm", str(requests), str(replies), *tests],
            # Code changes faster than the clock by which Python knows what it has compiled.
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            pass_fds=[requests, replies],
            stdout=log,
            stderr=log,
        )
    os.close(requests)
    os.close(replies)
    made = Runner(ours, theirs)
    try:
        yield made
    finally:
        made.close()
        process.wait()
