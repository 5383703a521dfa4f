"""Tells the worker that there is something to do, without depending on being heard.

Tasks are sent by name: ranking imports annotation, never the other way, and
services do not import the tasks that call them. Many judges who wait for a plan
are one message, as are many judgments within one computation
(`annotation.services.judging.notifications`). Whatever is lost here, because the broker is
down or was emptied, the periodic tasks find.
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
    """Ask for a ranking of this test set."""
    try:
        _send(TASK, test_set_id)
    except OperationalError as error:
        _log(error)


def planning_due(test_set_id: int) -> None:
    """Ask for HITs of this test set unless that is already under way."""
    try:
        if broker().set(planning_key(test_set_id), 1, nx=True, ex=SECONDS_DUE):
            _send(PLANNING_TASK, test_set_id)
    except (redis.RedisError, OperationalError) as error:
        _log(error)


def planning_begins(test_set_id: int) -> None:
    """From here on a judge who finds nothing asks for a new plan."""
    try:
        broker().delete(planning_key(test_set_id))
    except redis.RedisError as error:
        _log(error)


def _send(task: str, test_set_id: int) -> None:
    current_app.send_task(task, args=[test_set_id], ignore_result=True)


def _log(error: Exception) -> None:
    logger.warning("The broker cannot be reached; the periodic task will do it: %s", error)
