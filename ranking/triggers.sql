-- trigger published_result_ranking_of_its_task
IF NOT EXISTS (
    SELECT FROM ranking_rankingrun r WHERE r.id = NEW.run_id AND r.task_id = NEW.task_id
) THEN
    RAISE EXCEPTION 'ranking % does not belong to task %', NEW.run_id, NEW.task_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'published_result_ranking_of_its_task';
END IF;
RETURN NEW;

-- trigger published_result_embargo_final_once_open
IF OLD.embargo_until IS NULL OR OLD.embargo_until <= statement_timestamp() THEN
    RAISE EXCEPTION 'version % is public: it can be retracted, but not hidden', OLD.version
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'published_result_embargo_final_once_open';
END IF;
RETURN NEW;

-- trigger ranking_settings_group_of_its_campaign
IF NEW.judge_group_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM campaign_task k JOIN campaign_testset t ON t.id = k.test_set_id
    JOIN campaign_judgegroup g ON g.campaign_id = t.campaign_id
    WHERE k.id = NEW.task_id AND g.id = NEW.judge_group_id
) THEN
    RAISE EXCEPTION 'ranking settings of task % and group % belong to different campaigns',
        NEW.task_id, NEW.judge_group_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'ranking_settings_group_of_its_campaign';
END IF;
RETURN NEW;
