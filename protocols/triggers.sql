-- trigger editing_edit_final_once_under_review
{plan_by_index}
FOR edit IN
    SELECT j.*
    FROM new_rows n CROSS JOIN LATERAL (
        SELECT judgment.id, judgment.judge_id, judgment.block_id, block.hit_id
        FROM annotation_judgment judgment, annotation_block block
        WHERE judgment.id = n.judgment_id AND judgment.assignment_id IS NOT NULL
            AND block.id = judgment.block_id
        OFFSET 0
    ) j
    WHERE n.acceptable IS NULL
LOOP
    -- The next statement sees HITs lent while this one waits for its locks.
    PERFORM FROM annotation_hit review WHERE review.repeats_id = edit.hit_id ORDER BY review.id FOR NO KEY UPDATE;
    IF EXISTS (
        SELECT FROM annotation_hit review JOIN annotation_assignment lent ON lent.hit_id = review.id
        WHERE review.repeats_id = edit.hit_id
    ) AND edit.judge_id = (
        -- Judges review the first editor's text only; other editors may change theirs.
        SELECT first.judge_id FROM annotation_judgment first
        WHERE first.block_id = edit.block_id ORDER BY first.id LIMIT 1
    ) THEN
        RAISE EXCEPTION 'judgment % changes an edit that other judges have already received', edit.id
            USING ERRCODE = 'check_violation',
                  CONSTRAINT = 'editing_edit_final_once_under_review';
    END IF;
END LOOP;
{plan_as_before}
RETURN NULL;

-- trigger quiz_snippets_final_once_read
of_task := CASE TG_OP WHEN 'DELETE' THEN OLD.task_id ELSE NEW.task_id END;
IF EXISTS (
    SELECT FROM annotation_assignment a JOIN annotation_hit h ON h.id = a.hit_id
    WHERE h.task_id = of_task
) OR EXISTS (
    -- Imported judgments were never lent.
    SELECT FROM annotation_judgment j WHERE j.task_id = of_task
) THEN
    RAISE EXCEPTION 'snippets of task % cannot change: it has judgments or lent HITs', of_task
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'quiz_snippets_final_once_read';
END IF;
RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;

-- trigger suggested_spans_final_once_lent
of_task := CASE TG_OP WHEN 'DELETE' THEN OLD.task_id ELSE NEW.task_id END;
IF EXISTS (
    SELECT FROM annotation_assignment a JOIN annotation_hit h ON h.id = a.hit_id
    WHERE h.task_id = of_task
) THEN
    RAISE EXCEPTION 'suggestions of task % cannot change: it has lent HITs', of_task
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'suggested_spans_final_once_lent';
END IF;
RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
