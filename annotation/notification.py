"""Tells the ranking that there is something new, without depending on being heard.

The task is sent by name: ranking imports annotation, never the other way.
Many judgments within one computation are one message. Whatever is lost here,
because the broker is down or was emptied, the periodic task finds.
"""

import logging
from functools import cache

import redis
from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

TASK = "ranking.tasks.rank_test_set"
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


def ranking_due(test_set_id: int) -> None:
    """Ask for a ranking of this test set unless that is already under way."""
    try:
        if broker().set(due_key(test_set_id), 1, nx=True, ex=SECONDS_DUE):
            current_app.send_task(TASK, args=[test_set_id], ignore_result=True)
    except (redis.RedisError, OperationalError) as error:
        logger.warning("The broker cannot be reached; the periodic task will rank: %s", error)


def ranking_begins(test_set_id: int) -> None:
    """From here on a new judgment asks for a new ranking."""
    try:
        broker().delete(due_key(test_set_id))
    except redis.RedisError as error:
        logger.warning("The broker cannot be reached: %s", error)
