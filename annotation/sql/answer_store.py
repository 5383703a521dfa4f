"""Store a judgment with what its answer says beside its labels.

Rule: both or neither is stored: it is `judgment_store` with an INSERT more, of the judgment that it stores.

Test: tests/integration/protocols/test_every_protocol.py::test_an_answer_is_stored_once_and_numbered_and_superseded
Test: tests/integration/protocols/test_at_once.py::test_one_id_of_many_judges_is_stored_once
Earns: 1.2 ms a judged block
"""

from collections.abc import Mapping
from functools import cache

from django.db import connection
from django.db.models import Model

from annotation.sql.assignment_lock import ASSIGNMENT_LOCK
from annotation.sql.judgment_store import JUDGMENT, STORING
from campaign.database.prepared import Statement


@cache
def answer_columns(model: type[Model]) -> Mapping[str, str]:
    """Return the columns of the answers of a protocol but `judgment_id`, each with its PostgreSQL type."""
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    return {str(field.column): field.db_type(connection) or "" for field in fields}


@cache
def answer_statement(model: type[Model]) -> Statement:
    """Return what stores a judgment and its answer.

    Parameters
    ----------
    model : type of Model
        Of the answers of a protocol.

    Returns
    -------
    Statement
        It takes the parameters of `JUDGMENT_STORE`, then the values of `answer_columns`; its row is that of `JUDGMENT_STORE`.
    """
    table, columns = model._meta.db_table, answer_columns(model)
    first = 1 + len(JUDGMENT.split(","))
    values = ", ".join(f"${place}" for place, _column in enumerate(columns, first))
    answer = f"""answer AS (
        INSERT INTO {table} (judgment_id, {", ".join(columns)})
        SELECT judgment.id, {values} FROM judgment
    ),"""
    return Statement(
        f"{table}_store",
        ", ".join((JUDGMENT, *columns.values())),
        STORING.format(answer=answer),
        first=ASSIGNMENT_LOCK,
    )
