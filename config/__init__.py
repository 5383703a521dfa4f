"""Wiring: settings, addresses, the Celery application."""

import os

from config.environment import secrets_read

# Before anything reads the environment. Here, because the web server, the worker and every command import this first.
secrets_read(os.environ)

from config.celery import app as celery_app  # noqa: E402
from config.redaction import logs_redact  # noqa: E402

__all__ = ["celery_app"]

logs_redact()
