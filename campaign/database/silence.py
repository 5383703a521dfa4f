"""Notice a PostgreSQL that is there and does not answer, and free the threads that wait for it.

A stopped server, or a machine that hangs, acknowledges what it is sent, and answers nothing: limits that the
server keeps do not end that, nor do those of TCP, and a thread inside libpq waits for ever. So one more thread of a
process asks `SELECT 1` each second on a connection of its own, while a statement is under way. When no answer comes in time, it shuts the
sockets of all connections down: whoever waits in them gets an error at once. What was under way may have been stored;
a judge's page sends it again under the same id. Statements cost nothing more for that.
"""

import math
import os
import select
import socket
import threading
import time
from contextlib import suppress
from typing import Any, Final
from weakref import WeakSet

import psycopg2
from psycopg2.extensions import POLL_OK, POLL_READ, POLL_WRITE, TRANSACTION_STATUS_ACTIVE

SECONDS_BETWEEN: Final = 1.0
#: As `connect_timeout` of the settings.
SECONDS_TO_CONNECT: Final = 5.0

_lock = threading.Lock()
_watchers: dict[tuple[int, str], "Watcher"] = {}


class _SilenceError(Exception):
    """No answer came in time."""


class Watcher(threading.Thread):
    """Asks whether PostgreSQL answers, while somebody waits for it; cuts all connections when it does not.

    Attributes
    ----------
    is_silent : bool
        Whether the last question found no answer. While it is, nobody need try to connect.
    """

    def __init__(self, parameters: dict[str, Any], patience: float) -> None:
        super().__init__(name="database-silence", daemon=True)
        self.is_silent = False
        self._patience = patience
        self._parameters = {**parameters, "async_": True}
        self._parameters.pop("cursor_factory", None)
        self._open: WeakSet[Any] = WeakSet()
        self._open_lock = threading.Lock()
        self._own: Any = None
        self._connected_at = -math.inf

    def connecting(self) -> None:
        """Ask for some seconds, though there is no connection: one is being made."""
        self._connected_at = time.monotonic()

    def watch(self, connection: Any) -> None:
        """Cut this connection, too, if PostgreSQL falls silent while it is open."""
        with self._open_lock:
            self._open.add(connection)

    def run(self) -> None:
        while True:
            if self.is_silent or self._is_needed():
                self.is_silent = not self._answers()
                if self.is_silent:
                    self._cut()
            elif self._own is not None:
                # A process of PostgreSQL less, and nothing that wakes it, on a server that has nothing to do.
                self._own.close()
                self._own = None
            # The pace of its questions: a daemon thread, which nothing has to wake or to end.
            time.sleep(SECONDS_BETWEEN)

    def _is_needed(self) -> bool:
        if time.monotonic() - self._connected_at < SECONDS_TO_CONNECT:
            return True
        with self._open_lock:
            # libpq's own note, which the thread that waits keeps no lock on.
            return any(
                each.get_transaction_status() == TRANSACTION_STATUS_ACTIVE for each in self._open
            )

    def _answers(self) -> bool:
        """Ask; False for silence alone. A server that refuses or is not there tells everybody by itself."""
        deadline = time.monotonic() + self._patience
        try:
            if self._own is None or self._own.closed:
                self._own = psycopg2.connect(**self._parameters)
                _wait(self._own, deadline)
            with self._own.cursor() as cursor:
                cursor.execute("SELECT 1")
                _wait(self._own, deadline)
        except _SilenceError:
            self._own = None
            return False
        except psycopg2.Error:
            self._own = None
        return True

    def _cut(self) -> None:
        with self._open_lock:
            connections = list(self._open)
            self._open.clear()
        for connection in connections:
            # Closed meanwhile, by whoever waited in it.
            with suppress(psycopg2.Error, OSError):
                _socket_shut(connection)


def watcher_of_this_process(alias: str, parameters: dict[str, Any], patience: float) -> Watcher:
    """Return the watcher of a database; start it for the first connection. A fork has one of its own."""
    mine = (os.getpid(), alias)
    with _lock:
        watcher = _watchers.get(mine)
        if watcher is None:
            watcher = _watchers[mine] = Watcher(parameters, patience)
            watcher.start()
        return watcher


def _wait(connection: Any, deadline: float) -> None:
    """Wait until the connection has what it waits for.

    Raises
    ------
    _SilenceError
        The deadline came first.
    """
    while (state := connection.poll()) != POLL_OK:
        reading = [connection] if state == POLL_READ else []
        writing = [connection] if state == POLL_WRITE else []
        if not any(select.select(reading, writing, [], max(0.0, deadline - time.monotonic()))):
            raise _SilenceError


def _socket_shut(connection: Any) -> None:
    """Shut a connection's socket down, which wakes the thread that waits in it; it stays that thread's to close."""
    with socket.socket(fileno=os.dup(connection.fileno())) as same:
        if not connection.closed:
            same.shutdown(socket.SHUT_RDWR)
