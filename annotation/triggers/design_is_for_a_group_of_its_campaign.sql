IF NEW.judge_group_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM campaign_testset t
    JOIN campaign_judgegroup g ON g.campaign_id = t.campaign_id
    WHERE t.id = NEW.test_set_id AND g.id = NEW.judge_group_id
) THEN
    RAISE EXCEPTION 'design of test set % and group % are of two campaigns',
        NEW.test_set_id, NEW.judge_group_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'design_is_for_a_group_of_its_campaign';
END IF;
RETURN NEW;
