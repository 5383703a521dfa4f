"""Count the errors that are logged, where metrics are read: also those that something caught, so that it went on."""

import contextlib
import logging
import os

import redis


class ErrorCounter(logging.Handler):
    """Counts errors: the web server's by itself, those of workers and beat at the broker."""

    def emit(self, _record: logging.LogRecord) -> None:
        """Count one."""
        # Later than logs are set up: both want the settings.
        if os.environ.get("QUINTET_PROCESS") == "web":
            from config.metrics.names import ERRORS_LOGGED

            ERRORS_LOGGED.inc()
        elif os.environ.get("QUINTET_PROCESS") in {"worker", "beat"}:
            from config.metrics.tasks import worker_error_count

            with contextlib.suppress(redis.RedisError):
                worker_error_count()
