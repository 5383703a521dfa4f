INSERT INTO annotation_pagechanges AS c (task_id, changes, problem_reports)
SELECT inserted.task_id, 1, count(*) FROM inserted GROUP BY 1 ORDER BY 1
ON CONFLICT (task_id) DO UPDATE
SET changes = c.changes + 1, problem_reports = c.problem_reports + EXCLUDED.problem_reports;
RETURN NULL;
