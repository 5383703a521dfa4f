-- trigger spans_answer_fits_its_judgment
{plan_by_index}
FOR answer IN
    SELECT n.*, j.*
    FROM new_rows n CROSS JOIN LATERAL (
        SELECT judgment.labels, judgment.assignment_id,
            -- A score's place among them is the rank of the outputs that have it.
            ARRAY(
                SELECT DISTINCT given.score FROM unnest(n.scores) AS given (score) ORDER BY given.score DESC
            ) AS scores_in_order,
            -- A candidate's text is that of the first output it stands for.
            ARRAY(
                SELECT (
                    SELECT char_length(o.text) FROM campaign_output o
                    WHERE o.id = block.outputs[CASE
                        WHEN block.stands_for IS NULL THEN each.place
                        ELSE 1 + (
                            SELECT coalesce(sum(before), 0)
                            FROM unnest(block.stands_for[:each.place - 1]) AS before
                        )
                    END]
                )
                FROM generate_series(1, cardinality(n.scores)) AS each (place)
                ORDER BY each.place
            ) AS lengths,
            (SELECT k.protocol FROM campaign_task k WHERE k.id = judgment.task_id) AS protocol
        FROM annotation_judgment judgment, annotation_block block
        WHERE judgment.id = n.judgment_id AND block.id = judgment.block_id
        OFFSET 0
    ) j
LOOP
    IF answer.protocol <> 'spans' THEN
        RAISE EXCEPTION 'judgment % is not about error spans and scores', answer.judgment_id
            USING ERRCODE = 'check_violation',
                  CONSTRAINT = 'spans_answer_of_its_protocol';
    END IF;
    ranks := '{}';
    FOR place IN 1..cardinality(answer.scores) LOOP
        ranks[place] := array_position(answer.scores_in_order, answer.scores[place]);
    END LOOP;
    IF answer.labels IS DISTINCT FROM ranks THEN
        RAISE EXCEPTION 'judgment % has the labels %, which the scores % do not imply',
            answer.judgment_id, answer.labels, answer.scores
            USING ERRCODE = 'check_violation',
                  CONSTRAINT = 'spans_labels_follow_from_the_scores';
    END IF;
    candidate := NULL;
    FOR span IN
        SELECT marked.*
        FROM unnest(answer.span_candidates, answer.span_starts, answer.span_ends)
            AS marked (candidate, starts, ends)
        ORDER BY marked.candidate, marked.starts, marked.ends
    LOOP
        IF span.candidate IS DISTINCT FROM candidate THEN
            candidate := span.candidate;
            spans := 0;
            marked_until := 0;
            length := answer.lengths[candidate];
        END IF;
        IF (candidate BETWEEN 1 AND cardinality(answer.scores)) IS NOT TRUE
            OR (span.starts IS NOT NULL OR span.ends IS NOT NULL)
                AND (0 <= span.starts AND span.starts < span.ends AND span.ends <= length) IS NOT TRUE
        THEN
            RAISE EXCEPTION 'judgment % has a span from % to % in candidate %, of % characters',
                answer.judgment_id, span.starts, span.ends, candidate, length
                USING ERRCODE = 'check_violation',
                      CONSTRAINT = 'spans_are_inside_their_text';
        END IF;
        -- Some tools have each error marked by itself, whatever is marked already.
        IF answer.assignment_id IS NOT NULL AND span.starts < marked_until THEN
            RAISE EXCEPTION 'judgment % has a span in candidate % that begins at %, inside another one',
                answer.judgment_id, candidate, span.starts
                USING ERRCODE = 'check_violation',
                      CONSTRAINT = 'spans_of_an_output_do_not_overlap';
        END IF;
        spans := spans + 1;
        IF spans > 100 THEN
            RAISE EXCEPTION 'judgment % has more than 100 spans in candidate %',
                answer.judgment_id, candidate
                USING ERRCODE = 'check_violation',
                      CONSTRAINT = 'spans_at_most_100_in_an_output';
        END IF;
        marked_until := span.ends;
    END LOOP;
END LOOP;
{plan_as_before}
RETURN NULL;
