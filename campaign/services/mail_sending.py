"""Sending a claimed message of an outbox once, and storing what became of it."""

import logging
import smtplib
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final, TypeVar

from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.models import MailState, OutgoingMail

Mail = TypeVar("Mail", bound=OutgoingMail)

logger = logging.getLogger(__name__)

#: Delays before each further attempt if the mail server cannot be reached.
RETRY_DELAYS: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240))
#: A message that is being sent for so long was lost with its worker: tasks end earlier.
_SENDING_TIMEOUT: Final = timedelta(minutes=15)


def sending_mark_unconfirmed(outbox: type[OutgoingMail]) -> int:
    """Mark messages as unconfirmed whose worker stopped while sending; return their number.

    A worker counts as stopped a quarter of an hour after its claim. The messages are not sent again.
    """
    stopped = _rows(outbox).filter(state=MailState.SENDING, claimed_at__lt=Now() - _SENDING_TIMEOUT)
    return stopped.update(state=MailState.UNCONFIRMED, error=_("The worker stopped while sending."))


def sending_claim(due: "QuerySet[Mail]") -> Mail | None:
    """Claim the first of these messages, and return it with its new state; None if there is none.

    Locks its row, skipping locked ones; commit before it is sent, so that nobody sends it a second time.
    """
    mail = (
        due.select_for_update(skip_locked=True, of=("self",))
        .order_by("next_attempt_at", "id")
        .first()
    )
    if mail is None:
        return None
    mail.state = MailState.SENDING
    mail.attempts += 1
    mail.claimed_at = Now()
    mail.save(update_fields=["state", "attempts", "claimed_at"])
    return mail


def message_send(mail: OutgoingMail, message: Callable[[BaseEmailBackend], EmailMessage]) -> bool:
    """Send what `message` makes for a connection, store the outcome, and return whether it was sent.

    A failure before the server has the message is retried later. A message that the server refuses
    for good is `failed`. One whose sending broke off is `unconfirmed`: it may have arrived.
    """
    try:
        connection = get_connection()
        connection.open()
    except (OSError, smtplib.SMTPException) as error:
        _retry(mail, error)
        return False
    try:
        message(connection).send()
    except smtplib.SMTPNotSupportedError as error:
        # The server does not support the letters of the address.
        _outcome_store(mail, MailState.FAILED, error)
        return False
    except smtplib.SMTPException as error:
        code = _reply_code(error)
        if code is None:
            _outcome_store(mail, MailState.UNCONFIRMED, error)
        elif code < 500:
            _retry(mail, error)
        else:
            _outcome_store(mail, MailState.FAILED, error)
        return False
    except OSError as error:
        _outcome_store(mail, MailState.UNCONFIRMED, error)
        return False
    finally:
        connection.close()
    _outcome_store(mail, MailState.SENT)
    return True


def _rows(outbox: type[OutgoingMail]) -> "QuerySet[Any, Any]":
    return outbox._meta.base_manager.all()


def _reply_code(error: smtplib.SMTPException) -> int | None:
    """Return the server's reply code; None if it did not reply."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return max(code for code, _text in error.recipients.values())
    return error.smtp_code if isinstance(error, smtplib.SMTPResponseException) else None


def _retry(mail: OutgoingMail, error: Exception) -> None:
    if mail.attempts > len(RETRY_DELAYS):
        _outcome_store(mail, MailState.FAILED, error)
        return
    logger.warning("A message could not be sent; it is tried again: %s", error)
    _rows(type(mail)).filter(pk=mail.pk).update(
        state=MailState.QUEUED,
        error=_short(error),
        next_attempt_at=Now() + RETRY_DELAYS[mail.attempts - 1],
    )


def _outcome_store(mail: OutgoingMail, state: MailState, error: Exception | None = None) -> None:
    if error is not None:
        logger.warning("A message is %s: %s", state, error)
    sent_at = Now() if state == MailState.SENT else None
    _rows(type(mail)).filter(pk=mail.pk).update(
        state=state, sent_at=sent_at, error=_short(error) if error else ""
    )


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:300]
