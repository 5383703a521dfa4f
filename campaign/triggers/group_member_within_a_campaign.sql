IF NOT EXISTS (
    SELECT FROM campaign_judge j
    JOIN campaign_judgegroup g ON g.campaign_id = j.campaign_id
    WHERE j.id = NEW.judge_id AND g.id = NEW.group_id AND g.removed_at IS NULL
) THEN
    RAISE EXCEPTION 'judge % and group % are of two campaigns, or the group was deleted',
        NEW.judge_id, NEW.group_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'group_member_within_a_campaign';
END IF;
RETURN NEW;
