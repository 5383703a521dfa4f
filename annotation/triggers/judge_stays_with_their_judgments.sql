-- Judgments that are being stored hold a lock of their judge until they are committed (`judgment_fits_its_block`): whoever
-- deletes it has waited for them, and this sees them if each statement sees what was committed before it.
IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE SQLSTATE '55000' USING MESSAGE = format(
        'judges are deleted in transactions that read what is committed, not %s',
        current_setting('transaction_isolation')
    );
END IF;
scans := current_setting('enable_seqscan');
PERFORM set_config('enable_seqscan', 'off', true);
SELECT o.id INTO kept
FROM old_rows o
WHERE EXISTS (SELECT FROM annotation_judgment r WHERE r.judge_id = o.id OFFSET 0)
LIMIT 1;
PERFORM set_config('enable_seqscan', scans, true);
IF kept IS NOT NULL THEN
    RAISE EXCEPTION 'judge % has judged', kept
        USING ERRCODE = 'foreign_key_violation',
              CONSTRAINT = 'judge_stays_with_their_judgments';
END IF;
RETURN NULL;
