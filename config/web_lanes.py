"""Which requests of a web process run: each account has its own line, and heavy requests have threads of their own.

No account can keep all threads busy, and requests that may take seconds (files that are written while they are sent,
large bodies) never take the threads of others. Requests wait here without a thread; see
docs/decisions/0023-waitress-in-gunicorn.md.
"""

import re
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final, Protocol

from waitress.task import ThreadedTaskDispatcher

#: A request with a larger body is heavy. Those of judges are smaller.
HEAVY_BODY_BYTES: Final = 256 * 1024
#: Addresses that send a file which may be large, without the path prefix; those that end in `?` with this parameter.
HEAVY_ADDRESSES: Final = re.compile(
    r"""
    /api/v1/tasks/[0-9]+/exports/(stream|[0-9]+/content)/
    | /api/v1/tasks/[0-9]+/published-results/[0-9]+/bundle/
    | /campaigns/[^/]+/activity\.(csv|jsonl)
    | /campaigns/[^/]+/tasks/[0-9]+/exports/[0-9]+/
    | /campaigns/[^/]+/tasks/[0-9]+/publish/[0-9]+/bundle/
    | /results/[^/]+/(review/[^/]+/)?[^/]+\.zip
    """,
    re.VERBOSE,
)
#: The page of exports sends one if its query has this parameter.
_EXPORTS_PAGE: Final = re.compile(r"/campaigns/[^/]+/tasks/[0-9]+/exports/")
_STREAM: Final = re.compile(r"(?:^|&)stream(?:=|&|$)")


def is_heavy(path: str, query: str, body_bytes: int) -> bool:
    """Return whether a request may take seconds; the path is without the prefix."""
    if body_bytes > HEAVY_BODY_BYTES or HEAVY_ADDRESSES.fullmatch(path):
        return True
    if "stream" not in query:
        return False
    return bool(_EXPORTS_PAGE.fullmatch(path) and _STREAM.search(query))


class Waiting(Protocol):
    """A connection with a request that waits."""

    account: str

    def service(self) -> None: ...


@dataclass(slots=True)
class Turn:
    """A request that has been given a thread."""

    lane: "Lane"
    account: str

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let others work in this block, in which the thread waits for its reader."""
        self.lane.pause(self.account)
        try:
            yield
        finally:
            self.lane.resume(self.account)

    def end(self) -> None:
        """Let the next request begin."""
        self.lane.end(self.account)


@dataclass(slots=True)
class Lane:
    """Threads, and the requests that wait for them, first come first served among those that may begin.

    Attributes
    ----------
    threads : int
        Number of threads.
    working : int
        Maximum number of threads that work, and do not wait for their readers.
    threads_of_one, working_of_one : int
        The same of one account.
    """

    pool: ThreadedTaskDispatcher
    threads: int
    working: int
    threads_of_one: int
    working_of_one: int
    _running: Counter[str] = field(default_factory=Counter)
    _at_work: Counter[str] = field(default_factory=Counter)
    _line: deque[tuple[float, Any]] = field(default_factory=deque)
    _lock: Lock = field(default_factory=Lock)

    def add(self, connection: Any) -> None:
        """Begin the request of a connection, or let it wait."""
        with self._lock:
            self._line.append((time.monotonic(), connection))
            self._admit()

    def pause(self, account: str) -> None:
        """Note that a thread waits for its reader."""
        with self._lock:
            _subtract(self._at_work, account)
            self._admit()

    def resume(self, account: str) -> None:
        """Note that a thread works again. Its reader sets its pace, so it does not wait for others."""
        with self._lock:
            self._at_work[account] += 1

    def end(self, account: str) -> None:
        """Note that a thread has ended a request."""
        with self._lock:
            _subtract(self._at_work, account)
            _subtract(self._running, account)
            self._admit()

    def late(self, *, seconds: float) -> list[Any]:
        """Remove connections that have waited so long from the line, and return them."""
        until = time.monotonic() - seconds
        late = []
        with self._lock:
            while self._line and self._line[0][0] <= until:
                late.append(self._line.popleft()[1])
        return late

    def _admit(self) -> None:
        """Give free threads to requests. The caller holds the lock."""
        passed: list[tuple[float, Any]] = []
        while self._line and self._is_free():
            since, connection = self._line.popleft()
            account = connection.account
            if not self._may_begin(account):
                passed.append((since, connection))
                continue
            self._running[account] += 1
            self._at_work[account] += 1
            connection.turn = Turn(self, account)
            self.pool.add_task(connection)
        self._line.extendleft(reversed(passed))

    def _is_free(self) -> bool:
        return (
            self._running.total() < self.threads
            and self._at_work.total() < self.working
        )

    def _may_begin(self, account: str) -> bool:
        return (
            self._running[account] < self.threads_of_one
            and self._at_work[account] < self.working_of_one
        )


def _subtract(counter: Counter[str], key: str) -> None:
    counter[key] -= 1
    if counter[key] <= 0:
        del counter[key]
