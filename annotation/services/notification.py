"""Send tasks to the worker; a lost message only delays them.

Tasks are sent by name, because ranking imports annotation but not the reverse, and services do not
import the tasks that call them. Many judges' requests for work are merged into one message, as are
many judgments during one computation (`annotation.services.numbers`). If a message is lost, because
the broker is down or was emptied, periodic tasks do the work later.
"""

import logging
from functools import cache

import redis
from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

TASK = "ranking.tasks.rank_task"
DUE_TASK = "ranking.tasks.rank_what_is_due"
PLANNING_TASK = "annotation.tasks.plan_task"
# After this time a message that was never handled (its queue was emptied) is sent again.
REQUEST_TIMEOUT_SECONDS = 60
# Minimum time between the starts of two rankings. Dashboards poll every second; with many judges,
# rankings that are never displayed would keep a processor busy.
MILLISECONDS_BETWEEN_RANKINGS = 1000


@cache
def broker() -> "redis.Redis":
    """Return a broker client with a short timeout, because a judge is waiting."""
    return redis.Redis.from_url(
        settings.REDIS_URL,
        socket_connect_timeout=0.5,
        socket_timeout=1,
        retry=None,
    )


def planning_request_key(task_id: int) -> str:
    """Return the broker's key that marks a request to plan this test set."""
    return f"planning-requested:{task_id}"


def ranking_enqueue(task_id: int) -> None:
    """Enqueue a ranking of this test set, to start at least a second after the previous one."""
    try:
        milliseconds = broker().pttl(_ranking_begun_key(task_id))
        _send(TASK, task_id, after_seconds=max(milliseconds, 0) / 1000)
    except (redis.RedisError, OperationalError) as error:
        _log(error)


def ranking_begun(task_id: int) -> None:
    """Delay the next ranking of this test set by a second."""
    try:
        broker().set(_ranking_begun_key(task_id), 1, px=MILLISECONDS_BETWEEN_RANKINGS)
    except redis.RedisError as error:
        _log(error)


def _ranking_begun_key(task_id: int) -> str:
    return f"ranking-begun:{task_id}"


def rankings_enqueue() -> None:
    """Enqueue all rankings and measures of judges that are out of date."""
    try:
        current_app.send_task(DUE_TASK, ignore_result=True)
    except OperationalError as error:
        _log(error)


def planning_enqueue(task_id: int) -> None:
    """Enqueue planning of this test set unless it is already requested."""
    try:
        if broker().set(
            planning_request_key(task_id),
            1,
            nx=True,
            ex=REQUEST_TIMEOUT_SECONDS,
        ):
            _send(PLANNING_TASK, task_id)
    except (redis.RedisError, OperationalError) as error:
        _log(error)


def planning_request_clear(task_id: int) -> None:
    """Allow later requests to enqueue planning again. Called before the planner reads the requests."""
    try:
        broker().delete(planning_request_key(task_id))
    except redis.RedisError as error:
        _log(error)


def _send(task: str, task_id: int, *, after_seconds: float = 0) -> None:
    current_app.send_task(
        task,
        args=[task_id],
        ignore_result=True,
        countdown=after_seconds or None,
    )


def _log(error: Exception) -> None:
    logger.warning("Broker unreachable; left to the periodic task: %s", error)
