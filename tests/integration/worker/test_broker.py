"""Workers go on after a broker that was silent for a while."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
import redis
from django.conf import settings
from kombu import Connection
from kombu.simple import SimpleQueue

from config.celery import app

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


def test_a_message_whose_acknowledgement_was_lost_holds_no_place(queue: SimpleQueue) -> None:
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
