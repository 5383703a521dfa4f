-- trigger two_outputs_answer_fits_its_judgment
{plan_by_index}
SELECT found.* INTO broken FROM (
    SELECT n.judgment_id, CASE
        WHEN j.protocol <> 'two_outputs'
            THEN ARRAY['two_outputs_answer_of_its_protocol', 'is not about two outputs']
        WHEN j.labels::integer[] <> CASE n.verdict
            WHEN 'first' THEN '{1,2}'::integer[] WHEN 'second' THEN '{2,1}' ELSE '{1,1}'
        END THEN ARRAY['two_outputs_labels_follow_from_the_verdict', 'has labels that its verdict does not imply']
    END AS rule
    FROM new_rows n CROSS JOIN LATERAL (
        SELECT judgment.labels,
            (SELECT k.protocol FROM campaign_task k WHERE k.id = judgment.task_id) AS protocol
        FROM annotation_judgment judgment WHERE judgment.id = n.judgment_id
        OFFSET 0
    ) j
) found
WHERE found.rule IS NOT NULL LIMIT 1;
{refuse_broken}
{plan_as_before}
RETURN NULL;

-- trigger rating_answer_fits_its_judgment
{plan_by_index}
SELECT found.* INTO broken FROM (
    SELECT n.judgment_id, CASE
        WHEN j.protocol <> 'rating'
            THEN ARRAY['rating_answer_of_its_protocol', 'is no rating']
        WHEN n.criteria::text[] IS DISTINCT FROM ARRAY(
            SELECT each.criterion ->> 'key'
            FROM jsonb_array_elements(j.asked) WITH ORDINALITY AS each (criterion, place) ORDER BY each.place
        ) THEN ARRAY['rating_criteria_of_its_pass', 'is of a pass that does not ask about ' || array_to_string(n.criteria, ', ')]
        WHEN cardinality(n.points) <> j.outputs_shown * cardinality(n.criteria)
            THEN ARRAY['rating_points_for_each_output_and_criterion', 'lacks points for an output, or has too many']
        WHEN EXISTS (
            SELECT FROM unnest(n.points) WITH ORDINALITY AS given (value, place)
            CROSS JOIN LATERAL (
                SELECT j.asked -> ((given.place - 1) % cardinality(n.criteria))::integer AS criterion
            ) c
            WHERE (
                given.value BETWEEN coalesce((c.criterion ->> 'lowest')::integer, 1)
                    AND coalesce((c.criterion ->> 'highest')::integer, 5)
            ) IS NOT TRUE
        ) THEN ARRAY['rating_points_on_their_scale', 'has points outside the scale of their criterion']
        WHEN j.labels::integer[] IS DISTINCT FROM ARRAY(
            -- Outputs compare by the weighted sum of their points. A single criterion has all the weight; without
            -- weights, all outputs tie.
            SELECT (dense_rank() OVER (ORDER BY sum(
                CASE WHEN cardinality(n.criteria) = 1 THEN 1 ELSE coalesce((c.criterion ->> 'weight')::integer, 0) END
                * CASE WHEN coalesce((c.criterion ->> 'lower_is_better')::boolean, false) THEN -given.value ELSE given.value END
            ) DESC))::integer
            FROM unnest(n.points) WITH ORDINALITY AS given (value, place)
            CROSS JOIN LATERAL (
                SELECT j.asked -> ((given.place - 1) % cardinality(n.criteria))::integer AS criterion
            ) c
            GROUP BY (given.place - 1) / cardinality(n.criteria)
            ORDER BY (given.place - 1) / cardinality(n.criteria)
        ) THEN ARRAY['rating_labels_follow_from_the_points', 'has labels that its points do not imply']
        WHEN j.is_by_others AND EXISTS (
            SELECT FROM annotation_block own
            JOIN annotation_judgment other ON other.block_id = own.id
            JOIN protocols_ratinganswer a ON a.judgment_id = other.id
            WHERE own.segment_id = j.segment_id
                AND other.judge_id = j.judge_id AND other.task_id = j.task_id
                AND a.criteria <> n.criteria
        ) THEN ARRAY['rating_criteria_by_others', 'rates a segment that this judge has rated by the other criterion']
        WHEN j.earlier IS NOT NULL AND NOT j.is_order_free AND NOT j.is_by_others AND NOT EXISTS (
            SELECT FROM annotation_block own
            JOIN annotation_judgment before ON before.block_id = own.id
            JOIN protocols_ratinganswer a ON a.judgment_id = before.id
            WHERE own.segment_id = j.segment_id
                AND own.outputs @> j.outputs AND own.outputs <@ j.outputs
                AND before.judge_id = j.judge_id AND before.task_id = j.task_id
                AND a.criteria = ARRAY[j.earlier]::varchar[]
        ) THEN ARRAY[
            'rating_criteria_in_order',
            format('rates %s of a text whose %s this judge has not rated', n.criteria[1], j.earlier)
        ]
    END AS rule
    FROM new_rows n CROSS JOIN LATERAL (
        SELECT d.labels, d.judge_id, d.task_id, b.segment_id, b.outputs, k.protocol,
            cardinality(coalesce(b.stands_for::bigint[], b.outputs)) AS outputs_shown,
            -- With passes, HITs are numbered by the criterion they ask about.
            CASE WHEN s.is_at_once THEN s.criteria
                WHEN h.part > 0 THEN jsonb_build_array(s.criteria -> (h.part - 1)) ELSE '[]' END AS asked,
            CASE WHEN NOT s.is_at_once AND h.part > 1 THEN s.criteria -> (h.part - 2) ->> 'key' END AS earlier,
            s.is_order_free, NOT s.is_at_once AND s.is_by_others AS is_by_others
        FROM annotation_judgment d
        JOIN annotation_block b ON b.id = d.block_id
        JOIN annotation_hit h ON h.id = b.hit_id
        JOIN campaign_task k ON k.id = d.task_id
        CROSS JOIN LATERAL (
            SELECT
                -- Without criteria of its own, a task asks about fluency and adequacy.
                CASE WHEN coalesce(jsonb_array_length(k.rules -> 'criteria'), 0) > 0 THEN k.rules -> 'criteria'
                    ELSE '[{"key": "fluency"}, {"key": "adequacy"}]'::jsonb END AS criteria,
                coalesce((k.rules ->> 'all_at_once')::boolean, false) AS is_at_once,
                coalesce((k.rules ->> 'order_free')::boolean, false) AS is_order_free,
                coalesce((k.rules ->> 'adequacy_by_others')::boolean, false) AS is_by_others
        ) s
        WHERE d.id = n.judgment_id
        OFFSET 0
    ) j
) found
WHERE found.rule IS NOT NULL LIMIT 1;
{refuse_broken}
{plan_as_before}
RETURN NULL;

