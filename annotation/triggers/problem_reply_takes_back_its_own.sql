IF NEW.takes_back_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM annotation_problemreply r
    WHERE r.id = NEW.takes_back_id AND r.report_id = NEW.report_id AND r.takes_back_id IS NULL
) THEN
    RAISE EXCEPTION 'reply % is none of report % that can be taken back',
        NEW.takes_back_id, NEW.report_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'problem_reply_takes_back_its_own';
END IF;
RETURN NEW;
