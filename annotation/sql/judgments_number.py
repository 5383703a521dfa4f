"""Give the next numbers of a test set to its judgments that have none, and count them and its skips.

Rule: one at a time gives numbers to the judgments of a test set. It is sent with `judgments_number` in
one round trip, as a statement of its own, so that the second statement sees what the first one waited for.

Test: tests/integration/annotation/test_numbers.py::test_numbers_follow_the_commits_whatever_happens
Earns: with judgments_number

Rule: judgments are numbered after their commit, without gaps and in the order of their commits: a judgment
that began after another was committed has the larger primary key, and whoever sees it sees the other, so
that the other is in an earlier batch or before it in the same one. The lock of the sequence is held until
the commit: nobody sees a number before the smaller ones, and a rollback gives its numbers back. What is
counted is therefore always that of judgments 1 to the last number, and of the skips that wait no longer. A
block that was skipped and judged is one sentence, and one skip taken back, in whichever order they came.

Test: tests/integration/annotation/test_numbers.py::test_numbers_follow_the_commits_whatever_happens
Test: tests/integration/annotation/test_counters.py::test_counters_are_what_the_judgments_say
Earns: 1.0 ms a judged block
"""

from campaign.database.prepared import Statement

# The update is of no row: it only takes the lock of the one that is there.
JUDGMENT_SEQUENCE_LOCK = Statement(
    "judgment_sequence_lock",
    "bigint",
    """
    INSERT INTO annotation_judgmentsequence AS s (task_id) VALUES ($1)
    ON CONFLICT (task_id) DO UPDATE SET last_number = s.last_number WHERE false
    """,
)


