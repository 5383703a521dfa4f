scans := current_setting('enable_seqscan');
PERFORM set_config('enable_seqscan', 'off', true);
SELECT n.judgment_id, n.scores, j.labels, j.protocol <> 'spans' AS is_of_another
INTO wrong
FROM new_rows n CROSS JOIN LATERAL (
    SELECT judgment.labels,
        (SELECT k.protocol FROM campaign_task k WHERE k.id = judgment.task_id) AS protocol
    FROM annotation_judgment judgment WHERE judgment.id = n.judgment_id
    OFFSET 0
) j
WHERE j.protocol <> 'spans'
    OR j.labels::integer[] IS DISTINCT FROM (
        SELECT array_agg(ranked.rank ORDER BY ranked.place)
        FROM (
            SELECT given.place, (dense_rank() OVER (ORDER BY given.score DESC))::integer AS rank
            FROM unnest(n.scores) WITH ORDINALITY AS given (score, place)
        ) ranked
    )
LIMIT 1;
-- Each span with the length of its text. A candidate's text is that of the first output it stands for.
SELECT n.judgment_id, span.*, shown.length
INTO marked
FROM new_rows n
CROSS JOIN LATERAL (
    SELECT each.*,
        count(*) OVER of_candidate AS spans,
        max(each.ends) OVER (
            PARTITION BY each.candidate ORDER BY each.starts, each.ends
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) > each.starts
        -- Some tools have each error marked by itself, whatever is marked already.
        AND (
            SELECT d.assignment_id IS NOT NULL FROM annotation_judgment d WHERE d.id = n.judgment_id
        ) AS is_overlapping
    FROM unnest(n.span_candidates, n.span_starts, n.span_ends) AS each (candidate, starts, ends)
    WINDOW of_candidate AS (PARTITION BY each.candidate)
) span
LEFT JOIN LATERAL (
    SELECT (
        SELECT char_length(o.text) FROM campaign_output o
        WHERE o.id = b.outputs[CASE
            WHEN b.stands_for IS NULL THEN span.candidate
            ELSE 1 + (
                SELECT coalesce(sum(before), 0)::integer
                FROM unnest(b.stands_for[:span.candidate - 1]) AS before
            )
        END]
    ) AS length
    FROM annotation_block b
    WHERE b.id = (SELECT d.block_id FROM annotation_judgment d WHERE d.id = n.judgment_id)
    OFFSET 0
) shown ON true
WHERE span.spans > 100
    OR span.is_overlapping
    OR span.candidate NOT BETWEEN 1 AND cardinality(n.scores)
    OR (span.starts IS NULL) <> (span.ends IS NULL)
    OR span.starts IS NOT NULL
        AND (0 <= span.starts AND span.starts < span.ends AND span.ends <= shown.length) IS NOT TRUE
LIMIT 1;
PERFORM set_config('enable_seqscan', scans, true);
IF wrong.is_of_another THEN
    RAISE EXCEPTION 'judgment % is not about error spans and scores', wrong.judgment_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'spans_answer_of_its_protocol';
END IF;
IF wrong.judgment_id IS NOT NULL THEN
    RAISE EXCEPTION 'judgment % has the labels %, which the scores % do not imply',
        wrong.judgment_id, wrong.labels, wrong.scores
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'spans_labels_follow_from_the_scores';
END IF;
IF marked.spans > 100 THEN
    RAISE EXCEPTION 'judgment % has % spans in candidate %',
        marked.judgment_id, marked.spans, marked.candidate
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'spans_at_most_100_in_an_output';
END IF;
IF marked.is_overlapping THEN
    RAISE EXCEPTION 'judgment % has a span in candidate % that begins at %, inside another one',
        marked.judgment_id, marked.candidate, marked.starts
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'spans_of_an_output_do_not_overlap';
END IF;
IF marked.judgment_id IS NOT NULL THEN
    RAISE EXCEPTION 'judgment % has a span from % to % in candidate %, of % characters',
        marked.judgment_id, marked.starts, marked.ends, marked.candidate, marked.length
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'spans_are_inside_their_text';
END IF;
RETURN NULL;
