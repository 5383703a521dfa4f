INSERT INTO annotation_uncountedskip (skip_id, test_set_id)
SELECT inserted.id, inserted.test_set_id FROM inserted;
RETURN NULL;
