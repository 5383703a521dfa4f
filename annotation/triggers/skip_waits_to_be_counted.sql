INSERT INTO annotation_uncountedskip (skip_id, task_id)
SELECT inserted.id, inserted.task_id FROM inserted;
RETURN NULL;
