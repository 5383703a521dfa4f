IF NOT EXISTS (
    SELECT FROM annotation_hit h
    WHERE h.id = NEW.repeats_id AND h.task_id = NEW.task_id
        AND h.purpose = 'first'
) THEN
    RAISE EXCEPTION 'HIT % repeats one that is no first HIT of its test set',
        NEW.number
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'hit_repeats_a_first_of_its_task';
END IF;
RETURN NEW;
