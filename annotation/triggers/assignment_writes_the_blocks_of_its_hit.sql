{plan_by_index}
IF NOT EXISTS (SELECT FROM annotation_block b WHERE b.hit_id = NEW.hit_id) THEN
    PERFORM {ignored_triggers_set};
    SELECT h.plan INTO lent
    FROM annotation_hit h WHERE h.id = NEW.hit_id FOR NO KEY UPDATE;
    IF NOT EXISTS (SELECT FROM annotation_block b WHERE b.hit_id = NEW.hit_id) THEN
        IF lent.plan IS NULL OR lent.plan = '[]' THEN
            RAISE EXCEPTION 'HIT % is lent and has no blocks', NEW.hit_id
                USING ERRCODE = 'check_violation',
                      CONSTRAINT = 'assignment_of_a_hit_with_blocks';
        END IF;
        {blocks_of_plans};
    END IF;
END IF;
{plan_as_before}
RETURN NULL;
