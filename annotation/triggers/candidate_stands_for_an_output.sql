IF NOT EXISTS (
    SELECT FROM annotation_candidateoutput WHERE candidate_id = NEW.id
) AND EXISTS (SELECT FROM annotation_candidate WHERE id = NEW.id) THEN
    RAISE EXCEPTION 'candidate % stands for no output', NEW.id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'candidate_stands_for_an_output';
END IF;
RETURN NULL;
