INSERT INTO annotation_unnumberedjudgment (judgment_id, test_set_id)
SELECT inserted.id, inserted.test_set_id FROM inserted;
RETURN NULL;