-- trigger editing_answer_fits_its_judgment
{plan_by_index}
SELECT found.* INTO broken FROM (
    SELECT n.judgment_id, CASE
        WHEN j.protocol <> 'editing'
            THEN ARRAY['editing_answer_of_its_protocol', 'is not of blind editing']
        WHEN j.labels::integer[] <> '{1}'
            THEN ARRAY['editing_labels_are_of_one_output', 'has labels that are not those of one output']
        -- HITs of imported answers never repeat another HIT.
        WHEN (n.acceptable IS NULL) <> (
            CASE WHEN j.is_imported THEN n.edit_id IS NULL ELSE j.repeats_id IS NULL END
        ) THEN ARRAY[
            'editing_first_then_acceptability',
            'is an edit in a HIT that repeats another, or of one in a HIT that repeats none, or imported and of none'
        ]
        WHEN n.outcome = 'edited' AND n.text = j.output
            THEN ARRAY['editing_changes_the_text', 'edits an output, and its text is as it was']
        WHEN n.edit_id IS NOT NULL AND NOT EXISTS (
            SELECT FROM annotation_judgment edit, annotation_block block, protocols_editinganswer edited
            WHERE edit.id = n.edit_id AND block.id = edit.block_id AND edited.judgment_id = edit.id
                AND (block.hit_id = j.repeats_id OR j.is_imported AND block.outputs[1] = j.output_id)
                AND block.segment_id = j.segment_id
                AND edit.judge_id <> j.judge_id AND edited.acceptable IS NULL
        ) THEN ARRAY['editing_acceptance_is_of_anothers_edit', 'is about no edit by somebody else of what it shows']
    END AS rule
    FROM new_rows n CROSS JOIN LATERAL (
        SELECT judgment.labels, judgment.judge_id, judgment.assignment_id IS NULL AS is_imported,
            block.segment_id, block.outputs[1] AS output_id, hit.repeats_id,
            (SELECT o.text FROM campaign_output o WHERE o.id = block.outputs[1]) AS output,
            (SELECT k.protocol FROM campaign_task k WHERE k.id = judgment.task_id) AS protocol
        FROM annotation_judgment judgment, annotation_block block, annotation_hit hit
        WHERE judgment.id = n.judgment_id AND block.id = judgment.block_id AND hit.id = block.hit_id
        OFFSET 0
    ) j
) found
WHERE found.rule IS NOT NULL LIMIT 1;
{refuse_broken}
FOR answer IN
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
    PERFORM FROM annotation_hit asking WHERE asking.repeats_id = answer.hit_id ORDER BY asking.id FOR NO KEY UPDATE;
    SELECT answer.id AS judgment_id,
        ARRAY['editing_stays_once_others_are_asked', 'changes an edit that others are asked about'] AS rule
    INTO broken
    WHERE EXISTS (
        SELECT FROM annotation_hit asking JOIN annotation_assignment lent ON lent.hit_id = asking.id
        WHERE asking.repeats_id = answer.hit_id
    ) AND answer.judge_id = (
        -- Acceptance is asked about the first editor's text only; other editors may change theirs.
        SELECT first.judge_id FROM annotation_judgment first
        WHERE first.block_id = answer.block_id ORDER BY first.id LIMIT 1
    );
    {refuse_broken}
