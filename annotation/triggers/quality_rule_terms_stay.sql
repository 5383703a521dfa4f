IF (NEW.campaign_id, NEW.task_id, NEW.measure, NEW.direction, NEW.threshold,
    NEW.minimum, NEW.action, NEW.replaces_id)
   IS DISTINCT FROM
   (OLD.campaign_id, OLD.task_id, OLD.measure, OLD.direction, OLD.threshold,
    OLD.minimum, OLD.action, OLD.replaces_id)
THEN
    RAISE EXCEPTION 'the terms of quality rule % never change', NEW.id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'quality_rule_terms_stay';
END IF;
RETURN NEW;
