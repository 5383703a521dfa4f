scans := current_setting('enable_seqscan');
PERFORM set_config('enable_seqscan', 'off', true);
-- What is lent while these locks are waited for, the next statement sees.
PERFORM FROM annotation_hit asking
WHERE asking.repeats_id IN (
    SELECT block.hit_id
    FROM new_rows n
    JOIN annotation_judgment judgment ON judgment.id = n.judgment_id
    JOIN annotation_block block ON block.id = judgment.block_id
    WHERE n.acceptable IS NULL AND judgment.assignment_id IS NOT NULL
)
ORDER BY asking.id
FOR NO KEY UPDATE;
SELECT n.judgment_id INTO late
FROM new_rows n
JOIN annotation_judgment judgment ON judgment.id = n.judgment_id
JOIN annotation_block block ON block.id = judgment.block_id
WHERE n.acceptable IS NULL AND judgment.assignment_id IS NOT NULL
    AND EXISTS (
        SELECT FROM annotation_hit asking JOIN annotation_assignment lent ON lent.hit_id = asking.id
        WHERE asking.repeats_id = block.hit_id
    )
    -- Others are asked about the edit of who was first: those of anybody else change nothing.
    AND judgment.judge_id = (
        SELECT first.judge_id FROM annotation_judgment first
        WHERE first.block_id = block.id ORDER BY first.id LIMIT 1
    )
LIMIT 1;
PERFORM set_config('enable_seqscan', scans, true);
IF late IS NOT NULL THEN
    RAISE EXCEPTION 'judgment % changes an edit that others are asked about', late
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'editing_stays_once_others_are_asked';
END IF;
RETURN NULL;
