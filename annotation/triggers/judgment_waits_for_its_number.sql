INSERT INTO annotation_unnumberedjudgment (judgment_id, task_id)
SELECT inserted.id, inserted.task_id FROM inserted;
RETURN NULL;
