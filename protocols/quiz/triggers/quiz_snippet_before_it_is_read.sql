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
