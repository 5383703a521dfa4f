"""Locks by name, held until the transaction ends."""

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
