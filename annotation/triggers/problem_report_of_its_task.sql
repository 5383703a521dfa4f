IF NOT EXISTS (
    SELECT FROM annotation_block b JOIN annotation_hit h ON h.id = b.hit_id
    WHERE b.id = NEW.block_id AND h.task_id = NEW.task_id
) THEN
    RAISE EXCEPTION 'block % is not of test set %',
        NEW.block_id, NEW.task_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'problem_report_of_its_task';
END IF;
RETURN NEW;
