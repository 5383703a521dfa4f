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
