"""A broker in trouble."""

from collections.abc import Iterator
from contextlib import contextmanager

import redis


@contextmanager
def refusing_to_write(url: str) -> Iterator[None]:
    """Let the broker refuse to write, as with a full disk or memory."""
    with redis.Redis.from_url(url) as broker:
        broker.config_set("min-replicas-to-write", 1)
        try:
            yield
        finally:
            broker.config_set("min-replicas-to-write", 0)
