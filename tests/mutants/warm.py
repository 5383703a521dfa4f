"""Runs tests again and again, each time in a fork that finds the large libraries loaded.

python -m tests.mutants.warm REQUESTS REPLIES TESTS ...

The first two are file descriptors: a request is a line of JSON, see `Runner`, and a reply is
pytest's exit code. No code that is broken is loaded before a fork: each runs it as it is then.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from launcher.waiting import wait_until
from tests.mutants.entered import EntriesRecorder, Only

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
        for line in asked:
            request = json.loads(line)
            child = os.fork()
            if not child:
                os.setsid()
                os._exit(_run(database, tests, request))
            code = _wait(child, request["seconds"])
            # What an aborted run leaves in the database is not for the next one to see.
            database = "--create-db" if code < 0 else "--reuse-db"
            answered.write(f"{code}\n")
            answered.flush()


def _run(database: str, tests: list[str], request: dict[str, Any]) -> int:
    """Run tests until one fails; return pytest's exit code."""
    plugins: list[object] = []
    if request["only"] is not None:
        plugins.append(Only(request["only"]))
        tests = sorted({test.split("::")[0] for test in request["only"]})
    if request["entries"] is not None:
        plugins.append(EntriesRecorder(Path(request["entries"])))
    code = pytest.main(
        ["--quiet", "--exitfirst", "-p", "no:cacheprovider", database, *tests], plugins
    )
    sys.stdout.flush()
    return int(code)


def _wait(child: int, seconds: float) -> int:
    """Return the exit code of a fork, negative where it was killed: in the end, by us."""
    if not wait_until(lambda: _has_ended(child), seconds=seconds):
        os.killpg(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _has_ended(child: int) -> bool:
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
