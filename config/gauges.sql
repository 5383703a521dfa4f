-- Metrics from the database for Prometheus, in one statement: name, labels and value.
-- Tasks are included only if they were judged within a day or have work waiting.
-- Work waiting in finished campaigns is not counted.
WITH at_work AS MATERIALIZED (
    SELECT task.id, jsonb_build_object('campaign', campaign.slug, 'task', task.id::text) AS labels
    FROM campaign_task task
    JOIN campaign_testset test_set ON test_set.id = task.test_set_id
    JOIN campaign_campaign campaign ON campaign.id = test_set.campaign_id
    WHERE campaign.state = 'open'
      AND task.closed_at IS NULL
      AND (
          EXISTS (
              SELECT FROM annotation_workedquarterhour quarter
              JOIN campaign_judge judge ON judge.id = quarter.judge_id AND judge.origin = 'person'
              WHERE quarter.task_id = task.id AND quarter.start > now() - interval '1 day'
                  AND quarter.judged > 0
          )
          OR EXISTS (
              SELECT FROM annotation_judgeaccount account
              WHERE account.task_id = task.id AND account.requested_at IS NOT NULL
          )
      )
),
waiting AS (
    SELECT at_work.labels, count(account.id) AS judges, min(account.requested_at) AS since
    FROM at_work
    LEFT JOIN annotation_judgeaccount account
        ON account.task_id = at_work.id AND account.requested_at IS NOT NULL
    GROUP BY at_work.id, at_work.labels
),
ranked AS (
    SELECT
        at_work.labels,
        coalesce(sequence.last_number, 0) - coalesce(latest.watermark, 0) AS behind,
        (
            SELECT judgment.submitted_at
            FROM annotation_judgmentnumber numbered
            JOIN annotation_judgment judgment ON judgment.id = numbered.judgment_id
            WHERE numbered.task_id = at_work.id
              AND numbered.number = coalesce(latest.watermark, 0) + 1
        ) AS since
    FROM at_work
    LEFT JOIN annotation_judgmentsequence sequence ON sequence.task_id = at_work.id
    LEFT JOIN ranking_latestranking latest ON latest.task_id = at_work.id
),
-- Waiting messages, and those given up within a day. Both use an index, because sent messages are kept.
outbox AS (
    SELECT kind, state, next_attempt_at, campaign_id, created_at
    FROM campaign_mail
    WHERE state IN ('queued', 'sending') AND withdrawn_at IS NULL
    UNION ALL
    SELECT kind, state, next_attempt_at, campaign_id, created_at
    FROM campaign_mail
    WHERE state IN ('failed', 'unconfirmed') AND claimed_at > now() - interval '1 day'
        AND withdrawn_at IS NULL
),
mails AS MATERIALIZED (
    SELECT
        CASE
            WHEN mail.kind IN ('judge', 'member') THEN 'invitation'
            WHEN mail.kind IN ('password', 'address') THEN 'account'
            WHEN mail.kind = 'alerts' THEN 'alert'
            ELSE 'erasure'
        END AS kind,
        mail.state,
        -- Alerts are retried every hour, but only on their day.
        mail.next_attempt_at + CASE WHEN mail.kind = 'alerts' THEN interval '1 hour' ELSE interval '0' END
            AS next_attempt_at
    FROM outbox mail
    LEFT JOIN campaign_campaign campaign ON campaign.id = mail.campaign_id
    WHERE (mail.kind NOT IN ('judge', 'member') OR campaign.state NOT IN ('archived', 'bin'))
        AND (mail.kind <> 'alerts' OR mail.created_at > now() - interval '1 day')
),
endpoints AS MATERIALIZED (
    SELECT endpoint.id, CASE
        WHEN endpoint.disabled_at IS NOT NULL THEN 'disabled'
        WHEN endpoint.paused_at IS NOT NULL THEN 'paused'
        WHEN endpoint.failing_since IS NOT NULL THEN 'failing'
        ELSE 'well'
    END AS state
    FROM campaign_webhookendpoint endpoint
),
deliveries AS MATERIALIZED (
    SELECT delivery.attempts, delivery.next_attempt_at, delivery.created_at, endpoints.state
    FROM campaign_webhookdelivery delivery
    JOIN endpoints ON endpoints.id = delivery.endpoint_id
    WHERE delivery.state = 'waiting' AND endpoints.state IN ('well', 'failing')
),
jobs AS MATERIALIZED (
    SELECT kind, state, created_at, started_at
    FROM campaign_job
    WHERE state IN ('queued', 'running')
    UNION ALL
    SELECT kind, state, created_at, started_at
    FROM campaign_job WHERE state = 'failed' AND finished_at > now() - interval '1 day'
),
leases AS (
    SELECT upper(lease) > now() AS is_held
    FROM annotation_assignment
    WHERE completed_at IS NULL AND upper(lease) > now() - interval '1 hour'
)
SELECT 'quintet_pool_hits' AS name, labels, (
    SELECT count(*)
    FROM annotation_hit hit
    WHERE hit.task_id = at_work.id
      AND hit.completed_at IS NULL
      AND hit.purpose IN ('first', 'redundancy', 'inter')
      AND NOT hit.is_standby
      AND hit.available_at <= now()
)::float8 AS value
FROM at_work
UNION ALL
SELECT 'quintet_judges_waiting', labels, judges FROM waiting
UNION ALL
SELECT 'quintet_judge_wait_seconds', labels, coalesce(extract(epoch FROM now() - since), 0)
FROM waiting
UNION ALL
SELECT 'quintet_ranking_lag_judgments', labels, behind FROM ranked
UNION ALL
SELECT 'quintet_ranking_lag_seconds', labels, coalesce(extract(epoch FROM now() - since), 0)
FROM ranked
UNION ALL
SELECT 'quintet_unnumbered_judgments', '{}', count(*) FROM annotation_uncountedanswer WHERE NOT is_skip
UNION ALL
SELECT 'quintet_unnumbered_seconds', '{}', coalesce((
    SELECT extract(epoch FROM now() - judgment.submitted_at)
    FROM annotation_judgment judgment
    WHERE judgment.id = (
        SELECT min(answer) FROM annotation_uncountedanswer WHERE NOT is_skip
    )
), 0)
UNION ALL
SELECT 'quintet_uncounted_skips', '{}', count(*) FROM annotation_uncountedanswer WHERE is_skip
UNION ALL
SELECT 'quintet_leases', '{"state": "held"}', count(*) FROM leases WHERE is_held
UNION ALL
SELECT 'quintet_leases', '{"state": "expired"}', count(*) FROM leases WHERE NOT is_held
UNION ALL
SELECT 'quintet_mails', jsonb_build_object('kind', kind, 'state', state), count(*)
FROM mails GROUP BY kind, state
UNION ALL
SELECT 'quintet_mail_wait_seconds', '{}',
    coalesce(greatest(extract(epoch FROM now() - min(next_attempt_at)), 0), 0)
