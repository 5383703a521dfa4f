"""Many rows at once, subqueries, transactions and locks."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from django.db import connection, models
from django.db.models.functions import Coalesce

_Row = TypeVar("_Row", bound=models.Model)


#: Annotation that makes PostgreSQL use indexes until the commit; see `table_scans_off`.
TABLE_SCANS_OFF: Final = models.Func(
    models.Value("enable_seqscan"),
    models.Value("off"),
    models.Value(True),
    function="set_config",
    output_field=models.TextField(),
)


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


def count_of(rows: models.QuerySet[Any, Any], by: str) -> Coalesce:
    """Return a subquery for the number of rows that belong to the outer row; 0 if there are none.

    `rows` are filtered by an `OuterRef`, so that all have the same value of `by`.
    """
    counted = rows.order_by().values(by).annotate(count=models.Count("pk"))
    return Coalesce(models.Subquery(counted.values("count")), 0)


def row_locked(row: _Row) -> _Row:
    """Lock a row FOR NO KEY UPDATE, which foreign keys do not wait for, and return it as it is now."""
    manager: Any = row._meta.default_manager
    locked: _Row = manager.select_for_update(no_key=True).get(pk=row.pk)
    return locked


def named_lock(name: str) -> None:
    """Take the lock of this name; wait for another holder, up to `lock_timeout`."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])


def named_lock_try(name: str) -> bool:
    """Take the lock of this name and return True; return False at once if another holds it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))",
            [name],
        )
        return bool(cursor.fetchone()[0])


def rows_insert(
    model: type[models.Model],
    rows: Sequence[Mapping[str, Any]],
    **same: Any,
) -> list[int]:
    """Insert rows with these values by column, and values shared by all, and return their IDs in the same order."""
    manager: Any = model._meta.default_manager
    instances = manager.bulk_create(model(**row, **same) for row in rows)
    return [row.pk for row in instances]


def constraints_check_now() -> None:
    """Check deferred constraints now instead of at the end of the transaction.

    Otherwise, PostgreSQL keeps every row with a deferred foreign key in memory until then, up to a million
    of them, and an error comes too late to name the line.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")


def pgtrigger_ignore_preset() -> None:
    """Set `pgtrigger.ignore` to an empty value for this transaction.

    Each trigger reads this setting first. If it is not set, the trigger catches an error for every row, and
    each rollback of this error visits all deferred checks of the transaction: a thousand rows would take a
    second, ten thousand some minutes.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT set_config(
                'pgtrigger.ignore',
                coalesce(nullif(current_setting('pgtrigger.ignore', true), ''), '{}'),
                true
            )
            """,
        )


def statistics_refresh(*models: type[models.Model]) -> None:
    """Update the statistics of tables for the planner after writing many rows. Call it in a transaction.

    Autovacuum does this within a minute, with a sample of 30,000 rows per table. Until then, the planner may
    consider the tables empty and scan them for every row of a join, but the first ranking after an import is
    computed earlier. A sample of 3,000 rows is enough.
    """
    names = ", ".join(
        connection.ops.quote_name(model._meta.db_table) for model in models
    )
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('default_statistics_target')")
        before = cursor.fetchone()
        cursor.execute(f"SET LOCAL default_statistics_target = 10; ANALYZE {names}")
        cursor.execute(
            "SELECT set_config('default_statistics_target', %s, true)",
            before,
        )
