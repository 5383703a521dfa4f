"""Tells the worker that mail waits, without depending on being heard: it looks by itself too."""

import logging

from celery import current_app
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

MAIL_TASK = "campaign.tasks.send_mails"


def mails_due() -> None:
    """Ask for the outbox to be emptied."""
    try:
        current_app.send_task(MAIL_TASK, ignore_result=True)
    except OperationalError as error:
        logger.warning("The broker cannot be reached; the periodic task will do it: %s", error)
