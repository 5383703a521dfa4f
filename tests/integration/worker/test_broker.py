"""Workers go on after a broker that was silent for a while."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
import redis
from django.conf import settings
from kombu import Connection
from kombu.simple import SimpleQueue

from config.celery import app
from tests.broker import refusing_to_write

BROKER = settings.CELERY_BROKER_URL


@pytest.fixture
def queue() -> Iterator[SimpleQueue]:
    """A queue of which one message at a time is taken, with little patience for the broker."""
    with Connection(BROKER, transport_options={"socket_timeout": 0.5}) as connection:
        queue = connection.SimpleQueue(f"test-{uuid4().hex}")
        queue.consumer.qos(prefetch_count=app.conf.worker_prefetch_multiplier)
        yield queue
        queue.consumer.cancel()
        queue.queue.delete()


def test_a_message_whose_acknowledgement_was_lost_holds_no_place(
    queue: SimpleQueue,
) -> None:
    for word in ("first", "second", "third"):
        queue.put(word)
    first = queue.get(timeout=600)
    with redis.Redis.from_url(settings.REDIS_URL) as broker:
        broker.client_pause(1500)
    with pytest.raises(redis.TimeoutError):
        first.ack()
    second = queue.get(timeout=600)
    assert second.payload == "second"
    second.ack()
    assert queue.get(timeout=600).payload == "third"


def test_a_message_whose_acknowledgement_was_refused_holds_no_place(
    queue: SimpleQueue,
) -> None:
    """WeblateOrg/weblate 11614, tubearchivist 289: work stopped after a full disk, on which Redis refuses to write."""
    for word in ("first", "second"):
        queue.put(word)
    first = queue.get(timeout=600)
    with (
        refusing_to_write(settings.REDIS_URL),
        pytest.raises(redis.ResponseError),
    ):
        first.ack()
    assert queue.get(timeout=600).payload == "second"
    assert app.conf.broker_channel_error_retry


def test_a_closed_channel_fails_with_a_connection_error() -> None:
    # As for a task that ends after the worker has closed the lost connection that the task came from. Any other error
    # would end the worker.
    connection = app.connection_for_read()
    channel: Any = connection.channel()
    connection.close()
    with pytest.raises(connection.connection_errors):
        channel.basic_ack("tag")
    with pytest.raises(connection.connection_errors):
        channel.basic_reject("tag", requeue=True)
    channel.qos.restore_unacked()


def test_a_worker_never_gives_up_its_broker() -> None:
    assert app.conf.broker_connection_max_retries is None
    connection: Any = app.connection_for_read("redis+socket:///nothing/here.sock")
    with connection:
        intervals: list[float] = []

        def stop_after_many(_error: Exception, interval: float) -> None:
            intervals.append(interval)
            if len(intervals) > 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            connection.ensure_connection(
                stop_after_many,
                app.conf.broker_connection_max_retries,
            )
    assert intervals[0] < 1
