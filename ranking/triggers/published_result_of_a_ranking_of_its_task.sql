IF NOT EXISTS (
    SELECT FROM ranking_rankingrun r WHERE r.id = NEW.run_id AND r.task_id = NEW.task_id
) THEN
    RAISE EXCEPTION 'ranking % is of another task than %', NEW.run_id, NEW.task_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'published_result_of_a_ranking_of_its_task';
END IF;
RETURN NEW;
