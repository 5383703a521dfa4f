"""Store a judgment in one round trip, which is one transaction.

The lock is taken first and by a statement of its own, so that the second
statement sees what another tab of the judge committed in the meantime.
"""

from functools import partial

from django.db import transaction

from annotation.models import Judgment
from annotation.notification import REQUEST_TIMEOUT_SECONDS, ranking_enqueue
from campaign.database.prepared import Statement

_LOCK = Statement(
    "assignment_lock",
    "bigint",
    "SELECT FROM annotation_assignment WHERE id = $1 FOR UPDATE",
)

# Closes the assignment and its HIT and counts the judge's blocks, if this judge has left no block
# of it undone but `$2`.
_CLOSED = """
    closed AS (
        UPDATE annotation_assignment a SET completed_at = statement_timestamp()
        {source}
        WHERE a.id = $1 AND {condition} AND a.completed_at IS NULL AND NOT EXISTS (
            SELECT FROM annotation_block b
            WHERE b.hit_id = a.hit_id AND b.id <> $2
                AND NOT EXISTS (SELECT FROM annotation_judgment j
                                WHERE j.block_id = b.id AND j.judge_id = a.judge_id)
                AND NOT EXISTS (SELECT FROM annotation_skip s
                                WHERE s.block_id = b.id AND s.judge_id = a.judge_id)
        )
        RETURNING a.hit_id, a.judge_id
    ), hit AS (
        UPDATE annotation_hit h SET completed_at = statement_timestamp()
        FROM closed WHERE h.id = closed.hit_id AND h.completed_at IS NULL
    ), account AS (
        INSERT INTO annotation_judgeaccount
            (judge_id, test_set_id, hits_lent, intra_lent, blocks_closed)
        SELECT closed.judge_id, h.test_set_id, 0, 0,
            (SELECT count(*) FROM annotation_block b WHERE b.hit_id = closed.hit_id)
        FROM closed JOIN annotation_hit h ON h.id = closed.hit_id
        ON CONFLICT (judge_id, test_set_id) DO UPDATE
        SET blocks_closed = annotation_judgeaccount.blocks_closed + EXCLUDED.blocks_closed
    )
"""
_CLOSE = Statement(
    "assignment_close",
    "bigint, bigint",
    f"WITH {_CLOSED.format(source='', condition='true')} SELECT FROM closed",
)
# Numbers become visible in their order because the row of the sequence stays locked until the
# commit, which follows at once; a rollback gives the number back, so there are no gaps.
_STORE = Statement(
    "judgment_store",
    "bigint, bigint, bigint, uuid, bigint, smallint[], int, int, text, timestamptz",
    f"""
    WITH sequence AS (
        UPDATE annotation_judgmentsequence SET last_number = last_number + 1,
            ranking_requested_at = CASE
                WHEN ranking_requested_at > statement_timestamp() - interval '{REQUEST_TIMEOUT_SECONDS} s'
                THEN ranking_requested_at ELSE statement_timestamp()
            END
        WHERE test_set_id = $3
            AND NOT EXISTS (SELECT FROM annotation_judgment j WHERE j.client_id = $4)
        RETURNING last_number, ranking_requested_at = statement_timestamp() AS is_new_request
    ), judgment AS (
        INSERT INTO annotation_judgment
            (test_set_id, number, client_id, judge_id, block_id, assignment_id, labels,
             duration_ms, active_ms, comment, submitted_at, supersedes_id)
        SELECT $3, sequence.last_number, $4, $5, $2, $1, $6, $7, $8, $9, $10,
            (SELECT j.id FROM annotation_judgment j WHERE j.block_id = $2 AND j.judge_id = $5
             ORDER BY j.number DESC LIMIT 1)
        FROM sequence
        RETURNING id, number, supersedes_id
    ), {_CLOSED.format(source="FROM judgment", condition="judgment.supersedes_id IS NULL")}
    SELECT judgment.id, judgment.number, judgment.supersedes_id, sequence.is_new_request
    FROM judgment, sequence
    """,  # noqa: S608  constants alone
    first=_LOCK,
)


def assignment_lock(assignment_id: int) -> None:
    """Lock the assignment's row until the commit; the judge's other tabs wait."""
    _LOCK.rows(assignment_id)


def assignment_close_if_done(assignment_id: int, *, done: int) -> None:
    """Close the assignment and its HIT if its judge has left no block undone but `done`.

    The caller's transaction holds the lock of the assignment's row.
    """
    _CLOSE.rows(assignment_id, done)


def judgment_store(judgment: Judgment) -> bool:
    """Store a judgment under its test set's next number; return whether it was stored.

    It supersedes the judge's last judgment of the same block. Closes the assignment if it was the
    last block, and requests a ranking unless one is requested already. Returns False if a judgment
    with this `client_id` exists or the test set has no `JudgmentSequence` yet.
    """
    stored = _STORE.row(
        judgment.assignment_id,
        *(judgment.assignment_id, judgment.block_id, judgment.test_set_id),
        *(str(judgment.client_id), judgment.judge_id, judgment.labels),
        *(judgment.duration_ms, judgment.active_ms, judgment.comment, judgment.submitted_at),
    )
    if stored is None:
        return False
    judgment.pk, judgment.number, judgment.supersedes_id, is_new_request = stored
    if is_new_request:
        transaction.on_commit(partial(ranking_enqueue, judgment.test_set_id))
    return True
