IF NEW.judge_group_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM campaign_task k JOIN campaign_testset t ON t.id = k.test_set_id
    JOIN campaign_judgegroup g ON g.campaign_id = t.campaign_id
    WHERE k.id = NEW.task_id AND g.id = NEW.judge_group_id
) THEN
    RAISE EXCEPTION 'ranking of test set % and group % are of two campaigns',
        NEW.task_id, NEW.judge_group_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'ranking_is_of_a_group_of_its_campaign';
END IF;
RETURN NEW;
