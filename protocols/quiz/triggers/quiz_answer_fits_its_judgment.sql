{plan_by_index}
SELECT n.judgment_id, j.labels, j.protocol <> 'quiz' AS is_of_another,
    j.labels::integer[] <> '{1}' AS has_other_labels,
    cardinality(n.answers) AS given, j.asked
INTO wrong
FROM new_rows n CROSS JOIN LATERAL (
    SELECT judgment.labels,
        (SELECT k.protocol FROM campaign_task k WHERE k.id = judgment.task_id) AS protocol,
        -- Of statements about a snippet, with its last segment.
        coalesce((
            SELECT cardinality(snippet.statements) FROM quiz_snippet snippet
            WHERE snippet.task_id = judgment.task_id AND snippet.document_id = segment.document_id
                AND snippet.last = segment.position
        ), 0) AS asked
    FROM annotation_judgment judgment, annotation_block block, campaign_segment segment
    WHERE judgment.id = n.judgment_id AND block.id = judgment.block_id
        AND segment.id = block.segment_id
    OFFSET 0
) j
WHERE j.protocol <> 'quiz' OR j.labels::integer[] <> '{1}' OR cardinality(n.answers) <> j.asked
LIMIT 1;
{plan_as_before}
IF wrong.judgment_id IS NULL THEN
    RETURN NULL;
END IF;
IF wrong.is_of_another THEN
    RAISE EXCEPTION 'judgment % is not of a quiz', wrong.judgment_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'quiz_answer_of_its_protocol';
END IF;
IF wrong.has_other_labels THEN
    RAISE EXCEPTION 'judgment % has the labels %, not those of one output',
        wrong.judgment_id, wrong.labels
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'quiz_labels_are_of_one_output';
END IF;
RAISE EXCEPTION 'judgment % has % answers to % statements',
    wrong.judgment_id, wrong.given, wrong.asked
    USING ERRCODE = 'check_violation',
          CONSTRAINT = 'quiz_answer_to_each_statement';
