{plan_by_index}
-- Whoever deletes an output waits for this lock: `output_stays_while_shown`.
PERFORM (SELECT s.id FROM campaign_segment s WHERE s.id = n.segment_id FOR KEY SHARE)
FROM (SELECT DISTINCT r.segment_id FROM new_rows r) n;
-- A block that shows as many as it has outputs of its segment shows none twice: of these, most by far, nothing
-- more is asked. `+ 0` has them looked up by their own keys: a segment has more outputs than a block shows.
SELECT each.*, counted.different, each.of_segment < counted.different AS is_strange INTO wrong
FROM (
    SELECT n.public_id, n.outputs,
        cardinality(n.outputs) AS shown,
        (
            SELECT count(*) FROM campaign_output o
            WHERE o.id = ANY (n.outputs) AND o.segment_id + 0 = n.segment_id
        ) AS of_segment,
        n.stands_for IS NULL OR 0 < ALL (n.stands_for) AND cardinality(n.outputs) = (
            SELECT coalesce(sum(outputs), 0) FROM unnest(n.stands_for) outputs
        ) AS adds_up
    FROM new_rows n
    OFFSET 0
) each, LATERAL (
    SELECT count(DISTINCT output) AS different FROM unnest(each.outputs) output
) counted
WHERE each.of_segment < each.shown OR NOT each.adds_up
ORDER BY is_strange DESC, each.adds_up DESC LIMIT 1;
{plan_as_before}
IF wrong.is_strange THEN
    RAISE EXCEPTION 'one of the outputs % is not of the segment of block %',
        wrong.outputs, wrong.public_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'candidate_output_of_the_same_segment';
END IF;
IF wrong.different < wrong.shown THEN
    RAISE EXCEPTION 'one of the outputs % stands twice in block %',
        wrong.outputs, wrong.public_id
        USING ERRCODE = 'unique_violation',
              CONSTRAINT = 'candidate_output_once_in_block';
END IF;
IF NOT wrong.adds_up THEN
    RAISE EXCEPTION 'the outputs of the candidates of block % do not add up to %',
        wrong.public_id, wrong.shown
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'candidate_stands_for_an_output';
END IF;
RETURN NULL;
