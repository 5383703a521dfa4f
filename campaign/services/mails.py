"""Invitations by e-mail: asked for by an organiser, sent by the worker, never doubled in silence."""

import logging
import re
import smtplib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from email.utils import parseaddr
from typing import Final

from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaign.models import Campaign, Invitation, Mail, User
from campaign.notification import mails_due
from campaign.services.arriving import judge_admit
from campaign.services.invitations import invitation_create, judge_links_revoke

logger = logging.getLogger(__name__)

#: A mail server that cannot be reached is asked again after so long, and then no more.
WAITS: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 240))
#: A worker that was sending is thought dead after so long: tasks end before.
_LOST_AFTER: Final = timedelta(minutes=15)
_MAX_AT_ONCE: Final = 1000


class AddressesRefusedError(Exception):
    """Some lines are no e-mail addresses; `problems` has each with its number, in words."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)


@dataclass(frozen=True, slots=True)
class Invited:
    """What became of a list of addresses: those queued, and those that were invited before."""

    mails: list[Mail]
    known: list[str]


def addresses_read(text: str) -> list[str]:
    """E-mail addresses, one a line or separated by commas; `Ada <ada@example.org>` is one too.

    Each once, in their order. Raises `AddressesRefusedError` with the numbers of the lines that
    hold something else.
    """
    found: dict[str, str] = {}
    problems = []
    for number, line in enumerate(text.splitlines(), start=1):
        for part in filter(None, map(str.strip, re.split(r"[,;\t]", line))):
            address = parseaddr(part)[1] if part.endswith(">") else part
            try:
                validate_email(address)
            except ValidationError:
                problems.append(
                    _("Line %(number)d: “%(text)s” is not an e-mail address.")
                    % {"number": number, "text": part[:80]}
                )
            else:
                found.setdefault(address.lower(), address)
    if not found and not problems:
        problems.append(_("There is no e-mail address in it."))
    if len(found) > _MAX_AT_ONCE:
        problems.append(
            ngettext(
                "That is %(count)d address; at most %(most)d are taken at once.",
                "That are %(count)d addresses; at most %(most)d are taken at once.",
                len(found),
            )
            % {"count": len(found), "most": _MAX_AT_ONCE}
        )
    if problems:
        raise AddressesRefusedError(problems)
    return list(found.values())


@transaction.atomic
def judges_invite_by_mail(
    *,
    campaign: Campaign,
    addresses: Sequence[str],
    base_url: str,
    languages: Sequence[str] = (),
    language: str = "en",
    note: str = "",
    user: User | None = None,
) -> Invited:
    """A new judge for each address, and a message to them in `language`, sent by the worker.

    `languages` are those the judges read. Who was invited to this campaign before is left alone.
    """
    mails, known = [], []
    for address in addresses:
        try:
            with transaction.atomic():
                judge = judge_admit(campaign=campaign, languages=languages)
                mails.append(
                    Mail.objects.create(
                        campaign=campaign,
                        judge=judge,
                        address=address,
                        language=language,
                        note=note,
                        base_url=base_url.rstrip("/"),
                        created_by=user,
                    )
                )
        except IntegrityError as error:
            if "mail_one_in_force_per_campaign_and_address" not in str(error):
                raise
            known.append(address)
    transaction.on_commit(mails_due)
    return Invited(mails=mails, known=known)


@transaction.atomic
def mail_send_again(*, mail: Mail, base_url: str, user: User | None = None) -> Mail:
    """Another message with a new link for the same judge; the links they have open nothing more."""
    judge_links_revoke(judge=mail.judge)
    again = Mail.objects.create(
        campaign_id=mail.campaign_id,
        judge_id=mail.judge_id,
        address=mail.address,
        language=mail.language,
        note=mail.note,
        base_url=base_url.rstrip("/"),
        created_by=user,
    )
    transaction.on_commit(mails_due)
    return again


def mails_send_due(*, limit: int = 500) -> int:
    """Send what is due, one after the other; how many went out. For the worker."""
    mails_lost_mark()
    sent = 0
    for _turn in range(limit):
        claimed = mail_claim()
        if claimed is None:
            break
        sent += mail_send(mail=claimed[0], token=claimed[1])
    return sent


def mails_lost_mark() -> int:
    """Messages whose worker died while sending: nobody knows whether they went out; how many."""
    return Mail.objects.filter(state=Mail.State.SENDING, claimed_at__lt=Now() - _LOST_AFTER).update(
        state=Mail.State.UNSURE, error=_("The worker stopped while sending.")
    )


@transaction.atomic
def mail_claim() -> tuple[Mail, str] | None:
    """Take the next message that is due, with the token of a link made for this attempt.

    Committed before anything is sent: another worker, or this one after a crash, does not send it
    a second time.
    """
    mail = (
        Mail.objects.due()
        .select_for_update(skip_locked=True, of=("self",))
        .select_related("campaign", "judge__user", "created_by", "invitation")
        .order_by("next_attempt_at", "id")
        .first()
    )
    if mail is None:
        return None
    user = mail.judge.user
    if user is None:
        raise ValueError(mail.judge.pseudonym)
    if mail.invitation is not None:
        # Of an attempt that sent nothing: nobody has it.
        mail.invitation.delete()
    mail.invitation, token = invitation_create(
        campaign=mail.campaign, user=user, role=Invitation.Role.JUDGE
    )
    mail.state = Mail.State.SENDING
    mail.attempts += 1
    mail.claimed_at = timezone.now()
    mail.save(update_fields=["invitation", "state", "attempts", "claimed_at"])
    return mail, token


def mail_send(*, mail: Mail, token: str) -> bool:
    """Send a claimed message and keep what came of it; whether it went out.

    Whatever fails before the server has the message is tried again later. What it refuses for good
    is `failed`. What breaks off in the middle is `unsure`: it may have arrived.
    """
    try:
        connection = get_connection()
        connection.open()
    except (OSError, smtplib.SMTPException) as error:
        _retry(mail, error)
        return False
    try:
        _message(mail, token, connection).send()
    except smtplib.SMTPNotSupportedError as error:
        # An address in letters that the server does not know.
        _settle(mail, Mail.State.FAILED, error)
        return False
    except smtplib.SMTPException as error:
        code = _reply_code(error)
        if code is None:
            _settle(mail, Mail.State.UNSURE, error)
        elif code < 500:
            _retry(mail, error)
        else:
            _settle(mail, Mail.State.FAILED, error)
        return False
    except OSError as error:
        _settle(mail, Mail.State.UNSURE, error)
        return False
    finally:
        connection.close()
    _settle(mail, Mail.State.SENT)
    return True


def _reply_code(error: smtplib.SMTPException) -> int | None:
    """What the server answered; None where it answered nothing."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return max(code for code, _text in error.recipients.values())
    return error.smtp_code if isinstance(error, smtplib.SMTPResponseException) else None


