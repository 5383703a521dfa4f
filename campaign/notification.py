"""Tell the worker of mail and jobs; a lost message only delays them, a periodic task does them too."""

import logging

from celery import current_app
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

MAIL_TASK = "campaign.tasks.send_mails"
JOBS_TASK = "campaign.tasks.run_jobs"


def mail_enqueue() -> None:
    """Enqueue sending the mail in the outbox."""
    _enqueue(MAIL_TASK)


def jobs_enqueue() -> None:
    """Enqueue the jobs that wait."""
    _enqueue(JOBS_TASK)


def _enqueue(task: str) -> None:
    try:
        current_app.send_task(task, ignore_result=True)
    except OperationalError as error:
        logger.warning("The broker cannot be reached; the periodic task will do it: %s", error)
