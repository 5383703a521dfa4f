"""Lend a HIT to a judge: the HIT, the judge's account, the assignment and the exposures.

Rule: a HIT that is lent is not available before its lease ends; the assignment is the judge's n-th of
the test set, the judge's request is answered, and the judge has now seen the segments, for a
repeat once more. The HITs since their last attention check (`$10`) and their last repeat (`$9`)
are counted, without training (`$11` is 0) and, for checks, without repeats. Training may show what another
task of the test set showed before. `$12` says among which exposures a segment is met once (`Exposure.apart`).

Test: tests/integration/annotation/test_lending.py::TestLending::test_a_judge_never_sees_a_segment_twice
Test: tests/integration/annotation/test_statements.py::TestLendingContext::test_the_design_and_the_account_are_the_latest
Earns: 1.4 ms a judged block
"""

from campaign.database.prepared import Statement

HIT_LEND = Statement(
    "hit_lend",
    "bigint, bigint, bigint, timestamptz, timestamptz, uuid, bigint[], boolean, int, int, int, text",
    """
    WITH hit AS (
        UPDATE annotation_hit SET available_at = $5 WHERE id = $1
    ), account AS (
        INSERT INTO annotation_judgeaccount
            (judge_id, task_id, hits_lent, intra_lent, last_lent_at,
             checks_lent, hits_since_check, hits_since_repeat)
        VALUES ($2, $3, 1, $9, $4, $10, $11 - $10 - $9, $11 - $9)
        ON CONFLICT (judge_id, task_id) DO UPDATE
        SET hits_lent = annotation_judgeaccount.hits_lent + 1,
            intra_lent = annotation_judgeaccount.intra_lent + $9,
            checks_lent = annotation_judgeaccount.checks_lent + $10,
            hits_since_check = CASE WHEN $10 = 1 THEN 0
                ELSE annotation_judgeaccount.hits_since_check + $11 - $9 END,
            hits_since_repeat = CASE WHEN $9 = 1 THEN 0
                ELSE annotation_judgeaccount.hits_since_repeat + $11 END,
            last_lent_at = $4, requested_at = NULL, none_left_at = NULL
        RETURNING hits_lent
    ), assignment AS (
        INSERT INTO annotation_assignment (hit_id, judge_id, public_id, lease, ordinal)
        SELECT $1, $2, $6, tstzrange($4, $5), account.hits_lent FROM account
        RETURNING id, ordinal
    ), exposures AS (
        INSERT INTO annotation_exposure (judge_id, segment_id, assignment_id, is_repeat, apart)
        SELECT $2, segment, assignment.id,
            $8 OR $11 = 0 AND EXISTS (
                SELECT FROM annotation_exposure seen
                WHERE seen.judge_id = $2 AND seen.segment_id = segment AND seen.apart = $12
                    AND NOT seen.is_repeat
            ), $12
        FROM assignment, unnest($7) segment
    )
    SELECT id, ordinal FROM assignment
    """,
)
