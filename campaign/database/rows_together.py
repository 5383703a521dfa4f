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
    other: type[Model],
    key: str,
    other_columns: Mapping[str, str],
) -> None:
    """Write a row of `first` and one of `other` for each of `values`.

    Parameters
    ----------
    values : sequence of dict
        Plain values by column, those of both tables; the column ``id`` of `first` is the `key` of `other`.
    columns, other_columns : mapping of str to str
        The type of each column. Names and types come from code, never from what is written.
    """
    quote = connection.ops.quote_name
    given = ", ".join(
        f"{quote(name)} {kind}" for name, kind in {**columns, **other_columns}.items()
    )
    names = ", ".join(map(quote, columns))
    answers = "".join(f", {quote(name)}" for name in other_columns)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            WITH given AS MATERIALIZED (SELECT * FROM json_to_recordset(%s::json) AS g ({given})),
            stored AS (
                INSERT INTO {quote(first._meta.db_table)} ({names}) SELECT {names} FROM given
            )
            INSERT INTO {quote(other._meta.db_table)} ({quote(key)}{answers}) SELECT id{answers} FROM given
            """,  # noqa: S608  from code
            [json.dumps(list(values))],
        )
