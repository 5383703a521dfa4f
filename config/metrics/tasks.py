"""Count what workers do, at the broker: one place for all of them, so that only the web server is asked.

Counts begin anew where the broker is emptied, as Prometheus expects of counters. Where it is away they are lost,
and work goes on.
"""

import contextlib
import time
from typing import Any, Final

import redis
from celery.signals import before_task_publish, task_postrun, task_prerun

from annotation.notification import broker

#: Hashes and a number at the broker.
STATES: Final = "metrics:task-states"
SECONDS: Final = "metrics:task-seconds"
ENDED: Final = "metrics:task-ended"
ERRORS: Final = "metrics:worker-errors"
#: A header of messages.
SENT_AT: Final = "sent_at"

_began: Final[dict[str, float]] = {}


def tasks_count() -> None:
    """Count every task that this process runs, and date every message that it sends, from now on."""
    before_task_publish.connect(_sent, weak=False)
    task_prerun.connect(_begun, weak=False)
    task_postrun.connect(_ended, weak=False)


def _sent(*, headers: dict[str, Any], **_signal: Any) -> None:
    headers[SENT_AT] = time.time()


def _begun(*, task_id: str, **_signal: Any) -> None:
    _began[task_id] = time.perf_counter()


def _ended(*, task: Any, task_id: str, state: str | None, **_signal: Any) -> None:
    began = _began.pop(task_id, None)
    seconds = 0.0 if began is None else time.perf_counter() - began
    with (
        contextlib.suppress(redis.RedisError),
        broker().pipeline(transaction=False) as pipeline,
    ):
        pipeline.hincrby(STATES, f"{task.name}|{(state or 'UNKNOWN').lower()}", 1)
        pipeline.hincrbyfloat(SECONDS, task.name, seconds)
        pipeline.hset(ENDED, task.name, str(time.time()))
        pipeline.execute()


def worker_error_count() -> None:
    """Count an error that a worker logged: what it does at intervals catches them, so that no task fails.

    Raises
    ------
    RedisError
        The broker is away.
    """
    broker().incr(ERRORS)
