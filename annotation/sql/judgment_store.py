"""Store a judgment, with what its answer says beside its labels, and close its assignment if it was the last.

Rule: a judge's tabs submit one after the other, each seeing what the one before stored. It is sent
with `judgment_store` in one round trip, as a statement of its own, so that the second statement
sees what the first one waited for. A connection keeps its plans of what foreign keys look up at the commit: made
while the tables are small they would read them whole, all judgments for each answer, so no table is read whole until then.

Test: tests/integration/annotation/test_statements.py::test_tabs_that_send_the_last_blocks_at_once_close_the_hit_once
Earns: with judgment_store

Rule: an assignment is done when its judge has judged or skipped all its blocks; then its HIT is done,
and its blocks are counted in `JudgeAccount.blocks_closed`. It is a part of `judgment_store`, and by
itself follows a skip, so that the rule is said once.

Test: tests/integration/annotation/test_submission.py::test_a_hit_is_done_when_every_block_is_judged_or_skipped
Test: tests/integration/annotation/test_statements.py::test_progress_is_what_the_history_says
Test: tests/integration/annotation/test_statements.py::test_tabs_that_send_the_last_blocks_at_once_close_the_hit_once
Earns: with judgment_store

Rule: a judgment supersedes the judge's last one of the same block; the same `client_id` is stored once.
It says whether a ranking is requested that is neither answered nor too old: who hears that none is, requests it.
A judgment is replaced so many times and no more, and a judge replaces so many a minute. It gets its number
after the commit, by `judgments_number`: here nothing is locked that judges share.

Test: tests/integration/annotation/test_submission.py::test_a_new_id_for_the_same_block_supersedes
Test: tests/integration/annotation/test_numbers.py::test_nobody_waits_for_a_judgment_that_is_being_stored
Test: tests/integration/annotation/test_planned_for_growth.py::test_storing_reads_the_same_few_rows_whatever_is_stored
Test: tests/integration/annotation/test_write_limits.py::test_a_ranking_is_changed_so_often_and_no_more
Test: tests/integration/annotation/test_statements.py::test_tabs_that_send_the_last_blocks_at_once_close_the_hit_once
Earns: 6.9 ms a judged block

Rule: both or neither is stored: it is `judgment_store` with an INSERT more, of the judgment that it stores.

Test: tests/integration/protocols/test_every_protocol.py::test_an_answer_is_stored_once_and_numbered_and_superseded
Test: tests/integration/protocols/test_at_once.py::test_one_id_of_many_judges_is_stored_once
Earns: 1.2 ms a judged block
"""

from collections.abc import Mapping
from functools import cache

from django.db import connection
from django.db.models import Model

from campaign.database.prepared import Statement

ASSIGNMENT_LOCK = Statement(
    "assignment_lock",
    "bigint",
    "SELECT set_config('enable_seqscan', 'off', true)"
    " FROM annotation_assignment WHERE id = $1 FOR UPDATE",
)


# For assignment `$1`, whose block `$2` is being stored: `closed`, `closed_hit` and `counted`.
# Each table is asked by itself, by a key. Of joins, and without `OFFSET 0`, PostgreSQL may read a whole
# table or index: that is as cheap as any other way while the statistics say that there is next to nothing,
# and it keeps to it while they become many. `+ 0` leaves it the index on blocks: a judge has many of both.
CLOSING = """
    closed AS (
        UPDATE annotation_assignment a SET completed_at = statement_timestamp()
        {source}
        WHERE a.id = $1 AND {condition} AND a.completed_at IS NULL AND NOT EXISTS (
            SELECT FROM annotation_block b
            WHERE b.hit_id = a.hit_id AND b.id <> $2
                AND NOT EXISTS (SELECT FROM annotation_judgment j
                                WHERE j.block_id = b.id AND j.judge_id + 0 = a.judge_id OFFSET 0)
                AND NOT EXISTS (SELECT FROM annotation_skip s
                                WHERE s.block_id = b.id AND s.judge_id + 0 = a.judge_id OFFSET 0)
            OFFSET 0
        )
        RETURNING a.hit_id, a.judge_id
    ), closed_hit AS (
        UPDATE annotation_hit h SET completed_at = statement_timestamp()
        WHERE h.id = (SELECT closed.hit_id FROM closed) AND h.completed_at IS NULL
    ), counted AS (
        INSERT INTO annotation_judgeaccount
            (judge_id, task_id, hits_lent, intra_lent, blocks_closed)
        SELECT closed.judge_id,
            (SELECT h.task_id FROM annotation_hit h WHERE h.id = closed.hit_id), 0, 0,
            (SELECT count(*) FROM annotation_block b WHERE b.hit_id = closed.hit_id)
        FROM closed
        ON CONFLICT (judge_id, task_id) DO UPDATE
        SET blocks_closed = annotation_judgeaccount.blocks_closed + EXCLUDED.blocks_closed
    )
"""

ASSIGNMENT_CLOSE = Statement(
    "assignment_close",
    "bigint, bigint",
    f"WITH {CLOSING.format(source='', condition='true')} SELECT FROM closed",
)


JUDGMENT = "bigint, bigint, bigint, uuid, bigint, smallint[], int, int, text, interval, int, int"
# With `answer`, what its answer says beside its labels: `answer_store`.
# `coalesce` and `+ 0` leave PostgreSQL one index to read, as in `assignment_close`.
STORING = f"""
    WITH earlier AS (
        SELECT count(*) AS times, max(j.id) AS latest
        FROM annotation_judgment j WHERE j.block_id = $2 AND j.judge_id + 0 = $5
    ), judgment AS (
        INSERT INTO annotation_judgment
            (task_id, client_id, judge_id, block_id, assignment_id, labels,
             duration_ms, active_ms, comment, supersedes_id)
        SELECT $3, $4, $5, $2, $1, $6, $7, $8, $9, earlier.latest
        FROM earlier
        WHERE NOT EXISTS (SELECT FROM annotation_judgment j WHERE j.client_id = $4)
            AND CASE WHEN earlier.times = 0 THEN true ELSE earlier.times <= $11 AND (
                SELECT count(*) < $12 FROM annotation_judgment j
                WHERE j.judge_id = $5 AND j.submitted_at > statement_timestamp() - interval '1 minute'
                    AND coalesce(j.supersedes_id, 0) > 0
            ) END
        RETURNING id, supersedes_id, submitted_at
    ), {{answer}} {CLOSING.format(source="FROM judgment", condition="judgment.supersedes_id IS NULL")}
    SELECT judgment.id, judgment.supersedes_id, judgment.submitted_at,
        EXISTS (
            SELECT FROM annotation_pagechanges p
            WHERE p.task_id = $3 AND p.ranking_requested_at > statement_timestamp() - $10
        )
    FROM judgment
"""

JUDGMENT_STORE = Statement(
    "judgment_store",
    JUDGMENT,
    STORING.format(answer=""),
    first=ASSIGNMENT_LOCK,
)


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
