{plan_by_index}
SELECT n.judgment_id INTO wrong
FROM new_rows n
WHERE NOT EXISTS (
    SELECT FROM annotation_judgment j
    WHERE j.id = n.judgment_id AND j.task_id = n.task_id
    OFFSET 0
)
LIMIT 1;
{plan_as_before}
IF wrong IS NOT NULL THEN
    RAISE EXCEPTION 'number of judgment %, which is none of the test set', wrong
        USING ERRCODE = 'foreign_key_violation',
              CONSTRAINT = 'number_of_a_judgment';
END IF;
RETURN NULL;
