"""Write many rows into a table with PostgreSQL's COPY, about ten times faster than `bulk_create`.

Constraints and triggers apply.
"""

import io
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from django.db import connection, models

Cell: TypeAlias = str | int | None

# Sets the ignored triggers of the transaction to none if unset.
IGNORED_TRIGGERS_SET = """
    set_config(
        'pgtrigger.ignore',
        coalesce(nullif(current_setting('pgtrigger.ignore', true), ''), '{}'),
        true
    )
"""

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def ids_reserve(model: type[models.Model], count: int) -> list[int]:
    """Take `count` primary keys from the sequence of a table, for rows written by COPY."""
    with connection.cursor() as cursor:
        # Look up the sequence once, since a lookup for each key would cost six times as much as the
        # key.
        cursor.execute(
            "SELECT nextval(found.sequence) FROM generate_series(1, %s),"
            " (SELECT pg_get_serial_sequence(%s, 'id')::regclass AS sequence OFFSET 0) found",
            [count, model._meta.db_table],
        )
        return [row[0] for row in cursor.fetchall()]


def rows_copy(
    model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Cell]]
) -> None:
    """Write rows with cells in the order of `columns`. Call it in a transaction."""
    quote = connection.ops.quote_name
    buffer = io.StringIO()
    for row in rows:
        buffer.write("\t".join(map(_written, row)))
        buffer.write("\n")
    buffer.seek(0)
    names = ", ".join(map(quote, columns))
    with connection.cursor() as cursor, connection.wrap_database_errors:
        # Names come from models, never from files.
        cursor.copy_expert(f"COPY {quote(model._meta.db_table)} ({names}) FROM STDIN", buffer)


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
        cursor.execute(f"SELECT {IGNORED_TRIGGERS_SET}")


def statistics_refresh(*models: type[models.Model]) -> None:
    """Update the statistics of tables for the planner after writing many rows. Call it in a transaction.

    Autovacuum does this within a minute, with a sample of 30,000 rows per table. Until then, the planner may
    consider the tables empty and scan them for every row of a join, but the first ranking after an import is
    computed earlier. A sample of 3,000 rows is enough.
    """
    names = ", ".join(connection.ops.quote_name(model._meta.db_table) for model in models)
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('default_statistics_target')")
        before = cursor.fetchone()
        cursor.execute(f"SET LOCAL default_statistics_target = 10; ANALYZE {names}")
        cursor.execute("SELECT set_config('default_statistics_target', %s, true)", before)


def _written(cell: Cell) -> str:
    if cell is None:
        return "\\N"
    return cell.translate(_ESCAPES) if isinstance(cell, str) else str(cell)