END LOOP;
{plan_as_before}
RETURN NULL;

-- trigger quiz_answer_fits_its_judgment
{plan_by_index}
SELECT found.* INTO broken FROM (
    SELECT n.judgment_id, CASE
        WHEN j.protocol <> 'quiz' THEN ARRAY['quiz_answer_of_its_protocol', 'is not of a quiz']
        WHEN j.labels::integer[] <> '{1}'
            THEN ARRAY['quiz_labels_are_of_one_output', 'has labels that are not those of one output']
        WHEN cardinality(n.answers) <> j.asked THEN ARRAY[
            'quiz_answer_to_each_statement',
            format('has %s answers to %s statements', cardinality(n.answers), j.asked)
        ]
    END AS rule
    FROM new_rows n CROSS JOIN LATERAL (
        SELECT judgment.labels,
            (SELECT k.protocol FROM campaign_task k WHERE k.id = judgment.task_id) AS protocol,
            -- The statements of a snippet are asked with its last segment.
            coalesce((
                SELECT cardinality(snippet.statements) FROM protocols_snippet snippet
                WHERE snippet.task_id = judgment.task_id AND snippet.document_id = segment.document_id
                    AND snippet.last = segment.position
            ), 0) AS asked
        FROM annotation_judgment judgment, annotation_block block, campaign_segment segment
        WHERE judgment.id = n.judgment_id AND block.id = judgment.block_id
            AND segment.id = block.segment_id
        OFFSET 0
    ) j
) found
WHERE found.rule IS NOT NULL LIMIT 1;
{refuse_broken}
{plan_as_before}
RETURN NULL;

-- trigger quiz_snippet_before_it_is_read
of_task := CASE TG_OP WHEN 'DELETE' THEN OLD.task_id ELSE NEW.task_id END;
IF EXISTS (
    SELECT FROM annotation_assignment a JOIN annotation_hit h ON h.id = a.hit_id
    WHERE h.task_id = of_task
) OR EXISTS (
    -- Imported judgments were never lent.
    SELECT FROM annotation_judgment j WHERE j.task_id = of_task
) THEN
    RAISE EXCEPTION 'task % was read, or judges were lent HITs of it: its snippets stay as they are', of_task
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'quiz_snippet_before_it_is_read';
END IF;
RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;

-- trigger suggested_spans_before_judging
of_task := CASE TG_OP WHEN 'DELETE' THEN OLD.task_id ELSE NEW.task_id END;
IF EXISTS (
    SELECT FROM annotation_assignment a JOIN annotation_hit h ON h.id = a.hit_id
    WHERE h.task_id = of_task
) THEN
    RAISE EXCEPTION 'judges were lent HITs of task %: its suggestions stay as they are', of_task
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'suggested_spans_before_judging';
END IF;
RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;

