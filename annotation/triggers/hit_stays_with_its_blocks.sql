-- Blocks that are being written hold a lock of their HIT until they are committed (`block_fits_its_hit_and_segment`): whoever
-- deletes it has waited for them, and this sees them if each statement sees what was committed before it.
IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE SQLSTATE '55000' USING MESSAGE = format(
        'HITs are deleted in transactions that read what is committed, not %s',
        current_setting('transaction_isolation')
    );
END IF;
scans := current_setting('enable_seqscan');
PERFORM set_config('enable_seqscan', 'off', true);
SELECT o.id INTO kept
FROM old_rows o
WHERE EXISTS (SELECT FROM annotation_block r WHERE r.hit_id = o.id OFFSET 0)
LIMIT 1;
PERFORM set_config('enable_seqscan', scans, true);
IF kept IS NOT NULL THEN
    RAISE EXCEPTION 'HIT % has blocks', kept
        USING ERRCODE = 'foreign_key_violation',
              CONSTRAINT = 'hit_stays_with_its_blocks';
END IF;
RETURN NULL;
