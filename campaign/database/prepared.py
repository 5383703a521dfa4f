"""SQL that PostgreSQL parses and plans once per connection, for the queries of every judged block.

For these few statements, the ORM takes ten times as long to build the SQL as PostgreSQL to run it, and planning
takes as long as running. So they are compiled once from a queryset (`campaign.database.prepared_query`) or written
by hand, prepared when a connection first uses them, and executed by name. Plans live as long as the connection
(`CONN_MAX_AGE`), and PostgreSQL renews them when statistics change. Otherwise a judged item would take about 20 ms
more processor time; the target is 10 ms.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import Model

# Names of the statements prepared on each connection.
_prepared: Final["WeakKeyDictionary[Any, set[str]]"] = WeakKeyDictionary()


M = TypeVar("M", bound=Model)


def connection_prepare(*, connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    """Set the planning mode and time limits of a new connection.

    By default, PostgreSQL discards the first five plans of a prepared statement; ours look up keys, so the first plan
    is good for all values. Time limits depend on the kind of process.
    For the signal `connection_created`, before any transaction: a rollback would undo the settings.
    """
    limits = settings.DATABASE_LIMITS[os.environ.get(PROCESS, "command")]
    wanted = {"plan_cache_mode": "force_generic_plan", **time_limits(limits)}
    chosen = ", ".join("set_config(%s, %s, false)" for _ in wanted)
    parameters = [part for setting in wanted.items() for part in setting]
    with connection.cursor() as cursor:
        # Without Django's counting of queries.
        cursor.cursor.execute(f"SELECT {chosen}", parameters)


class Statement:
    """A statement with parameters `$1`, `$2` … of the PostgreSQL types `types`.

    `first` is executed before it in the same round trip and transaction, with its own parameters, such as a lock
    that must be held before the statement reads the tables.
    """

    def __init__(
        self, name: str, types: str, sql: str, *, first: "Statement | None" = None
    ) -> None:
        self.name = name
        self.sql = sql
        self._first = first
        count = len(types.split(","))
        self.prepare = f"PREPARE {name} ({types}) AS {sql}"
        self.execute = f"EXECUTE {name} ({', '.join(['%s'] * count)})"
        if first is not None:
            self.execute = f"{first.execute}; {self.execute}"

    def rows(self, *parameters: Any) -> list[tuple[Any, ...]]:
        """Execute the statement and return its rows, if any."""
        with connection.cursor() as cursor:
            self._prepare_once(cursor)
            cursor.execute(self.execute, parameters)
            found: list[tuple[Any, ...]] = cursor.fetchall() if cursor.description else []
        return found

    def row(self, *parameters: Any) -> tuple[Any, ...] | None:
        """Execute the statement and return its first row."""
        rows = self.rows(*parameters)
        return rows[0] if rows else None

    def _prepare_once(self, cursor: CursorWrapper) -> None:
        """Prepare the statements that are new to this connection, without Django's counting of queries."""
        done = _prepared.get(connection.connection)
        if done is None:
            done = _prepared[connection.connection] = set()
        for statement in self.in_one_round_trip():
            if statement.name not in done:
                with connection.wrap_database_errors:
                    cursor.cursor.execute(statement.prepare)
                done.add(statement.name)

    def in_one_round_trip(self) -> "list[Statement]":
        """Return the statements executed in one round trip, in order."""
        before = [] if self._first is None else self._first.in_one_round_trip()
        return [*before, self]


def instance_from(model: type[M], values: Sequence[Any]) -> M:
    """Return the model instance for values in the order of `field_names`."""
    return model.from_db(connection.alias, [f.attname for f in model._meta.concrete_fields], values)


#: Environment variable with the kind of process.
PROCESS: Final = "QUINTET_PROCESS"


_TIMEOUTS: Final = {
    "statement": "statement_timeout",
    "lock": "lock_timeout",
    "idle": "idle_in_transaction_session_timeout",
    "unused": "idle_session_timeout",
}


def time_limits(limits: Mapping[str, float]) -> dict[str, str]:
    """Return PostgreSQL's settings for time limits in seconds; 0 is no limit.

    Parameters
    ----------
    limits : mapping of str to float
        `statement` for one statement, `lock` for waiting for a lock, `idle` for a transaction without a query, `unused`
        between two transactions, after which the next one connects again.
    """
    return {setting: f"{limits.get(name, 0) * 1000:.0f}ms" for name, setting in _TIMEOUTS.items()}
