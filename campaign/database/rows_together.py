"""Write rows of a table, and of another one that hangs on it, in one statement: triggers see both at once."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection
from django.db.models import Model


def rows_write_together(
    values: Sequence[Mapping[str, Any]],
    *,
    first: type[Model],
    columns: Mapping[str, str],
    other: type[Model] | None = None,
    key: str = "",
    other_columns: Mapping[str, str] | None = None,
) -> None:
    """Write a row of `first` for each of `values`, and one of `other` if that is given.

    Parameters
    ----------
    values : sequence of dict
        Plain values by column, those of both tables; the column ``id`` of `first` is the `key` of `other`.
    columns, other_columns : mapping of str to str
        The type of each column. Names and types come from code, never from what is written.
    """
    quote = connection.ops.quote_name
    own = dict(other_columns or {})
    given = ", ".join(f"{quote(name)} {kind}" for name, kind in {**columns, **own}.items())
    names = ", ".join(map(quote, columns))
    with_ = (
        f"WITH given AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(%s::jsonb) AS g ({given}))"  # noqa: S608  from code
    )
    store = f"INSERT INTO {quote(first._meta.db_table)} ({names}) SELECT {names} FROM given"  # noqa: S608  from code
    statement = f"{with_} {store}"
    if other is not None:
        answers = "".join(f", {quote(name)}" for name in own)
        table = quote(other._meta.db_table)
        too = f"INSERT INTO {table} ({quote(key)}{answers}) SELECT id{answers} FROM given"  # noqa: S608  from code
        statement = f"{with_}, stored AS ({store}) {too}"
    with connection.cursor() as cursor:
        cursor.execute(statement, [json.dumps(list(values))])
