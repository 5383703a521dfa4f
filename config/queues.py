"""The queues of background work, and the tasks of each: the one list of them.

A worker that is told no queues (`celery -A config worker`) serves all of them. Otherwise the workers
of an installation together must serve every queue; `launcher/serving.py` and docker-compose.yml do.
"""

from typing import Final

#: Tasks by queue. A task without a queue is refused by a test.
QUEUES: Final = {
    # Judges wait for these: they are short, and no ranking may hold them up.
    "planning": (
        "annotation.tasks.plan_task",
        "annotation.tasks.fill_pools",
        "annotation.tasks.fill_all_pools",
    ),
    # Up to minutes each, one after the other without a pause while judges work.
    "ranking": (
        "ranking.tasks.rank_task",
        "ranking.tasks.rank_what_is_due",
    ),
    # Parts of a computation that somebody waits for (`--engine celery`); the worker takes turns.
    "shards": ("ranking.tasks.compute_shard",),
    # Up to minutes each, while the last ranking is still shown.
    "counting": ("ranking.tasks.build_tallies",),
    # Up to minutes each, watched on their page by whoever asked for them.
    "jobs": ("campaign.tasks.run_jobs",),
    # A mail server that does not answer holds each message up for `EMAIL_TIMEOUT`.
    "mail": ("campaign.tasks.send_mails", "ranking.tasks.send_alert_mails"),
    # Servers of others, each of which may take its time-out.
    "webhooks": ("annotation.tasks.deliver_webhooks",),
    "housekeeping": (
        "annotation.tasks.carry_out_erasures",
        "annotation.tasks.check_counters",
        "annotation.tasks.refresh_participations",
        "campaign.tasks.close_campaigns",
        "campaign.tasks.empty_bin",
        "campaign.tasks.forget_idempotent_answers",
        "campaign.tasks.forget_sessions",
        "campaign.tasks.purge_browser_visits",
        "campaign.tasks.purge_uploads",
        "campaign.tasks.purge_exported_files",
        "ranking.tasks.check_tallies",
        "ranking.tasks.keep_rankings_of_days",
        "ranking.tasks.forget_shard_jobs",
    ),
}

ROUTES: Final = {task: {"queue": queue} for queue, tasks in QUEUES.items() for task in tasks}
