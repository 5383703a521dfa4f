INSERT INTO annotation_pagechanges AS c (task_id, changes, problem_reports)
SELECT k.id, 1, 0 FROM campaign_task k JOIN campaign_testset t ON t.id = k.test_set_id WHERE t.campaign_id IN (
    SELECT p.campaign_id FROM written JOIN campaign_judge p ON p.id = written.judge_id
) ORDER BY t.id
ON CONFLICT (task_id) DO UPDATE SET changes = c.changes + 1;
RETURN NULL;
