IF NOT EXISTS (
    SELECT FROM campaign_judge j
    JOIN campaign_testset t ON t.campaign_id = j.campaign_id
    JOIN campaign_system s ON s.test_set_id = t.id
    WHERE j.id = NEW.judge_id AND s.id = NEW.system_id
) THEN
    RAISE EXCEPTION 'judge % and system % are of two campaigns',
        NEW.judge_id, NEW.system_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'conflict_within_a_campaign';
END IF;
RETURN NEW;
