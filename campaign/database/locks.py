"""Locks by name: held until the transaction ends, or for as long as a block of code runs."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


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
def named_lock_held(name: str) -> Iterator[bool]:
    """Hold the lock of this name throughout the block, over any number of transactions.

    Gives False at once if another session holds it. PostgreSQL releases it if the process is killed.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [name])
        is_held = bool(cursor.fetchone()[0])
    try:
        yield is_held
    finally:
        if is_held:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [name])
