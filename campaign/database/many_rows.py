"""Prepare PostgreSQL for transactions that write many rows, and for the queries after them."""

from django.db import connection, models

# Sets the ignored triggers of the transaction to none if unset.
IGNORED_TRIGGERS_SET = """
    set_config(
        'pgtrigger.ignore',
        coalesce(nullif(current_setting('pgtrigger.ignore', true), ''), '{}'),
        true
    )
"""


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
