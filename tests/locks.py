"""Whether a transaction waits for another one."""

from django.db import connection


def somebody_waits_for_a_lock() -> bool:
    """Return whether any connection to this PostgreSQL waits for a lock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
        waits: bool = cursor.fetchone()[0]
    return waits
