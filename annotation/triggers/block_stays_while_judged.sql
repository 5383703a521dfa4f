-- Judgments that are being stored hold a lock of their block until they are committed (`judgment_fits_its_block`):
-- whoever deletes it has waited for them, and this sees them if each statement sees what was committed before it.
IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE SQLSTATE '55000' USING MESSAGE = format(
        'blocks are deleted in transactions that read what is committed, not %s',
        current_setting('transaction_isolation')
    );
END IF;
scans := current_setting('enable_seqscan');
PERFORM set_config('enable_seqscan', 'off', true);
SELECT o.id INTO judged
FROM old_rows o
WHERE EXISTS (SELECT FROM annotation_judgment j WHERE j.block_id = o.id OFFSET 0)
LIMIT 1;
PERFORM set_config('enable_seqscan', scans, true);
IF judged IS NOT NULL THEN
    RAISE EXCEPTION 'block % is judged', judged
        USING ERRCODE = 'foreign_key_violation',
              CONSTRAINT = 'block_stays_while_judged';
END IF;
RETURN NULL;
