"""Locks by name, a snapshot and the settings of the planner, for as long as a transaction."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def table_scans_off() -> Iterator[None]:
    """Make PostgreSQL use indexes for the statements inside; call it in a transaction.

    A connection keeps the plans of foreign keys and triggers. Made while tables are small, they would
    read these whole for every row. The setting is left as it was; a rollback restores it by itself.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('enable_seqscan')")
        before = cursor.fetchone()
        cursor.execute("SET LOCAL enable_seqscan = off")
        yield
        cursor.execute("SELECT set_config('enable_seqscan', %s, true)", before)


def named_lock(name: str) -> None:
    """Take the lock of this name. Another holder is waited for, up to `lock_timeout`."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])


def named_lock_try(name: str) -> bool:
    """Take the lock of this name and return True; return False at once if another holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", [name])
        return bool(cursor.fetchone()[0])


@contextmanager
def one_snapshot() -> Iterator[None]:
    """See the database in all queries of the block as it is at the first, and change nothing.

    Takes no lock. Raises RuntimeError inside a transaction, which has a snapshot for each query.
    """
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield
