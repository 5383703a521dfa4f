{plan_by_index}
-- Whoever deletes a judge waits for this lock: `judge_stays_with_their_judgments`.
SELECT n.judge_id INTO lost
FROM (SELECT DISTINCT r.judge_id FROM new_rows r) n
WHERE (SELECT j.id FROM campaign_judge j WHERE j.id = n.judge_id FOR KEY SHARE) IS NULL
LIMIT 1;
SELECT n.id, n.block_id, n.task_id, cardinality(n.labels) AS labels, b.shown,
    b.task_id <> n.task_id AS is_of_another,
    cardinality(n.labels) <> b.shown AS is_not_aligned, b.shown IS NULL AS is_of_none
INTO wrong
FROM new_rows n LEFT JOIN LATERAL (
    SELECT cardinality(coalesce(b.stands_for, b.outputs)) AS shown,
        (SELECT h.task_id FROM annotation_hit h WHERE h.id = b.hit_id) AS task_id
    FROM annotation_block b WHERE b.id = n.block_id
    -- Whoever deletes the block waits for this lock: `block_stays_while_judged`.
    OFFSET 0 FOR KEY SHARE OF b
) b ON true
WHERE b.shown IS NULL
    OR b.task_id <> n.task_id
    OR cardinality(n.labels) <> b.shown
    OR n.supersedes_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM annotation_judgment j
        WHERE j.id = n.supersedes_id
            AND j.judge_id = n.judge_id AND j.block_id = n.block_id
            AND j.id < n.id
        OFFSET 0
    )
LIMIT 1;
{plan_as_before}
IF lost IS NOT NULL THEN
    RAISE EXCEPTION 'there is no judge %', lost
        USING ERRCODE = 'foreign_key_violation',
              CONSTRAINT = 'judgment_by_a_judge';
END IF;
IF wrong.is_of_none THEN
    RAISE EXCEPTION 'there is no block %', wrong.block_id
        USING ERRCODE = 'foreign_key_violation',
              CONSTRAINT = 'judgment_of_a_block';
END IF;
IF wrong.is_of_another THEN
    RAISE EXCEPTION 'block % is not of test set %',
        wrong.block_id, wrong.task_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'judgment_of_its_task';
END IF;
IF wrong.is_not_aligned THEN
    RAISE EXCEPTION '% labels for % candidates of block %',
        wrong.labels, wrong.shown, wrong.block_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'judgment_labels_aligned_with_candidates';
END IF;
IF wrong.id IS NOT NULL THEN
    RAISE EXCEPTION
        'judgment % supersedes one of another judge, block or time', wrong.id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'judgment_supersedes_its_own_kind';
END IF;
RETURN NULL;
