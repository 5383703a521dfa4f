"""Outbox: each message is claimed, sent once, and its outcome stored."""

import logging
import smtplib
from collections.abc import Callable
from datetime import timedelta
from email.utils import make_msgid, parseaddr
from functools import partial
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.db.models.lookups import IsNull
from django.utils.encoding import punycode
from django.utils.translation import gettext as _

from campaign.models import ErasureRequest, Mail, MailKind, MailState
from campaign.models.invitation import MailQuerySet
from campaign.selectors.credentials import account_of_address, address_of_judge
from campaign.services.erasures import erasure_message
from campaign.services.invitation_mails import invitation_message, mail_link_make
from campaign.services.own_account import account_message
from campaign.texts.mail_lines import mail_lines

logger = logging.getLogger(__name__)

#: Delays before each further attempt if the mail server cannot be reached.
RETRY_DELAYS: Final = tuple(
    timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240)
)
#: A message that is still being sent after this time was lost with its worker; tasks end earlier.
_SENDING_TIMEOUT: Final = timedelta(minutes=15)
#: Time that messages other than invitations are kept, to find out why one did not arrive.
_LIFETIME: Final = timedelta(days=7)
_OF_ACCOUNTS: Final = (MailKind.PASSWORD, MailKind.ADDRESS, MailKind.OLD_ADDRESS)
_INVITATIONS: Final = (MailKind.JUDGE, MailKind.MEMBER)


def mails_send_due() -> int:
    """Send the messages that are due, one after the other; return the number sent.

    Daily mails of alerts are sent elsewhere (`desk.services.alert_mails`).
    """
    mails_mark_unconfirmed()
    sent = 0
    while (claimed := mail_claim()) is not None:
        sent += mail_send(mail=claimed[0], token=claimed[1])
    return sent


def mails_mark_unconfirmed() -> int:
    """Mark messages as unconfirmed whose worker stopped while sending; return their number.

    A worker counts as stopped a quarter of an hour after its claim. The messages are not sent again.
    """
    stopped = Mail.objects.filter(
        state=MailState.SENDING,
        claimed_at__lt=Now() - _SENDING_TIMEOUT,
    ).update(state=MailState.UNCONFIRMED, error=_("The worker stopped while sending."))
    _erased_addresses_forget()
    return stopped


@transaction.atomic
def mail_claim() -> tuple[Mail, str] | None:
    """Claim the next message that is due; return it with the token of its new link, if it has one, or None.

    Messages about accounts come first, those to judges last. Locks the message's row, skipping locked ones. The claim is
    committed before anything is sent, so that neither another worker nor this one after a crash sends it a second time.
    """
    mail = sending_claim(
        Mail.objects.due()
        .exclude(kind=MailKind.ALERTS)
        .select_related(
            "user", "judge__user", "judge__campaign", "created_by", "invitation__user",
            "invitation__campaign", "erasure__judge__campaign",
        )
        .order_by(IsNull(F("campaign"), False), IsNull(F("judge"), False), "next_attempt_at", "id"),
    )  # fmt: skip
    if mail is None:
        return None
    token = ""
    if mail.kind in _INVITATIONS:
        token = mail_link_make(mail)
    return mail, token


def sending_claim(due: MailQuerySet) -> Mail | None:
    """Claim the first of these messages, and return it with its new state; None if there is none.

    Locks its row, skipping locked ones; commit before sending, so that no other worker sends it
    too.
    """
    mail = due.select_for_update(skip_locked=True, of=("self",)).first()
    if mail is None:
        return None
    mail.state = MailState.SENDING
    mail.attempts += 1
    mail.claimed_at = Now()
    mail.address = recipient(mail)
    mail.save(update_fields=["state", "attempts", "claimed_at", "address"])
    mail.refresh_from_db(fields=["claimed_at"])
    return mail


def recipient(mail: Mail) -> str:
    """Return the address a message goes to: the current one of its person, or that of the message if there is none."""
    match MailKind(mail.kind):
        case MailKind.JUDGE | MailKind.ERASURE_RECORDED | MailKind.ERASURE_REFUSED:
            current = _address_of_judge(mail)
        case MailKind.MEMBER | MailKind.ALERTS | MailKind.ERASURE_ASKED:
            current = None
            if mail.user is not None:
                current = mail.user.email
        case MailKind.PASSWORD:
            account = account_of_address(mail.address)
            current = None
            if account is not None:
                current = account.email
        case MailKind.ADDRESS | MailKind.OLD_ADDRESS | MailKind.ERASURE_CARRIED_OUT:
            # The address to be confirmed, the one before it, and the last one of an erased judge.
            current = None
    return current or mail.address


