"""Tells the worker that there is something to do, without depending on being heard.

Tasks are sent by name: ranking imports annotation, never the other way, and
services do not import the tasks that call them. Many judgments within one
computation are one message, as are many judges who wait for a plan. Whatever
is lost here, because the broker is down or was emptied, the periodic tasks find.
"""

import logging
from functools import cache

import redis
from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

TASK = "ranking.tasks.rank_test_set"
PLANNING_TASK = "annotation.tasks.plan_test_set"
# A message that was never worked on (a queue emptied) stops holding back others after this time.
SECONDS_DUE = 60


def due_key(test_set_id: int) -> str:
    """The mark that a message is on its way; the task removes it before it reads judgments."""
    return f"ranking-due:{test_set_id}"


@cache
def broker() -> "redis.Redis":
    """Connections to the broker that give up quickly: a judge is waiting."""
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=0.5, socket_timeout=1, retry=None
    )


def planning_key(test_set_id: int) -> str:
    """The mark that the planner is told; it removes it before it looks who is waiting."""
    return f"planning-due:{test_set_id}"


def ranking_due(test_set_id: int) -> None:
    """Ask for a ranking of this test set unless that is already under way."""
    _tell(due_key(test_set_id), TASK, test_set_id)


def ranking_begins(test_set_id: int) -> None:
    """From here on a new judgment asks for a new ranking."""
    _forget(due_key(test_set_id))


def planning_due(test_set_id: int) -> None:
    """Ask for HITs of this test set unless that is already under way."""
    _tell(planning_key(test_set_id), PLANNING_TASK, test_set_id)


def planning_begins(test_set_id: int) -> None:
    """From here on a judge who finds nothing asks for a new plan."""
    _forget(planning_key(test_set_id))


def _tell(key: str, task: str, test_set_id: int) -> None:
    try:
        if broker().set(key, 1, nx=True, ex=SECONDS_DUE):
            current_app.send_task(task, args=[test_set_id], ignore_result=True)
    except (redis.RedisError, OperationalError) as error:
        logger.warning("The broker cannot be reached; the periodic task will do it: %s", error)


def _forget(key: str) -> None:
    try:
        broker().delete(key)
    except redis.RedisError as error:
        logger.warning("The broker cannot be reached: %s", error)
