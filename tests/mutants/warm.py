"""Runs tests again and again, each time in a fork that finds the large libraries loaded.

python -m tests.mutants.warm REQUESTS REPLIES TESTS ...

The first two are file descriptors: a request is a number of seconds, a reply is pytest's exit code.
Nothing of the project is loaded before a fork: each runs the code as it is then.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
import time
from typing import Final

import pytest

_LARGE: Final = (
    *("numba", "numpy", "pandas", "scipy.optimize", "scipy.sparse.csgraph", "scipy.stats"),
    *("celery", "django.db.models", "psycopg2"),
)


def main(requests: int, replies: int, tests: list[str]) -> None:
    """Answer requests until there are no more."""
    for name in _LARGE:
        importlib.import_module(name)
    database = "--create-db"
    with os.fdopen(requests) as asked, os.fdopen(replies, "w") as answered:
        for seconds in asked:
            child = os.fork()
            if not child:
                os.setsid()
                os._exit(_run([database, *tests]))
            code = _wait(child, float(seconds))
            # What an aborted run leaves in the database is not for the next one to see.
            database = "--create-db" if code < 0 else "--reuse-db"
            answered.write(f"{code}\n")
            answered.flush()


def _run(arguments: list[str]) -> int:
    """Run tests until one fails; return pytest's exit code."""
    code = pytest.main(["--quiet", "--exitfirst", "-p", "no:cacheprovider", *arguments])
    sys.stdout.flush()
    return int(code)


def _wait(child: int, seconds: float) -> int:
    """Return the exit code of a fork, negative where it was killed: in the end, by us."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
