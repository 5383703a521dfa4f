"""The two roles of the database in tests: the owner makes the test database, the application's role tests it."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import psycopg2
from django.db import connection
from psycopg2.errors import LockNotAvailable
from psycopg2.sql import SQL, Identifier

from config.database_address import database_settings

_ROLE = ("USER", "PASSWORD")
# Rows of these are the models' own, and no test changes them.
_FILLED_BY_MIGRATING = frozenset({"auth_permission", "django_content_type"})
# Bytes of a table up to which its rows are deleted.
_DELETED_AT_MOST = 256 * 1024
# What a test waits for others' transactions before it fails.
PATIENCE_SECONDS = 60


def owner_role() -> dict[str, str]:
    """Return name and password of the role that owns the tables; the application's if there is one role."""
    url = os.environ.get("MIGRATION_DATABASE_URL") or os.environ["DATABASE_URL"]
    found = database_settings(url)
    return {name: found[name] for name in _ROLE}


def database_url(name: str) -> str:
    """Return the address of a database of the server that Django is connected to, as the same role."""
    settings = connection.settings_dict
    host = settings["OPTIONS"].get("host") or settings["HOST"]
    port = f":{settings['PORT']}" if settings["PORT"] else ""
    password = f":{settings['PASSWORD']}" if settings["PASSWORD"] else ""
    user = f"{settings['USER']}{password}"
    if host.startswith("/"):
        return f"postgres://{user}@/{name}?host={host}"
    return f"postgres://{user}@{host}{port}/{name}"


@contextmanager
def connected_as(role: dict[str, str]) -> Iterator[None]:
    """Connect Django as this role in this block, from the next connection on."""
    before = {name: connection.settings_dict[name] for name in _ROLE}
    connection.settings_dict.update(role)
    yield
    connection.close()
    connection.settings_dict.update(before)


@contextmanager
def owner_cursor() -> Iterator[Any]:
    """Give a cursor of the owner in the test database, each statement committed at once."""
    with _cursor(owner_role()) as cursor:
        yield cursor


def sessions_end(role: dict[str, str]) -> None:
    """End every session of this role in the test database."""
    with _cursor(role) as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()",
        )


@contextmanager
def _cursor(role: dict[str, str]) -> Iterator[Any]:
    parameters = {**connection.get_connection_params()}
    parameters.update(user=role["USER"], password=role["PASSWORD"] or None)
    parameters.pop("cursor_factory", None)
    with closing(psycopg2.connect(**parameters)) as session:
        session.autocommit = True
        with session.cursor() as cursor:
            yield cursor


def tables_listed(
    _operations: Any,
    _style: Any,
    tables: Sequence[str],
    **_options: Any,
) -> list[str]:
    """Return the tables that `tables_empty` empties: all except those filled by migrations.

    Nothing need make their rows anew, then, after each test.
    """
    return sorted(set(tables) - _FILLED_BY_MIGRATING)


def tables_empty(_operations: Any, tables: Sequence[str]) -> None:
    """Empty the tables after a test as the owner, bypassing triggers.

    Few rows are deleted in a tenth of the time that TRUNCATE takes for new files of a hundred tables and their
    indexes. It comes where deleted rows have made a table large.
    """
    names = SQL(", ").join(map(Identifier, tables))
    with owner_cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        # A session that a test left in a transaction would be waited for without end.
        cursor.execute(
            "SELECT set_config('lock_timeout', %s, false)",
            [f"{PATIENCE_SECONDS}s"],
        )
        try:
            cursor.execute("BEGIN")
            cursor.execute(SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(names))
        except LockNotAvailable as error:
            cursor.execute("ROLLBACK")
            raise AssertionError(
                f"the tables cannot be emptied; who is in a transaction: {_transactions(cursor)}",
            ) from error
        sizes = _sizes(cursor, tables)
        if max(sizes.values(), default=0) > _DELETED_AT_MOST:
            cursor.execute(SQL("TRUNCATE {}").format(names))
        elif sizes:
            delete = SQL("DELETE FROM {}")
            cursor.execute(
                SQL("; ").join(delete.format(Identifier(name)) for name in sizes),
            )
        cursor.execute("COMMIT")


def _sizes(cursor: Any, tables: Sequence[str]) -> dict[str, int]:
    """Return the bytes of each table that has or had a row since it was last truncated."""
    cursor.execute(
        "SELECT relname, pg_relation_size(oid) FROM pg_class"
        " WHERE relname = ANY(%s) AND relkind = 'r' AND pg_table_is_visible(oid) AND pg_relation_size(oid) > 0",
        [list(tables)],
    )
    return dict(cursor.fetchall())


def _transactions(cursor: Any) -> list[tuple[Any, ...]]:
    cursor.execute(
        "SELECT pid, usename, state, now() - xact_start, left(query, 200) FROM pg_stat_activity"
        " WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()",
    )
    return list(cursor.fetchall())
