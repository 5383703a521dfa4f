"""Check that a refusal changes no row."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.apps import apps
from django.db import connection

#: A session notes which test set was looked at; that is no part of a campaign.
_OF_A_VISIT = {"campaign.Session"}


def rows_of_all_tables() -> list[tuple[str, str]]:
    """Return the table and the text of each row of our tables, by one query: there are ninety tables."""
    tables = {
        model._meta.db_table
        for app in ("campaign", "annotation", "ranking")
        for model in apps.get_app_config(app).get_models()
        if model._meta.label not in _OF_A_VISIT
    }
    rows = [f"SELECT '{table}', row::text FROM {table} AS row" for table in tables]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(rows) + " ORDER BY 1, 2")
        stored: list[tuple[str, str]] = cursor.fetchall()
    return stored


@contextmanager
def nothing_changes() -> Iterator[None]:
    """Fail if a row is added, changed or deleted in this block."""
    before = rows_of_all_tables()
    yield
    assert rows_of_all_tables() == before
