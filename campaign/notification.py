"""Tell the worker of mail to send; a lost message only delays it, a periodic task sends it too."""

import logging

from celery import current_app
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

MAIL_TASK = "campaign.tasks.send_mails"


def mail_enqueue() -> None:
    """Enqueue sending the mail in the outbox."""
    try:
        current_app.send_task(MAIL_TASK, ignore_result=True)
    except OperationalError as error:
        logger.warning("The broker cannot be reached; the periodic task will do it: %s", error)
