IF NEW.number <> 1 + coalesce(
    (SELECT max(r.number) FROM annotation_problemreply r WHERE r.report_id = NEW.report_id), 0
) THEN
    RAISE EXCEPTION 'reply % does not follow the last one of report %',
        NEW.number, NEW.report_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'problem_reply_follows_the_last';
END IF;
RETURN NEW;
