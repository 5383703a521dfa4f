-- trigger assignment_writes_the_blocks_of_its_hit
{plan_by_index}
IF NOT EXISTS (SELECT FROM annotation_block b WHERE b.hit_id = NEW.hit_id) THEN
    PERFORM {ignored_triggers_set};
    SELECT h.plan INTO lent
    FROM annotation_hit h WHERE h.id = NEW.hit_id FOR NO KEY UPDATE;
    IF NOT EXISTS (SELECT FROM annotation_block b WHERE b.hit_id = NEW.hit_id) THEN
        IF lent.plan IS NULL OR lent.plan = '[]' THEN
            RAISE EXCEPTION 'HIT % is lent and has no blocks', NEW.hit_id
                USING ERRCODE = 'check_violation',
                      CONSTRAINT = 'assignment_of_a_hit_with_blocks';
        END IF;
        {blocks_of_plans};
    END IF;
END IF;
{plan_as_before}
RETURN NULL;

-- trigger block_fits_its_segment
{plan_by_index}
-- Deleting an output waits for this lock (see `output_stays_while_shown`).
PERFORM (SELECT s.id FROM campaign_segment s WHERE s.id = n.segment_id FOR KEY SHARE)
FROM (SELECT DISTINCT r.segment_id FROM new_rows r) n;
-- If as many outputs belong to the segment as the block shows, none is shown twice. Most blocks end here.
-- `+ 0` makes PostgreSQL look outputs up by their own keys: a segment has more outputs than a block shows.
SELECT each.*, counted.different, each.of_segment < counted.different AS is_strange INTO wrong
FROM (
    SELECT n.public_id, n.outputs,
        cardinality(n.outputs) AS shown,
        (
            SELECT count(*) FROM campaign_output o
            WHERE o.id = ANY (n.outputs) AND o.segment_id + 0 = n.segment_id
        ) AS of_segment,
        n.stands_for IS NULL OR 0 < ALL (n.stands_for) AND cardinality(n.outputs) = (
            SELECT coalesce(sum(outputs), 0) FROM unnest(n.stands_for) outputs
        ) AS adds_up
    FROM new_rows n
    OFFSET 0
) each, LATERAL (
    SELECT count(DISTINCT output) AS different FROM unnest(each.outputs) output
) counted
WHERE each.of_segment < each.shown OR NOT each.adds_up
ORDER BY is_strange DESC, each.adds_up DESC LIMIT 1;
{plan_as_before}
IF wrong.is_strange THEN
    RAISE EXCEPTION 'one of the outputs % is not of the segment of block %',
        wrong.outputs, wrong.public_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'candidate_output_of_the_same_segment';
END IF;
IF wrong.different < wrong.shown THEN
    RAISE EXCEPTION 'one of the outputs % stands twice in block %',
        wrong.outputs, wrong.public_id
        USING ERRCODE = 'unique_violation',
              CONSTRAINT = 'candidate_output_once_in_block';
END IF;
IF NOT wrong.adds_up THEN
    RAISE EXCEPTION 'the outputs of the candidates of block % do not add up to %',
        wrong.public_id, wrong.shown
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'candidate_stands_for_an_output';
END IF;
RETURN NULL;

-- trigger design_is_for_a_group_of_its_campaign
IF NEW.judge_group_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM campaign_task k JOIN campaign_testset t ON t.id = k.test_set_id
    JOIN campaign_judgegroup g ON g.campaign_id = t.campaign_id
    WHERE k.id = NEW.task_id AND g.id = NEW.judge_group_id
) THEN
    RAISE EXCEPTION 'design of test set % and group % are of two campaigns',
        NEW.task_id, NEW.judge_group_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'design_is_for_a_group_of_its_campaign';
END IF;
RETURN NEW;

-- trigger hit_repeats_a_first_of_its_task
IF NOT EXISTS (
    SELECT FROM annotation_hit h
    WHERE h.id = NEW.repeats_id AND h.task_id = NEW.task_id
        AND h.purpose = 'first'
) THEN
    RAISE EXCEPTION 'HIT % repeats one that is no first HIT of its test set',
        NEW.number
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'hit_repeats_a_first_of_its_task';
END IF;
RETURN NEW;

-- trigger judgment_fits_its_block
{plan_by_index}
-- The foreign key refuses a missing block.
SELECT n.id, n.block_id, n.task_id, cardinality(n.labels) AS labels, b.shown,
    b.task_id <> n.task_id AS is_of_another,
    cardinality(n.labels) <> b.shown AS is_not_aligned
