"""Define the queues of background work, their tasks, and the schedule of periodic tasks.

A worker started without queues (`celery -A config worker`) serves all of them. Otherwise, the workers
of an installation together must serve every queue; `launcher/serving.py` and docker-compose.yml do.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from celery.schedules import schedule

#: Tasks by queue. A test fails if a task has no queue.
QUEUES: Final = {
    # Judges wait for these short tasks, which rankings must not delay.
    "planning": (
        "annotation.tasks.plan_task",
        "annotation.tasks.fill_pools",
        "annotation.tasks.fill_all_pools",
    ),
    # Up to some minutes each, without pauses while judges work.
    "ranking": (
        "ranking.tasks.rank_task",
        "ranking.tasks.rank_what_is_due",
    ),
    # Up to some minutes each, while a user watches the page.
    "jobs": ("campaign.tasks.run_jobs",),
    # If the mail server does not answer, each message takes `EMAIL_TIMEOUT`.
    "mail": ("campaign.tasks.send_mails", "ranking.tasks.send_alert_mails"),
    # Requests to other servers, each of which may take until its timeout.
    "webhooks": ("annotation.tasks.deliver_webhooks",),
    "housekeeping": (
        "annotation.tasks.carry_out_erasures",
        "annotation.tasks.refresh_participations",
        "campaign.tasks.clean_media",
        "campaign.tasks.clean_up",
        "campaign.tasks.close_campaigns",
        "campaign.tasks.empty_bin",
        "ranking.tasks.check_tallies",
        "ranking.tasks.keep_rankings_of_days",
    ),
}

#: Queues of earlier versions, which a command for a worker may still name after an upgrade.
RETIRED_QUEUES: Final = ("shards",)
#: Tasks of earlier versions, whose messages may still wait at the broker after an upgrade; workers drop them.
RETIRED: Final = (
    "annotation.tasks.check_counters",
    "ranking.tasks.compute_shard",
    "ranking.tasks.forget_shard_jobs",
)

ROUTES: Final = {
    task: {"queue": queue} for queue, tasks in QUEUES.items() for task in tasks
}

# Beat keeps its schedule in memory and sends all tasks once when it starts, so tasks may run
# twice and must find their own work.
_STARTED = datetime.now(UTC)
_STARTED_MONOTONIC = time.monotonic()
# Checks of all test sets take seconds, and would make the first judges wait.
_SELDOM_SECONDS = 600


def monotonic_now() -> datetime:
    """Return the time in UTC, regardless of changes of the system clock since the process started.

    Celery compares the time with the last run of a task. If the clock were set back, beat would send nothing
    until the clock had caught up (docs/decisions/0042-beat-by-the-monotonic-clock.md).
    """
    return _STARTED + timedelta(seconds=time.monotonic() - _STARTED_MONOTONIC)


def every(seconds: float, task: str) -> dict[str, Any]:
    """Return an entry for the schedule of beat, repeated after `seconds`; first due when beat starts or ten minutes later.

    A message expires when the next one is sent, so that a busy worker finds only one.
    """
    if seconds >= _SELDOM_SECONDS:
        first = _SELDOM_SECONDS
    else:
        first = 0
    return {
        "task": task,
        "schedule": schedule(timedelta(seconds=seconds), nowfun=monotonic_now),
        "last_run_at": _STARTED + timedelta(seconds=first - seconds),
        "options": {"expires": seconds},
    }


#: Counters of the workers, stored at the broker so that only the web server is scraped: hashes and a
#: number. They restart when the broker is emptied, as Prometheus expects of counters. While the
#: broker is down, nothing is counted, but work continues.
STATES: Final = "metrics:task-states"
SECONDS: Final = "metrics:task-seconds"
ENDED: Final = "metrics:task-ended"
ERRORS: Final = "metrics:worker-errors"
#: Headers of messages: time of sending, and ID of the request.
SENT_AT: Final = "sent_at"
REQUEST: Final = "quintet_request"