def _address_of_judge(mail: Mail) -> str | None:
    if mail.erasure is None:
        judge = mail.judge
    else:
        judge = mail.erasure.judge
    if judge is None:
        return None
    if mail.judge is not None and mail.created_by_id == judge.user_id:
        # They entered it for another device of theirs.
        return mail.address
    if mail.judge is not None and judge.address:
        # Organisers invited them at this address, whatever that of their account is.
        return judge.address
    return address_of_judge(judge)


def mail_send(*, mail: Mail, token: str = "") -> bool:
    """Send a claimed message and store the outcome; return whether it was sent.

    A request for a new password is deleted if the address has no account.
    """
    if mail.kind in _INVITATIONS:
        return message_send(mail, partial(invitation_message, mail, token))
    if mail.kind not in _OF_ACCOUNTS:
        return message_send(mail, partial(erasure_message, mail))
    user = mail.user or account_of_address(mail.address)
    if user is None:
        mail.delete()
        return False
    return message_send(mail, partial(account_message, mail, user))


def message_send(
    mail: Mail,
    message: Callable[[BaseEmailBackend], EmailMessage],
) -> bool:
    """Send a message once, store the outcome, and return whether it was sent.

    `message` creates it for a connection. A failure before the server has the message is retried
    later. A message that the server refuses permanently is `failed`. One whose sending broke off is
    `unconfirmed`: it may have arrived.
    """
    try:
        connection = get_connection()
        connection.open()
    except (OSError, smtplib.SMTPException) as error:
        _retry(mail, error)
        return False
    try:
        prepared = message(connection)
        prepared.body = mail_lines(str(prepared.body))
        # So that out-of-office programs do not reply (RFC 3834, and Exchange's header).
        prepared.extra_headers["Auto-Submitted"] = "auto-generated"
        prepared.extra_headers["X-Auto-Response-Suppress"] = "OOF, AutoReply"
        prepared.extra_headers["Message-ID"] = make_msgid(domain=_sender_domain())
        prepared.send()
    except smtplib.SMTPNotSupportedError as error:
        # The server does not support the characters of the address.
        _outcome_store(mail, MailState.FAILED, error)
        return False
    except smtplib.SMTPSenderRefused as error:
        # Whatever the code: the server wants TLS, a password or another DEFAULT_FROM_EMAIL, and got no address yet.
        _retry(mail, error)
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


def _sender_domain() -> str:
    """Return the domain of the sender's address.

    Django names this machine instead, which is an id in a container: filters take such messages for spam.
    """
    _name, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    return punycode(address.rpartition("@")[2])


def _reply_code(error: smtplib.SMTPException) -> int | None:
    """Return the server's reply code; None if it did not reply."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return max(code for code, _text in error.recipients.values())
    if isinstance(error, smtplib.SMTPResponseException):
        return error.smtp_code
    return None


def _error_for_log(error: Exception) -> str:
    """Return the error for the log, without texts of the mail server, which may name recipients."""
    if not isinstance(error, smtplib.SMTPException):
        return str(error)
    return f"{type(error).__name__} {_reply_code(error) or ''}".rstrip()


def _retry(mail: Mail, error: Exception) -> None:
    if mail.attempts > len(RETRY_DELAYS):
        _outcome_store(mail, MailState.FAILED, error)
        return
    logger.warning("Message not sent, will be retried: %s", _error_for_log(error))
    Mail.objects.filter(pk=mail.pk).update(
        state=MailState.QUEUED,
        error=_short(error),
        next_attempt_at=Now() + RETRY_DELAYS[mail.attempts - 1],
    )


def _outcome_store(
    mail: Mail,
    state: MailState,
    error: Exception | None = None,
) -> None:
    if error is not None:
        logger.warning("Message %s: %s", state, _error_for_log(error))
    sent_at = None
    if state == MailState.SENT:
        sent_at = Now()
    Mail.objects.filter(pk=mail.pk).update(
        state=state,
        sent_at=sent_at,
        error=_short(error) if error else "",
    )
    if mail.kind == MailKind.ERASURE_CARRIED_OUT:
        _erased_addresses_forget()


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:300]


def _erased_addresses_forget() -> None:
    """Delete the addresses of erased judges, also from mail server responses, once no further attempt follows."""
    ended = [MailState.SENT, MailState.FAILED, MailState.UNCONFIRMED]
    Mail.objects.filter(kind=MailKind.ERASURE_CARRIED_OUT, state__in=ended).exclude(
        address="",
    ).update(address="", language="", error="")


def mails_forget() -> int:
    """Delete messages after a week, except invitations and open erasure requests; return their number."""
    answered = ~Q(erasure__in=ErasureRequest.objects.open().values("pk"))
    old = Mail.objects.filter(answered, created_at__lt=Now() - _LIFETIME)
    deleted, _by_model = old.exclude(kind__in=_INVITATIONS).delete()
    return deleted
