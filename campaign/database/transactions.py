"""Named locks, snapshots and planner settings of a transaction."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def table_scans_off() -> Iterator[None]:
    """Make PostgreSQL use indexes for the statements inside; call it in a transaction.

    Connections cache plans of foreign keys and triggers. Plans made while tables are small would scan them for
    every row. The setting is restored at the end, or by a rollback.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('enable_seqscan')")
        before = cursor.fetchone()
        cursor.execute("SET LOCAL enable_seqscan = off")
        yield
        cursor.execute("SELECT set_config('enable_seqscan', %s, true)", before)


def named_lock(name: str) -> None:
    """Take the lock of this name; wait for another holder, up to `lock_timeout`."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])


def named_lock_try(name: str) -> bool:
    """Take the lock of this name and return True; return False at once if another holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", [name])
        return bool(cursor.fetchone()[0])


@contextmanager
def one_snapshot() -> Iterator[None]:
    """Run all queries of the block in one read-only snapshot.

    Takes no lock. Raises RuntimeError inside another transaction.
    """
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield
