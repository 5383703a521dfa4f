-- trigger block_fits_its_segment
{plan_by_index}
-- Deleting an output waits for this lock (see `output_kept_while_shown`).
PERFORM (SELECT s.id FROM campaign_segment s WHERE s.id = n.segment_id FOR KEY SHARE)
FROM (SELECT DISTINCT r.segment_id FROM new_rows r) n;
-- Most blocks end here: if the segment has as many of these outputs as the block shows, none is shown twice.
-- `+ 0` makes PostgreSQL look up outputs by primary key: a segment has more outputs than a block shows.
SELECT block.*, counted.distinct_outputs, block.of_segment < counted.distinct_outputs AS is_of_other_segment INTO wrong
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
) block, LATERAL (
    SELECT count(DISTINCT output) AS distinct_outputs FROM unnest(block.outputs) output
) counted
WHERE block.of_segment < block.shown OR NOT block.adds_up
ORDER BY is_of_other_segment DESC, block.adds_up DESC LIMIT 1;
{plan_as_before}
IF wrong.is_of_other_segment THEN
    RAISE EXCEPTION 'an output does not belong to the segment: outputs % of block %',
        wrong.outputs, wrong.public_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'candidate_output_of_the_same_segment';
END IF;
IF wrong.distinct_outputs < wrong.shown THEN
    RAISE EXCEPTION 'block % shows an output twice: %',
        wrong.public_id, wrong.outputs
        USING ERRCODE = 'unique_violation',
              CONSTRAINT = 'candidate_output_once_in_block';
END IF;
IF NOT wrong.adds_up THEN
    RAISE EXCEPTION 'the candidates of block % do not stand for exactly % outputs',
        wrong.public_id, wrong.shown
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'candidate_counts_match_outputs';
END IF;
RETURN NULL;

-- trigger design_group_of_its_campaign
IF NEW.judge_group_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM campaign_task k JOIN campaign_testset t ON t.id = k.test_set_id
    JOIN campaign_judgegroup g ON g.campaign_id = t.campaign_id
    WHERE k.id = NEW.task_id AND g.id = NEW.judge_group_id
) THEN
    RAISE EXCEPTION 'design of task % and group % belong to different campaigns',
        NEW.task_id, NEW.judge_group_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'design_group_of_its_campaign';
END IF;
RETURN NEW;

-- trigger hit_repeats_original_of_its_task
IF NOT EXISTS (
    SELECT FROM annotation_hit h
    WHERE h.id = NEW.repeats_id AND h.task_id = NEW.task_id
        AND h.purpose = 'first'
) THEN
    RAISE EXCEPTION 'HIT % must repeat an original HIT of the same task',
        NEW.number
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'hit_repeats_original_of_its_task';
END IF;
RETURN NEW;

-- trigger judgment_fits_its_block
{plan_by_index}
-- The foreign key refuses a missing block.
SELECT n.id, n.block_id, n.task_id, cardinality(n.labels) AS labels, b.shown,
    b.task_id <> n.task_id AS is_of_other_task,
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
IF wrong.is_of_other_task THEN
    RAISE EXCEPTION 'block % does not belong to task %',
        wrong.block_id, wrong.task_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'judgment_of_its_task';
END IF;
IF wrong.is_not_aligned THEN
    RAISE EXCEPTION '% labels for the % candidates of block %',
        wrong.labels, wrong.shown, wrong.block_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'judgment_labels_aligned_with_candidates';
END IF;
IF wrong.id IS NOT NULL THEN
    RAISE EXCEPTION
        'judgment % may only supersede an earlier judgment by the same judge of the same block', wrong.id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'judgment_supersedes_own_earlier_one';
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

-- trigger judgment_queued_for_numbering
INSERT INTO annotation_uncountedanswer (task_id, is_skip, answer)
SELECT inserted.task_id, false, inserted.id FROM inserted;
RETURN NULL;

-- trigger judgment_number_of_its_task
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
    RAISE EXCEPTION 'judgment % does not belong to the task of its number', wrong
        USING ERRCODE = 'foreign_key_violation',
              CONSTRAINT = 'judgment_number_of_its_task';
END IF;
RETURN NULL;

-- trigger output_kept_while_shown
-- Transactions that write blocks hold a shared lock on the segment until they commit.
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
              CONSTRAINT = 'output_kept_while_shown';
END IF;
RETURN NULL;

-- trigger problem_report_of_its_task
IF NOT EXISTS (
    SELECT FROM annotation_block b JOIN annotation_hit h ON h.id = b.hit_id
    WHERE b.id = NEW.block_id AND h.task_id = NEW.task_id
) THEN
    RAISE EXCEPTION 'block % does not belong to task %',
        NEW.block_id, NEW.task_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'problem_report_of_its_task';
END IF;
RETURN NEW;

-- trigger quality_rule_terms_immutable
IF (NEW.campaign_id, NEW.task_id, NEW.measure, NEW.direction, NEW.threshold,
    NEW.minimum, NEW.action, NEW.replaces_id)
   IS DISTINCT FROM
   (OLD.campaign_id, OLD.task_id, OLD.measure, OLD.direction, OLD.threshold,
    OLD.minimum, OLD.action, OLD.replaces_id)
THEN
    RAISE EXCEPTION 'the terms of quality rule % cannot change', NEW.id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'quality_rule_terms_immutable';
END IF;
RETURN NEW;

-- trigger skip_of_its_task
IF NOT EXISTS (
    SELECT FROM annotation_block b JOIN annotation_hit h ON h.id = b.hit_id
    WHERE b.id = NEW.block_id AND h.task_id = NEW.task_id
) THEN
    RAISE EXCEPTION 'block % does not belong to task %',
        NEW.block_id, NEW.task_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'skip_of_its_task';
END IF;
RETURN NEW;

-- trigger skip_queued_for_counting
INSERT INTO annotation_uncountedanswer (task_id, is_skip, answer)
SELECT inserted.task_id, true, inserted.id FROM inserted;
RETURN NULL;
