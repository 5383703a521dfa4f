"""Tell PostgreSQL's planner how to plan, for as long as it takes and no longer."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def table_scans_off() -> Iterator[None]:
    """Make PostgreSQL plan by indexes what is executed inside; call it in a transaction.

    A connection keeps the plans of foreign keys and triggers. Made while tables are small, they would
    read these whole for every row. The setting is left as it was; a rollback restores it by itself.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('enable_seqscan')")
        before = cursor.fetchone()
        cursor.execute("SET LOCAL enable_seqscan = off")
        yield
        cursor.execute("SELECT set_config('enable_seqscan', %s, true)", before)
