scans := current_setting('enable_seqscan');
PERFORM set_config('enable_seqscan', 'off', true);
SELECT each.* INTO wrong FROM (
    SELECT n.candidate_id, n.output_id,
        (
            SELECT o.segment_id FROM campaign_output o WHERE o.id = n.output_id
        ) IS DISTINCT FROM (
            SELECT (
                SELECT b.segment_id FROM annotation_block b
                WHERE b.id = c.block_id
            )
            FROM annotation_candidate c WHERE c.id = n.candidate_id
        ) AS is_strange,
        (
            SELECT count(*) FROM annotation_candidate other
            WHERE other.id <> n.candidate_id
                AND other.block_id = (
                    SELECT c.block_id FROM annotation_candidate c
                    WHERE c.id = n.candidate_id
                )
                AND (
                    SELECT true FROM annotation_candidateoutput co
                    WHERE co.candidate_id = other.id
                        AND co.output_id = n.output_id
                )
        ) > 0 AS is_twice
    FROM new_rows n
) each
WHERE each.is_strange OR each.is_twice
ORDER BY each.is_strange DESC LIMIT 1;
PERFORM set_config('enable_seqscan', scans, true);
IF wrong.is_strange THEN
    RAISE EXCEPTION 'output % is not of the segment of candidate %',
        wrong.output_id, wrong.candidate_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'candidate_output_of_the_same_segment';
END IF;
IF wrong.is_twice THEN
    RAISE EXCEPTION 'output % stands twice in the block of candidate %',
        wrong.output_id, wrong.candidate_id
        USING ERRCODE = 'unique_violation',
              CONSTRAINT = 'candidate_output_once_in_block';
END IF;
RETURN NULL;
