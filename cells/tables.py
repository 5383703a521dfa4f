"""Copy rows from one database into another by COPY, and compare them by digests."""

import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet

from cells.campaign_rows import campaign_rows, columns, columns_of_users

# A table up to this size is passed on in memory.
_IN_MEMORY: Final = 16 * 2**20
# Texts of rows, of which digests are made, depend on these.
_SAME_TEXTS: Final = (
    "SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO'; SET LOCAL extra_float_digits = 1;"
    " SET LOCAL intervalstyle = 'iso_8601'; SET LOCAL bytea_output = 'hex'"
)

#: Number of rows, and the sum of a hash of each.
Digest = tuple[int, int]


def texts_settle(connection: BaseDatabaseWrapper) -> None:
    """Have this transaction write values as text in the same way in each database."""
    with connection.cursor() as cursor:
        cursor.execute(_SAME_TEXTS)


def rows_copy(
    source: BaseDatabaseWrapper,
    target: BaseDatabaseWrapper,
    rows: QuerySet[Any, Any],
    into: str,
    names: Sequence[str],
) -> None:
    """Copy the rows of a query into a table, or a view of this session, with these columns."""
    listed = ", ".join(map(source.ops.quote_name, names))
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        with source.cursor() as cursor:
            cursor.copy_expert(f"COPY ({written(source, rows)}) TO STDOUT (FORMAT binary)", file)
        file.seek(0)
        with target.cursor() as cursor:
            table = target.ops.quote_name(into)
            cursor.copy_expert(f"COPY {table} ({listed}) FROM STDIN (FORMAT binary)", file)


def table_copy(
    source: BaseDatabaseWrapper,
    target: BaseDatabaseWrapper,
    model: type[Model],
    campaign_id: int,
) -> None:
    """Copy a campaign's rows of a table, under their ids."""
    names = [str(field.column) for field in columns(model)]
    rows_copy(source, target, campaign_rows(model, campaign_id), model._meta.db_table, names)


def users_rename(
    target: BaseDatabaseWrapper, model: type[Model], campaign_id: int, ids: Mapping[int, int]
) -> None:
    """Put other ids of users into a campaign's rows that were copied."""
    table, key = (
        target.ops.quote_name(name) for name in (model._meta.db_table, model._meta.pk.column or "")
    )
    keys = campaign_rows(model, campaign_id).values_list("pk")
    for column in map(target.ops.quote_name, columns_of_users(model)):
        with target.cursor() as cursor:
            for before, after in ids.items():
                cursor.execute(
                    f"UPDATE {table} SET {column} = %s"
                    f" WHERE {column} = %s AND {key} IN ({written(target, keys)})",
                    [after, before],
                )


def table_digest(
    connection: BaseDatabaseWrapper,
    model: type[Model],
    campaign_id: int,
    renamed: Mapping[int, int] | None = None,
) -> Digest:
    """Return the digest of a campaign's rows of a table; ids of users as they were before `renamed`."""
    quote = connection.ops.quote_name
    names = [str(field.column) for field in columns(model)]
    of_users = columns_of_users(model) if renamed else []
    before = " ".join(f"WHEN {after} THEN {old}" for old, after in (renamed or {}).items())
    shown = ", ".join(
        f"CASE {quote(name)} {before} ELSE {quote(name)} END" if name in of_users else quote(name)
        for name in names
    )
    listed = ", ".join(map(quote, names))
    rows = written(connection, campaign_rows(model, campaign_id).order_by())
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), coalesce(sum(hashtextextended(ROW("
            f"{shown})::text, 0)::numeric), 0) FROM ({rows}) each ({listed})"
        )
        count, total = cursor.fetchone()
    return int(count), int(total)


def written(connection: BaseDatabaseWrapper, rows: QuerySet[Any, Any]) -> str:
    """Return a query with its values in it, since COPY takes no parameters; `%` as it is."""
    sql, parameters = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        text: bytes = cursor.mogrify(sql, parameters)
    return text.decode()
