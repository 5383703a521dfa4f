"""Let what a command logs say which command it is, and report what it could not foresee."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from config.logs.sentry import errors_flush, errors_report

logger = logging.getLogger(__name__)


@contextmanager
def command_logs(name: str) -> Iterator[None]:
    """Name the command in all that is logged within; log an unexpected error and exit with 1.

    After `django.setup`, so that logs are written as the settings say: also a traceback, without the secrets that it may hold.
    """
    from django.conf import settings

    if settings.SENTRY_DSN:
        from ranking.code_version import code_version

        errors_report(settings.SENTRY_DSN, release=code_version())
    with structlog.contextvars.bound_contextvars(command=name):
        try:
            yield
        except Exception:
            logger.exception("The command %s failed.", name)
            sys.exit(1)
        finally:
            errors_flush()
