"""Wiring: settings, addresses, the Celery application."""

import gc
import os

from config.environment import secrets_read
from config.garbage import OBJECTS_BETWEEN

# Before anything reads the environment. Here, because the web server, the worker and every command import this first.
secrets_read(os.environ)
# A sixth of the time in which a process starts would go into looking for garbage among what it loads.
gc.set_threshold(OBJECTS_BETWEEN)

from config.celery import app as celery_app  # noqa: E402
from config.redaction import logs_redact  # noqa: E402

__all__ = ["celery_app"]

logs_redact()
