"""The cache of counts that limit API requests, shared by all web processes."""

from contextlib import suppress
from typing import Any

import redis
from django.core.cache.backends.redis import RedisCache


class LossyRedisCache(RedisCache):
    """Values in the broker's server. While that does not respond, none is stored, so requests are answered uncounted."""

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """Return a value, or the default if there is none or the server does not respond."""
        try:
            return super().get(key, default, version)
        except redis.RedisError:
            return default

    def set(self, key: Any, value: Any, *args: Any, **options: Any) -> None:
        """Store a value, unless the server does not respond."""
        with suppress(redis.RedisError):
            super().set(key, value, *args, **options)
