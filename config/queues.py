"""The queues of background work, and the tasks of each: the one list of them.

A worker that is told no queues (`celery -A config worker`) serves all of them. Otherwise the workers
of an installation together must serve every queue; `launcher/demo.py` and docker-compose.yml do.
"""

from typing import Final

#: Tasks by queue. A task without a queue is refused by a test.
QUEUES: Final = {
    # Judges wait for these: they are short, and no ranking may hold them up.
    "planning": (
        "annotation.tasks.plan_test_set",
        "annotation.tasks.fill_pools",
    ),
    # Up to minutes each, one after the other without a pause while judges work.
    "ranking": (
        "ranking.tasks.rank_test_set",
        "ranking.tasks.rank_what_is_due",
    ),
    # A mail server that does not answer holds each message up for `EMAIL_TIMEOUT`.
    "mail": ("campaign.tasks.send_mails",),
    "housekeeping": (
        "annotation.tasks.refresh_participations",
        "campaign.tasks.forget_sessions",
        "campaign.tasks.purge_browser_visits",
    ),
}

ROUTES: Final = {task: {"queue": queue} for queue, tasks in QUEUES.items() for task in tasks}
