"""Check whether a transaction waits for a lock, and run two of which one waits for the other."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.db import connection, transaction

from launcher.data_directory import wait_until

Work = Callable[[], object]


def somebody_waits_for_a_lock() -> bool:
    """Return whether any connection to this PostgreSQL waits for a lock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
        waits: bool = cursor.fetchone()[0]
    return waits


def one_before_the_other(first: Work, second: Work) -> None:
    """Commit the first once the second waits for it; raise the error of the second."""

    def elsewhere() -> None:
        try:
            second()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first()
            refusal = pool.submit(elsewhere)
            assert wait_until(somebody_waits_for_a_lock, seconds=30)
        refusal.result(timeout=30)