def _retry(mail: Mail, error: Exception) -> None:
    if mail.attempts > len(WAITS):
        _settle(mail, Mail.State.FAILED, error)
        return
    logger.warning("An invitation could not be sent; it is tried again: %s", error)
    Mail.objects.filter(pk=mail.pk).update(
        state=Mail.State.QUEUED,
        error=_short(error),
        next_attempt_at=Now() + WAITS[mail.attempts - 1],
    )


def _settle(mail: Mail, state: Mail.State, error: Exception | None = None) -> None:
    if error is not None:
        logger.warning("An invitation is %s: %s", state, error)
    sent_at = timezone.now() if state == Mail.State.SENT else None
    Mail.objects.filter(pk=mail.pk).update(
        state=state, sent_at=sent_at, error=_short(error) if error else ""
    )


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:300]


def _message(mail: Mail, token: str, connection: BaseEmailBackend) -> EmailMessage:
    organiser = mail.created_by
    with translation.override(mail.language):
        link = mail.base_url + reverse("invitation", args=[token])
        subject = _("Your invitation to judge: %(campaign)s") % {"campaign": mail.campaign.name}
        body = render_to_string(
            "campaign/invitation_mail.txt",
            {"campaign": mail.campaign, "link": link, "note": mail.note, "organiser": organiser},
        )
    return EmailMessage(
        subject=" ".join(subject.split()),
        body=body,
        to=[mail.address],
        reply_to=[organiser.email] if organiser is not None and organiser.email else None,
        connection=connection,
    )
