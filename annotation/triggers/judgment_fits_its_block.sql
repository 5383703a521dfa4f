SELECT b.hit_id INTO own_hit
FROM annotation_block b WHERE b.id = NEW.block_id;
SELECT h.test_set_id INTO own_test_set
FROM annotation_hit h WHERE h.id = own_hit;
SELECT count(*) INTO shown
FROM annotation_candidate c WHERE c.block_id = NEW.block_id;
IF own_test_set <> NEW.test_set_id THEN
    RAISE EXCEPTION 'block % is not of test set %',
        NEW.block_id, NEW.test_set_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'judgment_of_its_test_set';
END IF;
IF cardinality(NEW.labels) <> shown THEN
    RAISE EXCEPTION '% labels for % candidates of block %',
        cardinality(NEW.labels), shown, NEW.block_id
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'judgment_labels_aligned_with_candidates';
END IF;
IF NEW.supersedes_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM annotation_judgment j
    WHERE j.id = NEW.supersedes_id
        AND j.judge_id = NEW.judge_id AND j.block_id = NEW.block_id
        AND j.number < NEW.number
) THEN
    RAISE EXCEPTION
        'judgment % supersedes one of another judge, block or time', NEW.number
        USING ERRCODE = 'check_violation',
              CONSTRAINT = 'judgment_supersedes_its_own_kind';
END IF;
RETURN NEW;
