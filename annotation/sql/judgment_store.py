"""Store a judgment under its test set's next number, and close its assignment if it was the last.

Rule: judgments of a test set are numbered without gaps and become visible in their order, because the
row of the sequence stays locked until the commit, which follows at once, and a rollback gives
the number back. A judgment supersedes the judge's last one of the same block; the same
`client_id` is stored once; one ranking is requested until the request is answered or too old. A judgment
is replaced so many times and no more, and a judge replaces so many a minute.

Test: tests/integration/annotation/test_submission.py::test_a_new_id_for_the_same_block_supersedes
Test: tests/integration/annotation/test_submission.py::test_numbers_have_no_gaps_even_after_a_refusal
Test: tests/integration/annotation/test_write_limits.py::test_a_ranking_is_changed_so_often_and_no_more
Test: tests/integration/annotation/test_statements.py::test_tabs_that_send_the_last_blocks_at_once_close_the_hit_once
Earns: 11.1 ms a judged block
"""

from annotation.sql.assignment_close import CLOSING
from annotation.sql.assignment_lock import ASSIGNMENT_LOCK
from campaign.database.prepared import Statement

JUDGMENT_STORE = Statement(
    "judgment_store",
    "bigint, bigint, bigint, uuid, bigint, smallint[], int, int, text, interval, int, int",
    f"""
    WITH earlier AS (
        SELECT count(*) AS times
        FROM annotation_judgment j WHERE j.block_id = $2 AND j.judge_id = $5
    ), sequence AS (
        UPDATE annotation_judgmentsequence SET last_number = last_number + 1,
            ranking_requested_at = CASE
                WHEN ranking_requested_at > statement_timestamp() - $10
                THEN ranking_requested_at ELSE statement_timestamp()
            END
        WHERE test_set_id = $3
            AND NOT EXISTS (SELECT FROM annotation_judgment j WHERE j.client_id = $4)
            AND (SELECT CASE WHEN earlier.times = 0 THEN true ELSE earlier.times <= $11 AND (
                SELECT count(*) < $12 FROM annotation_judgment j
                WHERE j.judge_id = $5 AND j.submitted_at > statement_timestamp() - interval '1 minute'
                    AND j.supersedes_id IS NOT NULL
            ) END FROM earlier)
        RETURNING last_number, ranking_requested_at = statement_timestamp() AS is_new_request
    ), judgment AS (
        INSERT INTO annotation_judgment
            (test_set_id, number, client_id, judge_id, block_id, assignment_id, labels,
             duration_ms, active_ms, comment, supersedes_id)
        SELECT $3, sequence.last_number, $4, $5, $2, $1, $6, $7, $8, $9,
            (SELECT j.id FROM annotation_judgment j WHERE j.block_id = $2 AND j.judge_id = $5
             ORDER BY j.number DESC LIMIT 1)
        FROM sequence
        RETURNING id, number, supersedes_id, submitted_at
    ), {CLOSING.format(source="FROM judgment", condition="judgment.supersedes_id IS NULL")}
    SELECT judgment.id, judgment.number, judgment.supersedes_id, judgment.submitted_at,
        sequence.is_new_request
    FROM judgment, sequence
    """,
    first=ASSIGNMENT_LOCK,
)
