"""Store a judgment, and close its assignment if it was the last.

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
"""

from annotation.sql.assignment_close import CLOSING
from annotation.sql.assignment_lock import ASSIGNMENT_LOCK
from campaign.database.prepared import Statement

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
            SELECT FROM annotation_rankingrequest r
            WHERE r.task_id = $3 AND r.requested_at > statement_timestamp() - $10
        )
    FROM judgment
"""

JUDGMENT_STORE = Statement(
    "judgment_store",
    JUDGMENT,
    STORING.format(answer=""),
    first=ASSIGNMENT_LOCK,
)
