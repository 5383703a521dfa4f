"""A second database beside that of the tests, for the time of a block."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg2
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg2 import sql

from cells.databases import database_of
from tests.conftest import test_database_url
from tests.roles import connected_as, owner_role


@contextmanager
def second_database(suffix: str, *, is_copy: bool) -> Iterator[BaseDatabaseWrapper]:
    """Connect, as the owner, to a database that is a copy of the tests' one, or empty; drop it afterwards.

    Nobody may be connected to the tests' database while it is copied, so its connection is closed.
    """
    own = str(connection.settings_dict["NAME"])
    name = f"{own}_{suffix}"
    _execute("CREATE DATABASE {} TEMPLATE {}", name, own if is_copy else "template0")
    try:
        with database_of(_owner_url().replace(f"/{own}", f"/{name}")) as other:
            # Django's tests forbid to connect later, by a name that their settings do not have.
            other.connect()
            yield other
    finally:
        _execute("DROP DATABASE {} WITH (FORCE)", name)


def _owner_url() -> str:
    with connected_as(owner_role()):
        return test_database_url()


def _execute(statement: str, *names: str) -> None:
    """Run a statement as the owner, in a database that nobody copies."""
    connection.close()
    with connected_as(owner_role()):
        parameters = {**connection.get_connection_params(), "dbname": "postgres"}
    parameters.pop("cursor_factory", None)
    with closing(psycopg2.connect(**parameters)) as session:
        session.autocommit = True
        with session.cursor() as cursor:
            cursor.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))
