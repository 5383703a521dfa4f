"""The two roles of the database in tests: the owner makes the test database, the application's role tests it."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import environ
import psycopg2
from django.db import connection
from psycopg2.errors import LockNotAvailable

_ROLE = ("USER", "PASSWORD")
# What a test waits for others' transactions before it fails.
PATIENCE_SECONDS = 60


def owner_role() -> dict[str, str]:
    """Return name and password of the role that owns the tables; the application's if there is one role."""
    url = os.environ.get("MIGRATION_DATABASE_URL") or os.environ["DATABASE_URL"]
    found = environ.Env.db_url_config(url)
    return {name: found[name] for name in _ROLE}


@contextmanager
def connected_as(role: dict[str, str]) -> Iterator[None]:
    """Connect Django to the database as this role inside, from the next connection on."""
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
            " WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()"
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


def tables_empty(_operations: Any, statements: Sequence[str]) -> None:
    """Run the statements by which Django empties all tables after a test, past triggers, as the owner."""
    with owner_cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        # A session that a test left in a transaction would be waited for without end.
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{PATIENCE_SECONDS}s"])
        for statement in statements:
            try:
                cursor.execute(statement)
            except LockNotAvailable as error:
                raise AssertionError(
                    f"the tables cannot be emptied; who is in a transaction: {_transactions(cursor)}"
                ) from error


def _transactions(cursor: Any) -> list[tuple[Any, ...]]:
    cursor.execute(
        "SELECT pid, usename, state, now() - xact_start, left(query, 200) FROM pg_stat_activity"
        " WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()"
    )
    return list(cursor.fetchall())
