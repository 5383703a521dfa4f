"""Prepared queries of the submission path."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import Expression, Field, Model, QuerySet
from django.db.models.sql.compiler import SQLCompiler

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


_BIGINT = range(-(1 << 63), 1 << 63)


class Parameter(Expression):
    """Placeholder in a queryset for a value that is known when the query is executed.

    `sql` is `$1`, `$2` … in a prepared statement, or `%s` with a stand-in among the parameters.
    """

    def __init__(self, sql: str, field: "Field[Any, Any]", *parameters: Any) -> None:
        super().__init__(output_field=field)
        self.sql = sql
        self.parameters = parameters

    def as_sql(
        self,
        compiler: SQLCompiler,  # noqa: ARG002
        connection: BaseDatabaseWrapper,  # noqa: ARG002
    ) -> tuple[str, tuple[Any, ...]]:
        return self.sql, self.parameters


@dataclass(eq=False)
class PreparedQuery:
    """A prepared queryset; `rows` returns the rows of the queryset.

    Parameters
    ----------
    name : str
        Unique name of the prepared statement.
    queryset : callable
        Takes a value for each of `fields`, by name, and returns a queryset with `values_list`. It is
        called once, with a `Parameter` for each value, so it must not branch on values.
    fields : mapping of str to Field
        Model fields that could hold the values, for their PostgreSQL types.
    first : PreparedQuery, optional
        Executed before it in the same round trip and transaction, such as a lock that must be held before this
        query reads the tables. Its values are also those given to `rows`.
    """

    name: str
    queryset: Callable[..., QuerySet[Any, Any]]
    fields: "Mapping[str, Field[Any, Any]]"
    first: "PreparedQuery | None" = None

    def __post_init__(self) -> None:
        self._order = [*(self.first.fields if self.first else ()), *self.fields]

    def rows(self, **values: Any) -> list[tuple[Any, ...]]:
        """Execute the query with a value for each field and return its rows.

        As in Django's lookups, there are none if a number is too large for its column.
        """
        given = [values[name] for name in self._order]
        if any(isinstance(value, int) and value not in _BIGINT for value in given):
            return []
        compiled = self._compiled
        rows = compiled.statement.rows(*given)
        return [compiled.converted(row) for row in rows] if compiled.converters else rows

    def row(self, **values: Any) -> tuple[Any, ...] | None:
        """Execute the query and return its first row; None if there is none."""
        rows = self.rows(**values)
        return rows[0] if rows else None

    @cached_property
    def _compiled(self) -> "_Compiled":
        parameters = {
            name: Parameter(f"${number}", field)
            for number, (name, field) in enumerate(self.fields.items(), start=1)
        }
        sql, converters = _sql_of(self.queryset(**parameters))
        first = None if self.first is None else self.first._compiled.statement  # noqa: SLF001
        return _Compiled(
            Statement(self.name, _types(self.fields.values()), sql, first=first), converters
        )


_Converters: TypeAlias = dict[int, tuple[list[Callable[..., Any]], Expression]]


def _sql_of(queryset: QuerySet[Any, Any]) -> tuple[str, _Converters]:
    """Return the SQL of a queryset, and the converters of its columns."""
    compiler = queryset.query.get_compiler(connection=connection)
    operations: Any = connection.ops
    sql: str = operations.compose_sql(*compiler.as_sql())
    expressions = [expression for expression, _sql, _alias in compiler.select]
    return sql, compiler.get_converters(expressions)


def _types(fields: "Iterable[Field[Any, Any]]") -> str:
    return ", ".join(str(field.db_type(connection)) for field in fields)


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A prepared statement with `converters` from values of the driver to values of fields, by column."""

    statement: Statement
    converters: _Converters

    def converted(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        if not self.converters:
            return row
        cells = list(row)
        for column, (converters, expression) in self.converters.items():
            for convert in converters:
                cells[column] = convert(cells[column], expression, connection)
        return tuple(cells)


def field_names(model: type[Model], path: str = "") -> list[str]:
    """Return the columns of a model, with a prefix, for `values_list` and `instance_from`."""
    return [f"{path}{field.attname}" for field in model._meta.concrete_fields]