-- trigger spans_answer_fits_its_judgment
{plan_by_index}
FOR answer IN
    SELECT n.*, j.*
    FROM new_rows n CROSS JOIN LATERAL (
        SELECT judgment.labels, judgment.assignment_id,
            -- The place of a score in this list is the rank of the outputs with this score.
            ARRAY(
                SELECT DISTINCT given.score FROM unnest(n.scores) AS given (score) ORDER BY given.score DESC
            ) AS scores_in_order,
            -- The text of a candidate is that of the first output it stands for.
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
            coalesce((SELECT char_length(s.source_text) FROM campaign_segment s WHERE s.id = block.segment_id), 0)
                AS source_length,
            task.protocol,
            -- Without marks, judges always score.
            coalesce((task.rules ->> 'scored')::boolean, true)
                OR NOT coalesce((task.rules ->> 'spans_asked')::boolean, true) AS is_scored,
            -- In the order of the numbers of severities, from 0.
            coalesce(task.rules -> 'severities', '["minor", "major"]'::jsonb) AS severities
        FROM annotation_judgment judgment, annotation_block block, campaign_task task
        WHERE judgment.id = n.judgment_id AND block.id = judgment.block_id AND task.id = judgment.task_id
        OFFSET 0
    ) j
LOOP
    IF answer.protocol <> 'spans' THEN
        RAISE EXCEPTION 'judgment % is not about error spans and scores', answer.judgment_id
            USING ERRCODE = 'check_violation',
                  CONSTRAINT = 'spans_answer_of_its_protocol';
    END IF;
    IF answer.is_scored AND array_position(answer.scores, NULL) IS NOT NULL
        OR NOT answer.is_scored AND cardinality(array_remove(answer.scores, NULL)) > 0
    THEN
        RAISE EXCEPTION 'judgment % has the scores %, which its task does not ask for',
            answer.judgment_id, answer.scores
            USING ERRCODE = 'check_violation',
                  CONSTRAINT = 'spans_scores_as_the_task_asks';
    END IF;
    IF EXISTS (
        SELECT FROM unnest(answer.span_severities) AS given (severity)
        WHERE NOT answer.severities ? (ARRAY['neutral', 'minor', 'major', 'critical'])[1 + given.severity]
    ) THEN
        RAISE EXCEPTION 'judgment % has a severity that its task does not have', answer.judgment_id
            USING ERRCODE = 'check_violation',
                  CONSTRAINT = 'spans_severities_of_the_task';
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
        SELECT marked.candidate, marked.starts, marked.ends,
            coalesce(marked.kind, CASE WHEN marked.starts IS NULL THEN 'missing' ELSE 'error' END) AS kind
        FROM unnest(answer.span_candidates, answer.span_starts, answer.span_ends, answer.span_kinds)
            AS marked (candidate, starts, ends, kind)
        ORDER BY marked.candidate, 4, marked.starts, marked.ends
    LOOP
        IF span.candidate IS DISTINCT FROM candidate THEN
            candidate := span.candidate;
            spans := 0;
            kind := NULL;
        END IF;
        IF span.kind IS DISTINCT FROM kind THEN
            kind := span.kind;
            marked_until := 0;
            length := CASE kind WHEN 'source' THEN answer.source_length ELSE answer.lengths[candidate] END;
        END IF;
        IF (candidate BETWEEN 1 AND cardinality(answer.scores)) IS NOT TRUE
            OR (span.starts IS NOT NULL OR span.ends IS NOT NULL) IS DISTINCT FROM (kind IN ('error', 'source'))
            OR (span.starts IS NOT NULL OR span.ends IS NOT NULL)
                AND (0 <= span.starts AND span.starts < span.ends AND span.ends <= length) IS NOT TRUE
        THEN
            RAISE EXCEPTION 'judgment % has a span (%) from % to % in candidate %, of % characters',
                answer.judgment_id, kind, span.starts, span.ends, candidate, length
                USING ERRCODE = 'check_violation',
                      CONSTRAINT = 'spans_are_inside_their_text';
        END IF;
        -- Imported errors may overlap: some tools mark each error on its own.
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
