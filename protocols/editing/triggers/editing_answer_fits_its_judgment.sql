scans := current_setting('enable_seqscan');
PERFORM set_config('enable_seqscan', 'off', true);
SELECT n.judgment_id, n.edit_id, j.labels,
    j.protocol <> 'editing' AS is_of_another,
    j.labels::integer[] <> '{1}' AS has_other_labels,
    j.is_of_the_other_question
INTO wrong
FROM new_rows n CROSS JOIN LATERAL (
    SELECT judgment.labels, judgment.judge_id, block.segment_id, hit.repeats_id,
        -- HITs of imported answers repeat none.
        CASE WHEN judgment.assignment_id IS NULL THEN (n.acceptable IS NULL) <> (n.edit_id IS NULL)
            ELSE (hit.repeats_id IS NULL) <> (n.acceptable IS NULL)
        END AS is_of_the_other_question,
        CASE WHEN judgment.assignment_id IS NULL THEN block.outputs[1] END AS imported_output,
        (SELECT o.text FROM campaign_output o WHERE o.id = block.outputs[1]) AS output,
        (SELECT k.protocol FROM campaign_task k WHERE k.id = judgment.task_id) AS protocol
    FROM annotation_judgment judgment, annotation_block block, annotation_hit hit
    WHERE judgment.id = n.judgment_id AND block.id = judgment.block_id AND hit.id = block.hit_id
    OFFSET 0
) j
WHERE j.protocol <> 'editing'
    OR j.labels::integer[] <> '{1}'
    OR j.is_of_the_other_question
    OR n.outcome = 'edited' AND n.text = j.output
    OR n.edit_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM annotation_judgment edit, annotation_block block, editing_answer answer
        WHERE edit.id = n.edit_id AND block.id = edit.block_id AND answer.judgment_id = edit.id
            AND (block.hit_id = j.repeats_id OR block.outputs[1] = j.imported_output)
            AND block.segment_id = j.segment_id
            AND edit.judge_id <> j.judge_id AND answer.acceptable IS NULL
    )
LIMIT 1;
PERFORM set_config('enable_seqscan', scans, true);
IF wrong.judgment_id IS NULL THEN
    RETURN NULL;
END IF;
IF wrong.is_of_another THEN
    RAISE EXCEPTION 'judgment % is not of blind editing', wrong.judgment_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'editing_answer_of_its_protocol';
END IF;
IF wrong.has_other_labels THEN
    RAISE EXCEPTION 'judgment % has the labels %, not those of one output',
        wrong.judgment_id, wrong.labels
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'editing_labels_are_of_one_output';
END IF;
IF wrong.is_of_the_other_question THEN
    RAISE EXCEPTION 'judgment % is an edit in a HIT that repeats another, or of one in a HIT that repeats none, or imported and of none',
        wrong.judgment_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'editing_first_then_acceptability';
END IF;
IF wrong.edit_id IS NULL THEN
    RAISE EXCEPTION 'judgment % edits an output, and its text is as it was', wrong.judgment_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'editing_changes_the_text';
END IF;
RAISE EXCEPTION 'judgment % is about judgment %, which is no edit by somebody else of what it shows',
    wrong.judgment_id, wrong.edit_id
    USING ERRCODE = 'check_violation',
          CONSTRAINT = 'editing_acceptance_is_of_anothers_edit';