INTO wrong
FROM new_rows n LEFT JOIN LATERAL (
    SELECT cardinality(coalesce(b.stands_for, b.outputs)) AS shown,
        (SELECT h.task_id FROM annotation_hit h WHERE h.id = b.hit_id) AS task_id
    FROM annotation_block b WHERE b.id = n.block_id
    OFFSET 0
) b ON true
WHERE b.task_id <> n.task_id
    OR cardinality(n.labels) <> b.shown
    OR n.supersedes_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM annotation_judgment j
        WHERE j.id = n.supersedes_id
            AND j.judge_id = n.judge_id AND j.block_id = n.block_id
            AND j.id < n.id
        OFFSET 0
    )
LIMIT 1;
{plan_as_before}
IF wrong.is_of_another THEN
    RAISE EXCEPTION 'block % is not of test set %',
        wrong.block_id, wrong.task_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'judgment_of_its_task';
END IF;
IF wrong.is_not_aligned THEN
    RAISE EXCEPTION '% labels for % candidates of block %',
        wrong.labels, wrong.shown, wrong.block_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'judgment_labels_aligned_with_candidates';
END IF;
IF wrong.id IS NOT NULL THEN
    RAISE EXCEPTION
        'judgment % supersedes one of another judge, block or time', wrong.id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'judgment_supersedes_its_own_kind';
END IF;
RETURN NULL;

-- trigger judgment_has_its_answer
SELECT k.protocol INTO protocol FROM campaign_task k WHERE k.id = NEW.task_id;
{plan_by_index}
CASE protocol
{look_ups}
ELSE is_stored := true;
END CASE;
{plan_as_before}
IF NOT is_stored THEN
    RAISE EXCEPTION 'judgment % has no answer', NEW.id
        USING ERRCODE = 'integrity_constraint_violation',
              CONSTRAINT = 'judgment_has_its_answer';
END IF;
RETURN NULL;

-- trigger judgment_waits_for_its_number
INSERT INTO annotation_uncountedanswer (task_id, is_skip, answer)
SELECT inserted.task_id, false, inserted.id FROM inserted;
RETURN NULL;

-- trigger number_of_a_judgment
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

-- trigger output_stays_while_shown
-- Transactions that write blocks share this lock until they commit.
PERFORM (SELECT s.id FROM campaign_segment s WHERE s.id = o.segment_id FOR UPDATE)
FROM (SELECT DISTINCT segment_id FROM old_rows ORDER BY segment_id) o;
SELECT o.id INTO shown
FROM old_rows o
WHERE EXISTS (
    SELECT FROM annotation_block b
    WHERE b.segment_id = o.segment_id AND o.id = ANY (b.outputs)
)
LIMIT 1;
IF shown IS NOT NULL THEN
    RAISE EXCEPTION 'output % is shown in a block', shown
        USING ERRCODE = 'foreign_key_violation',
              CONSTRAINT = 'output_stays_while_shown';
END IF;
RETURN NULL;

-- trigger problem_report_of_its_task
IF NOT EXISTS (
    SELECT FROM annotation_block b JOIN annotation_hit h ON h.id = b.hit_id
    WHERE b.id = NEW.block_id AND h.task_id = NEW.task_id
) THEN
    RAISE EXCEPTION 'block % is not of test set %',
        NEW.block_id, NEW.task_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'problem_report_of_its_task';
END IF;
RETURN NEW;

-- trigger quality_rule_terms_stay
IF (NEW.campaign_id, NEW.task_id, NEW.measure, NEW.direction, NEW.threshold,
    NEW.minimum, NEW.action, NEW.replaces_id)
   IS DISTINCT FROM
   (OLD.campaign_id, OLD.task_id, OLD.measure, OLD.direction, OLD.threshold,
    OLD.minimum, OLD.action, OLD.replaces_id)
THEN
    RAISE EXCEPTION 'the terms of quality rule % never change', NEW.id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'quality_rule_terms_stay';
END IF;
RETURN NEW;

-- trigger skip_of_its_task
IF NOT EXISTS (
    SELECT FROM annotation_block b JOIN annotation_hit h ON h.id = b.hit_id
    WHERE b.id = NEW.block_id AND h.task_id = NEW.task_id
) THEN
    RAISE EXCEPTION 'block % is not of test set %',
        NEW.block_id, NEW.task_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'skip_of_its_task';
END IF;
RETURN NEW;

-- trigger skip_waits_to_be_counted
INSERT INTO annotation_uncountedanswer (task_id, is_skip, answer)
SELECT inserted.task_id, true, inserted.id FROM inserted;
RETURN NULL;
