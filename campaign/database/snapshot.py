"""Run several queries on one snapshot of the database, without locks."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def one_snapshot() -> Iterator[None]:
    """See the database in all queries of the block as it is at the first, and change nothing.

    Takes no lock. Raises RuntimeError inside a transaction, which has a snapshot for each query.
    """
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield
