-- Blocks that are being written hold this lock shared until they are committed.
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
