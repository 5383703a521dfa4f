"""Querysets compiled once per process by Django, and planned once per connection by PostgreSQL.

For the few querysets of every judged block, Django takes ten times as long to build the SQL as PostgreSQL to run
it, so it is built once and prepared (`campaign.database.prepared`).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Expression, Field, Model, QuerySet
from django.db.models.sql.compiler import SQLCompiler

from campaign.database.prepared import Statement

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

    def __init__(
        self,
        name: str,
        queryset: Callable[..., QuerySet[Any, Any]],
        fields: "Mapping[str, Field[Any, Any]]",
        *,
        first: "PreparedQuery | None" = None,
    ) -> None:
        self.name = name
        self.queryset = queryset
        self.fields = fields
        self._first = first
        before = [] if first is None else list(first.fields)
        self._order = [*before, *fields]

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
        first = None if self._first is None else self._first._compiled.statement  # noqa: SLF001
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