# `is_first`: the judge's first judgment of a block that is no control. `was_skipped`: a skip of the block is
# counted already. What waits and is not of this batch (`is_new`) is counted by a later one; where both are of
# this batch, the earlier one is the sentence. `OFFSET 0` has rows looked up one by one and by their keys:
# PostgreSQL mostly counts what waits while nothing does, so it expects one row, of which any plan is cheap, and
# compares thousands with each other.
JUDGMENTS_NUMBER = Statement(
    "judgments_number",
    "bigint, int",
    """
    WITH last AS MATERIALIZED (
        SELECT (
            SELECT max(first.answer) FROM (
                SELECT u.answer FROM annotation_uncountedanswer u
                WHERE u.task_id = $1 AND NOT u.is_skip ORDER BY u.answer LIMIT $2
            ) first
        ) AS judgment_id, (
            SELECT max(first.answer) FROM (
                SELECT u.answer FROM annotation_uncountedanswer u
                WHERE u.task_id = $1 AND u.is_skip ORDER BY u.answer LIMIT $2
            ) first
        ) AS skip_id
    ), taken AS (
        DELETE FROM annotation_uncountedanswer u
        WHERE u.task_id = $1 AND NOT u.is_skip AND u.answer <= (SELECT last.judgment_id FROM last)
        RETURNING u.answer AS judgment_id
    ), taken_skip AS (
        DELETE FROM annotation_uncountedanswer u
        WHERE u.task_id = $1 AND u.is_skip AND u.answer <= (SELECT last.skip_id FROM last)
        RETURNING u.answer AS skip_id
    ), numbered AS MATERIALIZED (
        SELECT taken.judgment_id AS id,
            (SELECT s.last_number FROM annotation_judgmentsequence s WHERE s.task_id = $1)
                + row_number() OVER (ORDER BY taken.judgment_id) AS number,
            j.judge_id, j.submitted_at, j.active_ms, cardinality(j.labels) AS candidates,
            j.supersedes_id IS NULL AND j.control = '' AS is_first,
            j.assignment_id IS NOT NULL AS is_lent,
            k.id IS NOT NULL AND NOT k.waits AND j.control = '' AS was_skipped,
            j.supersedes_id IS NULL AND (k.id IS NULL OR k.waits AND (
                NOT k.is_new OR j.submitted_at < k.created_at
            )) AS is_sentence
        FROM taken
        CROSS JOIN LATERAL (
            SELECT j.judge_id, j.submitted_at, j.active_ms, j.labels, j.supersedes_id,
                j.assignment_id, j.block_id,
                (SELECT b.control FROM annotation_block b WHERE b.id = j.block_id) AS control
            FROM annotation_judgment j WHERE j.id = taken.judgment_id OFFSET 0
        ) j
        LEFT JOIN LATERAL (
            SELECT k.id, k.created_at,
                coalesce(k.id <= (SELECT last.skip_id FROM last), false) AS is_new,
                EXISTS (
                    SELECT FROM annotation_uncountedanswer u
                    WHERE u.task_id = $1 AND u.is_skip AND u.answer = k.id OFFSET 0
                ) AS waits
            FROM annotation_skip k
            WHERE j.supersedes_id IS NULL AND k.judge_id = j.judge_id AND k.block_id = j.block_id
            OFFSET 0
        ) k ON true
    ), skipped AS MATERIALIZED (
        SELECT k.judge_id, k.created_at, k.active_ms, k.assignment_id IS NOT NULL AS is_lent,
            b.control = '' AND (j.id IS NULL OR j.waits AND NOT j.is_new) AS is_standing,
            j.id IS NULL OR j.waits AND (
                NOT j.is_new OR k.created_at <= j.submitted_at
            ) AS is_sentence
        FROM taken_skip
        CROSS JOIN LATERAL (
            SELECT * FROM annotation_skip k WHERE k.id = taken_skip.skip_id OFFSET 0
        ) k
        CROSS JOIN LATERAL (
            SELECT b.control FROM annotation_block b WHERE b.id = k.block_id OFFSET 0
        ) b
        LEFT JOIN LATERAL (
            SELECT j.id, j.submitted_at,
                coalesce(j.id <= (SELECT last.judgment_id FROM last), false) AS is_new,
                EXISTS (
                    SELECT FROM annotation_uncountedanswer u
                    WHERE u.task_id = $1 AND NOT u.is_skip AND u.answer = j.id OFFSET 0
                ) AS waits
            FROM annotation_judgment j
            WHERE j.judge_id = k.judge_id AND j.block_id = k.block_id AND j.supersedes_id IS NULL
            OFFSET 0
        ) j ON true
    ), stored AS (
        INSERT INTO annotation_judgmentnumber (judgment_id, task_id, number)
        SELECT id, $1, number FROM numbered
    ), done AS MATERIALIZED (
        SELECT judge_id, submitted_at AS at, active_ms, is_lent, is_sentence, is_first, was_skipped,
            CASE WHEN is_first THEN number END AS first_number, false AS is_standing
        FROM numbered
        UNION ALL
        SELECT judge_id, created_at, active_ms, is_lent, is_sentence, false, false, NULL, is_standing
        FROM skipped
    ), judge AS MATERIALIZED (
        SELECT judge_id, count(*) FILTER (WHERE is_first) AS judged,
            min(first_number) AS first_number, min(at) FILTER (WHERE is_first) AS first_at,
            count(*) FILTER (WHERE is_standing) AS skipped,
            count(*) FILTER (WHERE was_skipped) AS taken_back, max(at) AS last_at
        FROM done GROUP BY judge_id
    ), tally AS (
        INSERT INTO annotation_judgetally AS t
            (task_id, judge_id, judged, first_number, first_at, skipped, taken_back, last_at)
        SELECT $1, judge_id, judged, first_number, first_at, skipped, taken_back, last_at FROM judge
        ON CONFLICT (task_id, judge_id) DO UPDATE
        SET judged = t.judged + EXCLUDED.judged,
            first_number = least(t.first_number, EXCLUDED.first_number),
            first_at = least(t.first_at, EXCLUDED.first_at),
            skipped = t.skipped + EXCLUDED.skipped,
            taken_back = t.taken_back + EXCLUDED.taken_back,
            last_at = greatest(t.last_at, EXCLUDED.last_at)
    ), worked AS (
        INSERT INTO annotation_workedquarterhour AS w
            (judge_id, task_id, start, sentences, active_ms, untimed, judged)
        SELECT judge_id, $1, date_bin('15 minutes', at, TIMESTAMPTZ '2000-01-01 00:00+00'),
            count(*) FILTER (WHERE is_lent AND is_sentence),
            coalesce(sum(active_ms) FILTER (WHERE is_lent), 0),
            count(*) FILTER (WHERE is_lent AND active_ms IS NULL), count(*) FILTER (WHERE is_first)
        FROM done WHERE is_lent OR is_first GROUP BY 1, 3
        ON CONFLICT (judge_id, task_id, start) DO UPDATE
        SET sentences = w.sentences + EXCLUDED.sentences,
            active_ms = w.active_ms + EXCLUDED.active_ms, untimed = w.untimed + EXCLUDED.untimed,
            judged = w.judged + EXCLUDED.judged
    )
    UPDATE annotation_judgmentsequence s
    SET last_number = s.last_number + batch.judgments, judged = s.judged + batch.judged,
        judges = s.judges + (
            SELECT count(*) FROM judge WHERE judge.judged > 0 AND NOT EXISTS (
                SELECT FROM annotation_judgetally t
                WHERE t.task_id = $1 AND t.judge_id = judge.judge_id AND t.judged > 0 OFFSET 0
            )
        ),
        skipped = s.skipped + (SELECT coalesce(sum(skipped - taken_back), 0) FROM judge),
        most_candidates = greatest(s.most_candidates, batch.most_candidates),
        changes = s.changes + 1
    FROM (
        SELECT count(*) AS judgments, count(*) FILTER (WHERE is_first) AS judged,
            max(candidates) AS most_candidates, (SELECT count(*) FROM skipped) AS skips
        FROM numbered
    ) batch
    WHERE s.task_id = $1 AND batch.judgments + batch.skips > 0
    RETURNING greatest(batch.judgments, batch.skips), s.last_number
    """,
    first=JUDGMENT_SEQUENCE_LOCK,
)
