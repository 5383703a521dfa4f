"""Store a judgment with what its answer says beside its labels.

Rule: both or neither is stored, in one round trip and one transaction: `judgment_store` goes first. Where that stores nothing,
because its `client_id` is there, so is its answer, and nothing is returned.

Test: tests/integration/protocols/test_every_protocol.py::test_an_answer_is_stored_once_and_numbered_and_superseded
Test: tests/integration/protocols/test_at_once.py::test_one_id_of_many_judges_is_stored_once
Earns: 1.2 ms a judged block
"""

from collections.abc import Mapping
from functools import cache

from django.db import connection
from django.db.models import Model

from annotation.sql.judgment_store import JUDGMENT_STORE
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
        It takes the parameters of `JUDGMENT_STORE`, then the judgment's `client_id`, its task, the age beyond which a
        request for a ranking is too old, and the values of `answer_columns`; its row is that of `JUDGMENT_STORE`.
    """
    table, columns = model._meta.db_table, answer_columns(model)
    values = ", ".join(f"${place}" for place, _column in enumerate(columns, 4))
    return Statement(
        f"{table}_store",
        ", ".join(("uuid", "bigint", "interval", *columns.values())),
        f"""
        WITH answer AS (
            INSERT INTO {table} (judgment_id, {", ".join(columns)})
            SELECT j.id, {values} FROM annotation_judgment j WHERE j.client_id = $1
            ON CONFLICT (judgment_id) DO NOTHING
            RETURNING judgment_id
        )
        SELECT j.id, j.supersedes_id, j.submitted_at,
            EXISTS (
                SELECT FROM annotation_rankingrequest r
                WHERE r.task_id = $2 AND r.requested_at > statement_timestamp() - $3
            )
        FROM answer JOIN annotation_judgment j ON j.id = answer.judgment_id
        """,
        first=JUDGMENT_STORE,
    )
