"""Insert many rows of a model in one statement with a JSON parameter.

This is for thousands of rows, since nothing is compiled per row. The activity log records them
(`campaign.database.recording`), and constraints and triggers apply.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import connection, models

from campaign.database.recording import rows_created


def rows_insert(
    model: type[models.Model], rows: Sequence[Mapping[str, Any]], **same: Any
) -> list[int]:
    """Insert rows and return their IDs in the same order. Call it in a transaction.

    Parameters
    ----------
    model : type of Model
    rows : sequence of mappings
        Values by column, with the same columns in each row: texts, numbers, booleans, None, times, bytes, and
        lists of these.
    **same
        Values shared by all rows. Other columns get their defaults.
    """
    if not rows:
        return []
    quote = connection.ops.quote_name
    fields = {
        each.attname: each
        for each in model._meta.concrete_fields
        if each.attname in rows[0] or not each.primary_key
    }
    told = [fields[name] for name in rows[0]]
    others = [
        each
        for name, each in fields.items()
        if name not in rows[0] and (name in same or each.db_default is models.NOT_PROVIDED)
    ]
    columns = ", ".join(quote(str(each.column)) for each in (*told, *others))
    types = ", ".join(f"{quote(str(each.column))} {_type(each)}" for each in told)
    names = ", ".join(quote(str(each.column)) for each in told)
    values = ", ".join([names, *(f"%s::{_type(each)}" for each in others)])
    constants = [
        each.get_db_prep_save(same.get(each.attname, each.get_default()), connection)
        for each in others
    ]
    with connection.cursor() as cursor:
        # Names come from models, never from files.
        cursor.execute(
            f"INSERT INTO {quote(model._meta.db_table)} ({columns})"  # noqa: S608
            f" SELECT {values} FROM ROWS FROM (json_to_recordset(%s::json) AS ({types}))"
            f" WITH ORDINALITY AS each_row ({names}, its_place) ORDER BY its_place"
            f" RETURNING {quote(str(model._meta.pk.column))}",
            [*constants, json.dumps([*map(dict, rows)], default=_json_of, ensure_ascii=False)],
        )
        keys = [pk for (pk,) in cursor.fetchall()]
    rows_created(model, keys)
    return keys


def _type(field: "models.Field[Any, Any]") -> str:
    """Return the type of a column without its length, since a cast would truncate texts instead of refusing them."""
    return re.sub(r"\(\d+\)", "", str(field.db_type(connection)))


def _json_of(value: Any) -> str:
    if isinstance(value, bytes):
        return f"\\x{value.hex()}"
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(type(value))
