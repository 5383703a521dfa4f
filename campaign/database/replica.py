"""Read from a replica of the database, a standby server that follows the primary (`REPLICA_URL`).

A replica has a slightly older state of the primary, consistent across tables. Only reads that may be slightly outdated
use it, and always as a whole: all queries of a request go to the same server, and permissions are checked on the
primary.
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
# Time for which a process avoids a replica after a failure, so that only one request waits.
_REST_SECONDS: Final = 10.0

T = TypeVar("T")


class _Resting:
    """Time until which this process does not use the replica."""

    until = 0.0


def replica_is_there() -> bool:
    """Return whether there is a replica that did not fail recently."""
    return REPLICA in connections.settings and time.monotonic() >= _Resting.until


def replica_is_asked() -> bool:
    """Return whether this thread currently uses the replica."""
    return connections[DEFAULT_DB_ALIAS].alias == REPLICA


def replica_read(read: Callable[[], T], *, otherwise: Callable[[], T]) -> T:
    """Return the result of `read` on the replica, in one snapshot.

    If there is no replica, it fails, or `read` raises `NotEnoughError`, return the result of `otherwise` on the
    primary.
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
    """Return whether the replica is down, starting, or cancelled a statement because of replication."""
    return isinstance(error, OperationalError) or not connections[REPLICA].is_usable()


class NotEnoughError(Exception):
    """The replica does not have the required data yet."""


def read_on(rows: Iterator[T]) -> Iterator[T]:
    """Read lazily evaluated rows from the current database: from the replica, if it is in use."""
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
