{plan_by_index}
-- A block that is not there is refused by the foreign key.
SELECT n.id, n.block_id, n.task_id, cardinality(n.labels) AS labels, b.shown,
    b.task_id <> n.task_id AS is_of_another,
    cardinality(n.labels) <> b.shown AS is_not_aligned
INTO wrong
FROM new_rows n LEFT JOIN LATERAL (
    SELECT cardinality(coalesce(b.stands_for, b.outputs)) AS shown,
        (SELECT h.task_id FROM annotation_hit h WHERE h.id = b.hit_id) AS task_id
    FROM annotation_block b WHERE b.id = n.block_id
    OFFSET 0
) b ON true
WHERE b.task_id <> n.task_id
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
