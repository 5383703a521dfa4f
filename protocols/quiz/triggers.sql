-- trigger quiz_answer_fits_its_judgment
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

-- trigger quiz_snippet_before_it_is_read
of_task := CASE TG_OP WHEN 'DELETE' THEN OLD.task_id ELSE NEW.task_id END;
IF EXISTS (
    SELECT FROM annotation_assignment a JOIN annotation_hit h ON h.id = a.hit_id
    WHERE h.task_id = of_task
) OR EXISTS (
    -- Imported ones, which nobody was lent.
    SELECT FROM annotation_judgment j WHERE j.task_id = of_task
) THEN
    RAISE EXCEPTION 'task % was read, or judges were lent HITs of it: its snippets stay as they are', of_task
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'quiz_snippet_before_it_is_read';
END IF;
RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;

-- trigger quiz_snippet_fits_its_task
IF NOT EXISTS (
    SELECT FROM campaign_task k JOIN campaign_document d ON d.test_set_id = k.test_set_id
    WHERE k.id = NEW.task_id AND d.id = NEW.document_id AND k.protocol = 'quiz'
) THEN
    RAISE EXCEPTION 'document % is not of the test set of quiz %', NEW.document_id, NEW.task_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'quiz_snippet_of_a_quiz_and_its_texts';
END IF;
IF (
    SELECT count(*) FROM campaign_segment s
    WHERE s.document_id = NEW.document_id AND s.position BETWEEN NEW.first AND NEW.last
) <> NEW.last - NEW.first + 1 THEN
    RAISE EXCEPTION 'document % has no segments % to %', NEW.document_id, NEW.first, NEW.last
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'quiz_snippet_of_segments_that_are_there';
END IF;
IF EXISTS (
    SELECT FROM quiz_snippet other
    WHERE other.task_id = NEW.task_id AND other.document_id = NEW.document_id
        AND other.first <= NEW.last AND other.last >= NEW.first
) THEN
    RAISE EXCEPTION 'segments % to % of document % are in another snippet',
        NEW.first, NEW.last, NEW.document_id
        USING ERRCODE = 'exclusion_violation',
              CONSTRAINT = 'quiz_snippet_shares_no_segment';
END IF;
RETURN NEW;
