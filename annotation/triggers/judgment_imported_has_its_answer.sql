-- At the end of the statement that writes judgments and their answers. Of what judges send, there is no more to ask.
IF NOT EXISTS (SELECT FROM new_rows WHERE assignment_id IS NULL) THEN
    RETURN NULL;
END IF;
FOR asked IN
    SELECT DISTINCT k.protocol
    FROM (SELECT DISTINCT task_id FROM new_rows WHERE assignment_id IS NULL) n
    JOIN campaign_task k ON k.id = n.task_id
    WHERE k.protocol <> 'ranking'
LOOP
    IF asked = 'top' THEN
        SELECT n.id, n.labels INTO wrong FROM new_rows n
        WHERE n.assignment_id IS NULL
            AND (1 <> ALL (n.labels) OR NOT n.labels <@ '{1,2}')
            AND (SELECT k.protocol FROM campaign_task k WHERE k.id = n.task_id) = asked
        LIMIT 1;
        IF wrong.id IS NOT NULL THEN
            RAISE EXCEPTION 'judgment % has the labels %, not 1 for top outputs and 2 for others', wrong.id, wrong.labels
                USING ERRCODE = 'check_violation',
                      CONSTRAINT = 'judgment_imported_of_top_has_its_labels';
        END IF;
        CONTINUE;
    END IF;
    IF asked = 'sorting' THEN
        SELECT n.id, n.labels INTO wrong FROM new_rows n
        JOIN annotation_block b ON b.id = n.block_id JOIN annotation_hit h ON h.id = b.hit_id
        WHERE n.assignment_id IS NULL
            AND (SELECT k.protocol FROM campaign_task k WHERE k.id = n.task_id) = asked
            AND (
                n.labels::integer[] NOT IN ('{1,2}', '{1,1}', '{2,1}')
                OR jsonb_array_length(h.why -> 'comparison') IS DISTINCT FROM 2
            )
        LIMIT 1;
        IF wrong.id IS NOT NULL THEN
            RAISE EXCEPTION 'judgment % has the labels %, or is of a HIT that names no comparison', wrong.id, wrong.labels
                USING ERRCODE = 'check_violation',
                      CONSTRAINT = 'judgment_imported_of_a_sort_is_of_a_comparison';
        END IF;
        CONTINUE;
    END IF;
    -- `OFFSET 0` has answers looked up one by one and by their keys, whatever the planner takes their table for.
    EXECUTE format(
        'SELECT n.id FROM new_rows n WHERE n.assignment_id IS NULL'
        ' AND (SELECT k.protocol FROM campaign_task k WHERE k.id = n.task_id) = $1'
        ' AND (SELECT true FROM %I a WHERE a.judgment_id = n.id OFFSET 0) IS NULL LIMIT 1',
        asked || '_answer'
    ) INTO wrong USING asked;
    IF wrong.id IS NOT NULL THEN
        RAISE EXCEPTION 'judgment % has no answer', wrong.id
            USING ERRCODE = 'integrity_constraint_violation',
                  CONSTRAINT = 'judgment_imported_has_its_answer';
    END IF;
END LOOP;
RETURN NULL;
