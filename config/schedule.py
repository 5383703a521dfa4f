"""Schedule periodic tasks by the monotonic clock: the machine's clock may be set forward or back.

Celery compares the clock's time with that of a task's last run, so that after a clock was set back beat sent nothing until
the clock had caught up. `monotonic_now` counts on from the moment the process started instead. It means nothing
to another process, so beat keeps its schedule in memory (`celery.beat:Scheduler`, no file) and sends
everything once when it starts, what is seldom due ten minutes later: each task may run twice, and looks itself
for what is to be done.
See docs/decisions/0042-beat-by-the-monotonic-clock.md.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from celery.schedules import schedule

_STARTED = datetime.now(UTC)
_STARTED_MONOTONIC = time.monotonic()
# Checks and sweeps of all test sets take seconds, in which the first judges would wait.
_SELDOM_SECONDS = 600


def monotonic_now() -> datetime:
    """Return the time in UTC; setting the machine's clock after the process started does not change it."""
    return _STARTED + timedelta(seconds=time.monotonic() - _STARTED_MONOTONIC)


def every(seconds: float, task: str) -> dict[str, Any]:
    """Return an entry of beat's schedule: due at its start or ten minutes later, then after so many seconds each time.

    A message expires when the next is sent, so that a busy worker finds one, not a pile.
    """
    first = _SELDOM_SECONDS if seconds >= _SELDOM_SECONDS else 0
    return {
        "task": task,
        "schedule": schedule(timedelta(seconds=seconds), nowfun=monotonic_now),
        "last_run_at": _STARTED + timedelta(seconds=first - seconds),
        "options": {"expires": seconds},
    }
