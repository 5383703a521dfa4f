"""The queues of background work, the tasks of each, and how periodic tasks are scheduled.

A worker that is told no queues (`celery -A config worker`) serves all of them. Otherwise the workers
of an installation together must serve every queue; `launcher/serving.py` and docker-compose.yml do.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from celery.schedules import schedule

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
    # Parts of a computation with a waiting user (`--engine celery`); the worker takes turns.
    "shards": ("ranking.tasks.compute_shard",),
    # Up to minutes each, while the last ranking is still shown.
    "counting": ("ranking.tasks.build_tallies",),
    # Up to minutes each, while their user watches the page.
    "jobs": ("campaign.tasks.run_jobs",),
    # A mail server that does not answer holds each message up for `EMAIL_TIMEOUT`.
    "mail": ("campaign.tasks.send_mails", "ranking.tasks.send_alert_mails"),
    # Servers of others, each of which may take its time-out.
    "webhooks": ("annotation.tasks.deliver_webhooks",),
    "housekeeping": (
        "annotation.tasks.carry_out_erasures",
        "annotation.tasks.check_counters",
        "annotation.tasks.refresh_participations",
        "campaign.tasks.clean_up",
        "campaign.tasks.close_campaigns",
        "campaign.tasks.empty_bin",
        "ranking.tasks.check_tallies",
        "ranking.tasks.keep_rankings_of_days",
        "ranking.tasks.forget_shard_jobs",
    ),
}

ROUTES: Final = {task: {"queue": queue} for queue, tasks in QUEUES.items() for task in tasks}

# Beat keeps its schedule in memory and sends all tasks once when it starts: each task may run
# twice, and finds its own work.
_STARTED = datetime.now(UTC)
_STARTED_MONOTONIC = time.monotonic()
# Checks and sweeps of all test sets take seconds, in which the first judges would wait.
_SELDOM_SECONDS = 600


def monotonic_now() -> datetime:
    """Return the time in UTC; setting the machine's clock after the process started does not change it.

    Celery compares the clock's time with that of a task's last run: after a clock was set back, beat would send nothing
    until the clock had caught up (docs/decisions/0042-beat-by-the-monotonic-clock.md).
    """
    return _STARTED + timedelta(seconds=time.monotonic() - _STARTED_MONOTONIC)


def every(seconds: float, task: str) -> dict[str, Any]:
    """Return an entry of beat's schedule, repeated after `seconds`; first due at beat's start or ten minutes later.

    A message expires when the next is sent, so that a busy worker finds one, not a pile.
    """
    first = _SELDOM_SECONDS if seconds >= _SELDOM_SECONDS else 0
    return {
        "task": task,
        "schedule": schedule(timedelta(seconds=seconds), nowfun=monotonic_now),
        "last_run_at": _STARTED + timedelta(seconds=first - seconds),
        "options": {"expires": seconds},
    }


#: Counters of the workers, kept at the broker, so that only the web server is scraped: hashes and a
#: number. They restart when the broker is emptied, as Prometheus expects of counters; while the
#: broker is down they are lost, and work goes on.
STATES: Final = "metrics:task-states"
SECONDS: Final = "metrics:task-seconds"
ENDED: Final = "metrics:task-ended"
ERRORS: Final = "metrics:worker-errors"
#: Headers of messages: when it was sent, and by which request.
SENT_AT: Final = "sent_at"
REQUEST: Final = "quintet_request"
