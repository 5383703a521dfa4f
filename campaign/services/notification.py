"""Notify the worker of mail and jobs. A lost message only delays them, because a periodic task handles them, too."""

import logging
from dataclasses import dataclass
from typing import Any, Final

from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from campaign.models import Mail

logger = logging.getLogger(__name__)

MAIL_TASK = "campaign.tasks.send_mails"
JOBS_TASK = "campaign.tasks.run_jobs"
_CONSOLE: Final = "django.core.mail.backends.console.EmailBackend"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """The address of the pages that a message links to, its language, and a note in it."""

    base_url: str
    language: str = "en"
    note: str = ""


def mail_is_printed() -> bool:
    """Return whether there is no mail server: the worker's log shows messages, without their links."""
    return bool(settings.EMAIL_BACKEND == _CONSOLE)


def mail_queue(*, base_url: str, **described: Any) -> Mail:
    """Put a message into the outbox, and let a worker send it after the commit; return it."""
    mail = Mail.objects.create(base_url=base_url.rstrip("/"), **described)
    transaction.on_commit(mail_enqueue)
    return mail


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
        logger.warning("Broker unreachable; left to the periodic task: %s", error)
