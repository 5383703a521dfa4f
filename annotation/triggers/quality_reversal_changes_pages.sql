INSERT INTO annotation_pagechanges AS c (test_set_id, changes, problem_reports)
SELECT t.id, 1, 0 FROM campaign_testset t WHERE t.campaign_id IN (
    SELECT p.campaign_id FROM written
    JOIN annotation_qualityaction a ON a.id = written.action_id
    JOIN campaign_judge p ON p.id = a.judge_id
) ORDER BY t.id
ON CONFLICT (test_set_id) DO UPDATE SET changes = c.changes + 1;
RETURN NULL;
