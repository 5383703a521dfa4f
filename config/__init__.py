"""Wiring: settings, addresses, the Celery application."""

from config.celery import app as celery_app
from config.redaction import logs_redact

__all__ = ["celery_app"]

# Here, because the web server, the worker and every command import this first.
logs_redact()
