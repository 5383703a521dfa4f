"""Reads from a replica of the database, a standby server that follows the primary (`REPLICA_URL`).

What is read of a replica is the primary's state of a moment ago, all tables of the same moment. Only reads that may be
a moment old go there, each as a whole: never a single query of a request whose others go to the primary, and never the
question who may read.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from django.db import (
    DEFAULT_DB_ALIAS,
    DatabaseError,
    InterfaceError,
    OperationalError,
    connections,
    transaction,
)
from django.db.backends.base.base import BaseDatabaseWrapper

logger = logging.getLogger(__name__)

REPLICA: Final = "replica"
# Time a process avoids a replica that failed; only the failing request waits for it.
_REST_SECONDS: Final = 10.0

T = TypeVar("T")


class _Resting:
    """Until when this process leaves the replica alone."""

    until = 0.0


def replica_is_there() -> bool:
    """Return whether there is a replica, and it did not just fail."""
    return REPLICA in connections.settings and time.monotonic() >= _Resting.until


def replica_is_asked() -> bool:
    """Return whether this thread asks the replica now."""
    return connections[DEFAULT_DB_ALIAS].alias == REPLICA


def replica_read(read: Callable[[], T], *, otherwise: Callable[[], T]) -> T:
    """Return the result of `read` with all its queries sent to the replica, in one snapshot.

    Without a replica, where it fails and where `read` raises `NotEnoughError`, return the result of
    `otherwise`, which reads the primary.
    """
    if not replica_is_there():
        return otherwise()
    try:
        with _asked(connections[REPLICA]), _snapshot():
            return read()
    except NotEnoughError:
        return otherwise()
    except (DatabaseError, InterfaceError) as error:
        if not _is_away(error):
            raise
        logger.warning("The replica is not asked for %g s: %s", _REST_SECONDS, error)
        _Resting.until = time.monotonic() + _REST_SECONDS
        connections[REPLICA].close()
        return otherwise()


def _is_away(error: Exception) -> bool:
    """Return True if the replica is down, starting, or cancelled a statement for its replay."""
    return isinstance(error, OperationalError) or not connections[REPLICA].is_usable()


class NotEnoughError(Exception):
    """The replica does not have the required data yet."""


def read_on(rows: Iterator[T]) -> Iterator[T]:
    """Read lazily evaluated rows from the same database as now: from the replica, if it is in use."""
    return _of_replica(rows) if replica_is_asked() else rows


def _of_replica(rows: Iterator[T]) -> Iterator[T]:
    with _asked(connections[REPLICA]):
        yield from rows


@contextmanager
def _asked(replica: BaseDatabaseWrapper) -> Iterator[None]:
    """Send all queries of this thread to the replica."""
    own = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = replica
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = own


@contextmanager
def _snapshot() -> Iterator[None]:
    with transaction.atomic(), connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield
