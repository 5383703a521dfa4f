IF EXISTS (
    SELECT FROM (SELECT DISTINCT task_id FROM new_rows WHERE assignment_id IS NULL) n
    JOIN campaign_task k ON k.id = n.task_id
    WHERE k.protocol <> 'ranking'
) THEN
    RAISE EXCEPTION 'only rankings are imported'
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'judgment_imported_of_a_ranking';
END IF;
RETURN NULL;
