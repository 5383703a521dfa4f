"""The statement that stored a judgment under its number, as it was: what the new one is measured against."""

from annotation.sql.assignment_close import CLOSING

# On tables of today: the columns it wrote, and without what the judgment waits in now.
OLD_LAYOUT = """
    INSERT INTO annotation_judgmentsequence (task_id) SELECT id FROM campaign_testset
    ON CONFLICT DO NOTHING;
    SET CONSTRAINTS ALL IMMEDIATE;
    SET session_replication_role = replica;
    ALTER TABLE annotation_judgment ADD COLUMN number integer;
    UPDATE annotation_judgment j SET number = n.number
    FROM annotation_judgmentnumber n WHERE n.judgment_id = j.id;
    SET session_replication_role = origin;
    ALTER TABLE annotation_judgment ADD UNIQUE (task_id, number);
    ALTER TABLE annotation_judgment ADD FOREIGN KEY (task_id)
        REFERENCES campaign_testset (id) DEFERRABLE INITIALLY DEFERRED;
    ALTER TABLE annotation_judgment DISABLE TRIGGER pgtrigger_judgment_waits_for_its_number_d505d;
    ALTER TABLE annotation_judgmentsequence ADD COLUMN ranking_requested_at timestamptz;
"""

_STORE = """
    WITH earlier AS (
        SELECT count(*) AS times
        FROM annotation_judgment j WHERE j.block_id = $2 AND j.judge_id = $5
    ), sequence AS (
        UPDATE annotation_judgmentsequence SET last_number = last_number + 1,
            ranking_requested_at = CASE
                WHEN ranking_requested_at > statement_timestamp() - $10
                THEN ranking_requested_at ELSE statement_timestamp()
            END
        WHERE task_id = $3
            AND NOT EXISTS (SELECT FROM annotation_judgment j WHERE j.client_id = $4)
            AND (SELECT CASE WHEN earlier.times = 0 THEN true ELSE earlier.times <= $11 AND (
                SELECT count(*) < $12 FROM annotation_judgment j
                WHERE j.judge_id = $5 AND j.submitted_at > statement_timestamp() - interval '1 minute'
                    AND j.supersedes_id IS NOT NULL
            ) END FROM earlier)
        RETURNING last_number, ranking_requested_at = statement_timestamp() AS is_new_request
    ), judgment AS (
        INSERT INTO annotation_judgment
            (task_id, number, client_id, judge_id, block_id, assignment_id, labels,
             duration_ms, active_ms, comment, supersedes_id)
        SELECT $3, sequence.last_number, $4, $5, $2, $1, $6, $7, $8, $9,
            (SELECT j.id FROM annotation_judgment j WHERE j.block_id = $2 AND j.judge_id = $5
             ORDER BY j.number DESC LIMIT 1)
        FROM sequence
        RETURNING id, number, supersedes_id, submitted_at
    ), {closing}
    SELECT judgment.id, judgment.number, judgment.supersedes_id, judgment.submitted_at,
        sequence.is_new_request
    FROM judgment, sequence
"""

OLD_STORE = _STORE.format(
    closing=CLOSING.format(source="FROM judgment", condition="judgment.supersedes_id IS NULL")
)
