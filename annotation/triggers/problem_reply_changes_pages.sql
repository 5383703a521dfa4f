UPDATE annotation_pagechanges c
SET changes = c.changes + 1,
    problems_closed = c.problems_closed + NEW.closed::integer - coalesce((
        SELECT r.closed::integer FROM annotation_problemreply r
        WHERE r.report_id = NEW.report_id AND r.number = NEW.number - 1
    ), 0)
FROM annotation_problemreport p
WHERE p.id = NEW.report_id AND c.task_id = p.task_id;
RETURN NULL;
