IF OLD.embargo_until IS NULL OR OLD.embargo_until <= statement_timestamp() THEN
    RAISE EXCEPTION 'version % is open: it is retracted, not hidden', OLD.version
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'published_result_once_open_stays_open';
END IF;
RETURN NEW;
