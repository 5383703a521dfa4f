"""Close an assignment and its HIT once its judge has left no block undone.

Rule: an assignment is done when its judge has judged or skipped all its blocks; then its HIT is done,
and its blocks are counted in `JudgeAccount.blocks_closed`. It is a part of `judgment_store`, and by
itself follows a skip, so that the rule is said once.

Test: tests/integration/annotation/test_submission.py::test_a_hit_is_done_when_every_block_is_judged_or_skipped
Test: tests/integration/annotation/test_statements.py::test_progress_is_what_the_history_says
Test: tests/integration/annotation/test_statements.py::test_tabs_that_send_the_last_blocks_at_once_close_the_hit_once
Earns: with judgment_store
"""

from campaign.database.prepared import Statement

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
