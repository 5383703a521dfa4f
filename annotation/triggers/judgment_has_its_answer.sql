SELECT k.protocol INTO asked FROM campaign_task k WHERE k.id = NEW.task_id;
-- Of a task that is gone again, so is the judgment.
IF asked IS NULL OR asked = 'ranking' THEN
    RETURN NULL;
END IF;
IF asked = 'top' THEN
    IF 1 <> ALL (NEW.labels) OR NOT NEW.labels <@ '{1,2}' THEN
        RAISE EXCEPTION 'judgment % has the labels %, not 1 for top outputs and 2 for others', NEW.id, NEW.labels
            USING ERRCODE = 'check_violation',
                  CONSTRAINT = 'judgment_of_top_has_its_labels';
    END IF;
    RETURN NULL;
END IF;
IF asked = 'sorting' THEN
    IF NEW.labels::integer[] NOT IN ('{1,2}', '{1,1}', '{2,1}') THEN
        RAISE EXCEPTION 'judgment % has the labels %, which no comparison of two outputs implies', NEW.id, NEW.labels
            USING ERRCODE = 'check_violation',
                  CONSTRAINT = 'judgment_of_a_sort_has_its_labels';
    END IF;
    -- What is lent was planned as a comparison.
    IF NEW.assignment_id IS NULL AND (
        SELECT jsonb_array_length(h.why -> 'comparison')
        FROM annotation_block b JOIN annotation_hit h ON h.id = b.hit_id WHERE b.id = NEW.block_id
    ) IS DISTINCT FROM 2 THEN
        RAISE EXCEPTION 'judgment % is of a HIT that names no comparison', NEW.id
            USING ERRCODE = 'check_violation',
                  CONSTRAINT = 'judgment_imported_of_a_sort_is_of_a_comparison';
    END IF;
    RETURN NULL;
END IF;
{plan_by_index}
CASE asked
{look_ups}
END CASE;
{plan_as_before}
IF NOT is_there THEN
    RAISE EXCEPTION 'judgment % has no answer', NEW.id
        USING ERRCODE = 'integrity_constraint_violation',
              CONSTRAINT = 'judgment_has_its_answer';
END IF;
RETURN NULL;
