scans := current_setting('enable_seqscan');
PERFORM set_config('enable_seqscan', 'off', true);
SELECT n.judgment_id INTO wrong
FROM new_rows n
WHERE NOT EXISTS (
    SELECT FROM annotation_judgment j
    WHERE j.id = n.judgment_id AND j.task_id = n.task_id
    OFFSET 0
)
LIMIT 1;
PERFORM set_config('enable_seqscan', scans, true);
IF wrong IS NOT NULL THEN
    RAISE EXCEPTION 'number of judgment %, which is none of the test set', wrong
        USING ERRCODE = 'foreign_key_violation',
              CONSTRAINT = 'number_of_a_judgment';
END IF;
RETURN NULL;
