-- trigger rating_answer_fits_its_judgment
{plan_by_index}
SELECT n.judgment_id, n.criterion, j.labels,
    j.protocol <> 'rating' AS is_of_another,
    j.labels::integer[] <> '{1}'::integer[] AS is_labelled_otherwise,
    j.part <> CASE n.criterion WHEN 'fluency' THEN 1 ELSE 2 END AS is_of_the_other_pass,
    j.is_by_others
INTO wrong
FROM new_rows n CROSS JOIN LATERAL (
    SELECT d.labels, d.judge_id, d.task_id, b.segment_id, b.outputs, h.part, k.protocol,
        coalesce((k.rules ->> 'order_free')::boolean, false) AS is_order_free,
        coalesce((k.rules ->> 'adequacy_by_others')::boolean, false) AS is_by_others
    FROM annotation_judgment d
    JOIN annotation_block b ON b.id = d.block_id
    JOIN annotation_hit h ON h.id = b.hit_id
    JOIN campaign_task k ON k.id = d.task_id
    WHERE d.id = n.judgment_id
    OFFSET 0
) j
WHERE j.protocol <> 'rating'
    OR j.labels::integer[] <> '{1}'::integer[]
    OR j.part <> CASE n.criterion WHEN 'fluency' THEN 1 ELSE 2 END
    OR n.criterion = 'adequacy' AND NOT j.is_order_free AND NOT j.is_by_others AND NOT EXISTS (
        SELECT FROM annotation_block own
        JOIN annotation_judgment before ON before.block_id = own.id
        JOIN rating_answer a ON a.judgment_id = before.id
        WHERE own.segment_id = j.segment_id
            AND own.outputs @> j.outputs AND own.outputs <@ j.outputs
            AND before.judge_id = j.judge_id AND before.task_id = j.task_id
            AND a.criterion = 'fluency'
    )
    OR j.is_by_others AND EXISTS (
        SELECT FROM annotation_block own
        JOIN annotation_judgment other ON other.block_id = own.id
        JOIN rating_answer a ON a.judgment_id = other.id
        WHERE own.segment_id = j.segment_id
            AND other.judge_id = j.judge_id AND other.task_id = j.task_id
            AND a.criterion <> n.criterion
    )
LIMIT 1;
{plan_as_before}
IF wrong.is_of_another THEN
    RAISE EXCEPTION 'judgment % is no rating', wrong.judgment_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'rating_answer_of_its_protocol';
END IF;
IF wrong.is_labelled_otherwise THEN
    RAISE EXCEPTION 'judgment % has the labels %, but a rating compares nothing',
        wrong.judgment_id, wrong.labels
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'rating_labels_compare_nothing';
END IF;
IF wrong.is_of_the_other_pass THEN
    RAISE EXCEPTION 'judgment % is of a pass that does not ask about %',
        wrong.judgment_id, wrong.criterion
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'rating_criterion_of_its_pass';
END IF;
IF wrong.is_by_others THEN
    RAISE EXCEPTION 'judgment % rates % of a segment that this judge has rated by the other criterion',
        wrong.judgment_id, wrong.criterion
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'rating_adequacy_by_others';
END IF;
IF wrong.judgment_id IS NOT NULL THEN
    RAISE EXCEPTION 'judgment % rates adequacy of a text whose fluency this judge has not rated',
        wrong.judgment_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'rating_adequacy_after_fluency';
END IF;
RETURN NULL;
