-- trigger two_outputs_answer_fits_its_judgment
{plan_by_index}
SELECT n.judgment_id, n.verdict, j.labels, j.protocol <> 'two_outputs' AS is_of_another
INTO wrong
FROM new_rows n CROSS JOIN LATERAL (
    SELECT judgment.labels,
        (SELECT k.protocol FROM campaign_task k WHERE k.id = judgment.task_id) AS protocol
    FROM annotation_judgment judgment WHERE judgment.id = n.judgment_id
    OFFSET 0
) j
WHERE j.protocol <> 'two_outputs'
    OR j.labels::integer[] <> CASE n.verdict
        WHEN 'first' THEN '{1,2}'::integer[] WHEN 'second' THEN '{2,1}' ELSE '{1,1}'
    END
LIMIT 1;
{plan_as_before}
IF wrong.is_of_another THEN
    RAISE EXCEPTION 'judgment % is not about two outputs', wrong.judgment_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'two_outputs_answer_of_its_protocol';
END IF;
IF wrong.judgment_id IS NOT NULL THEN
    RAISE EXCEPTION 'judgment % has the labels %, which % does not imply',
        wrong.judgment_id, wrong.labels, wrong.verdict
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'two_outputs_labels_follow_from_the_verdict';
END IF;
RETURN NULL;
