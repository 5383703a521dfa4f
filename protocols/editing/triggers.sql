-- trigger editing_answer_fits_its_judgment
{plan_by_index}
FOR answer IN
    SELECT n.*, j.*
    FROM new_rows n CROSS JOIN LATERAL (
        SELECT judgment.labels, judgment.judge_id, judgment.assignment_id IS NULL AS is_imported,
            block.id AS block_id, block.hit_id, block.segment_id, block.outputs[1] AS output_id,
            hit.repeats_id,
            (SELECT o.text FROM campaign_output o WHERE o.id = block.outputs[1]) AS output,
            (SELECT k.protocol FROM campaign_task k WHERE k.id = judgment.task_id) AS protocol
        FROM annotation_judgment judgment, annotation_block block, annotation_hit hit
        WHERE judgment.id = n.judgment_id AND block.id = judgment.block_id AND hit.id = block.hit_id
        OFFSET 0
    ) j
LOOP
    IF answer.protocol <> 'editing' THEN
        RAISE EXCEPTION 'judgment % is not of blind editing', answer.judgment_id
            USING ERRCODE = 'check_violation',
                  CONSTRAINT = 'editing_answer_of_its_protocol';
    END IF;
    IF answer.labels <> '{1}' THEN
        RAISE EXCEPTION 'judgment % has the labels %, not those of one output',
            answer.judgment_id, answer.labels
            USING ERRCODE = 'check_violation',
                  CONSTRAINT = 'editing_labels_are_of_one_output';
    END IF;
    -- HITs of imported answers repeat none.
    IF (answer.acceptable IS NULL) <> (
        CASE WHEN answer.is_imported THEN answer.edit_id IS NULL ELSE answer.repeats_id IS NULL END
    ) THEN
        RAISE EXCEPTION 'judgment % is an edit in a HIT that repeats another, or of one in a HIT that repeats none, or imported and of none',
            answer.judgment_id
            USING ERRCODE = 'check_violation',
                  CONSTRAINT = 'editing_first_then_acceptability';
    END IF;
    IF answer.outcome = 'edited' AND answer.text = answer.output THEN
        RAISE EXCEPTION 'judgment % edits an output, and its text is as it was', answer.judgment_id
            USING ERRCODE = 'check_violation',
                  CONSTRAINT = 'editing_changes_the_text';
    END IF;
    IF answer.edit_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM annotation_judgment edit, annotation_block block, editing_answer edited
        WHERE edit.id = answer.edit_id AND block.id = edit.block_id AND edited.judgment_id = edit.id
            AND (block.hit_id = answer.repeats_id OR answer.is_imported AND block.outputs[1] = answer.output_id)
            AND block.segment_id = answer.segment_id
            AND edit.judge_id <> answer.judge_id AND edited.acceptable IS NULL
    ) THEN
        RAISE EXCEPTION 'judgment % is about judgment %, which is no edit by somebody else of what it shows',
            answer.judgment_id, answer.edit_id
            USING ERRCODE = 'check_violation',
                  CONSTRAINT = 'editing_acceptance_is_of_anothers_edit';
    END IF;
    CONTINUE WHEN answer.acceptable IS NOT NULL OR answer.is_imported;
    -- What is lent while these locks are waited for, the next statement sees.
    PERFORM FROM annotation_hit asking WHERE asking.repeats_id = answer.hit_id ORDER BY asking.id FOR NO KEY UPDATE;
    IF EXISTS (
        SELECT FROM annotation_hit asking JOIN annotation_assignment lent ON lent.hit_id = asking.id
        WHERE asking.repeats_id = answer.hit_id
    ) AND answer.judge_id = (
        -- Others are asked about the edit of who was first: those of anybody else change nothing.
        SELECT first.judge_id FROM annotation_judgment first
        WHERE first.block_id = answer.block_id ORDER BY first.id LIMIT 1
    ) THEN
        RAISE EXCEPTION 'judgment % changes an edit that others are asked about', answer.judgment_id
            USING ERRCODE = 'check_violation',
                  CONSTRAINT = 'editing_stays_once_others_are_asked';
    END IF;
END LOOP;
{plan_as_before}
RETURN NULL;
