IF NOT EXISTS (
    SELECT FROM campaign_judge j
    JOIN campaign_instructions i ON i.campaign_id = j.campaign_id
    WHERE j.id = NEW.judge_id AND i.id = NEW.instructions_id
) THEN
    RAISE EXCEPTION 'judge % and instructions % are of two campaigns',
        NEW.judge_id, NEW.instructions_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'acceptance_within_a_campaign';
END IF;
RETURN NEW;