FROM mails WHERE state = 'queued'
UNION ALL
SELECT 'quintet_webhook_deliveries', jsonb_build_object('state', state), count(each.state)
FROM (VALUES ('waiting'), ('retried'), ('failed')) AS states (state)
LEFT JOIN (
    SELECT CASE WHEN attempts = 0 THEN 'waiting' ELSE 'retried' END AS state FROM deliveries
    UNION ALL
    SELECT 'failed' FROM campaign_webhookdelivery
    WHERE state = 'failed' AND attempted_at > now() - interval '1 day'
) each USING (state)
GROUP BY state
UNION ALL
-- Without failing receivers, which get one message at a time, so that others wait even if workers are running.
SELECT 'quintet_webhook_delivery_wait_seconds', '{}',
    coalesce(greatest(extract(epoch FROM now() - min(next_attempt_at)), 0), 0)
FROM deliveries WHERE state = 'well'
UNION ALL
SELECT 'quintet_webhook_delivery_age_seconds', '{}',
    coalesce(extract(epoch FROM now() - min(created_at)), 0)
FROM deliveries
UNION ALL
SELECT 'quintet_webhook_endpoints', jsonb_build_object('state', state), count(endpoints.id)
FROM (VALUES ('well'), ('failing'), ('paused'), ('disabled')) AS states (state)
LEFT JOIN endpoints USING (state)
GROUP BY state
UNION ALL
SELECT 'quintet_jobs', jsonb_build_object('kind', kind, 'state', state), count(*)
FROM jobs GROUP BY kind, state
UNION ALL
SELECT 'quintet_job_wait_seconds', '{}', coalesce(extract(epoch FROM now() - min(created_at)), 0)
FROM jobs WHERE state = 'queued'
UNION ALL
SELECT 'quintet_job_run_seconds', '{}', coalesce(extract(epoch FROM now() - min(started_at)), 0)
FROM jobs WHERE state = 'running'
UNION ALL
-- The application's role sees the activity of its own connections, but only the existence of others.
SELECT 'quintet_database_connections', jsonb_build_object('state', coalesce(state, 'of others')),
    count(*)
FROM pg_stat_activity WHERE datname = current_database() GROUP BY coalesce(state, 'of others')
UNION ALL
SELECT 'quintet_database_connections_max', '{}', current_setting('max_connections')::float8
