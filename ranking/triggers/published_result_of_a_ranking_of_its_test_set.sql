IF NOT EXISTS (
    SELECT FROM ranking_rankingrun r WHERE r.id = NEW.run_id AND r.test_set_id = NEW.test_set_id
) THEN
    RAISE EXCEPTION 'ranking % is of another test set than %', NEW.run_id, NEW.test_set_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'published_result_of_a_ranking_of_its_test_set';
END IF;
RETURN NEW;
