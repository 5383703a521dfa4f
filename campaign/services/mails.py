"""Invitations by e-mail: queued for an organiser, sent once by the worker."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import parseaddr
from functools import partial
from typing import Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models.functions import Lower, Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaign.models import (
    Campaign,
    Invitation,
    InvitationMail,
    InvitationRole,
    Judge,
    MailState,
    User,
)
from campaign.notification import mail_enqueue
from campaign.services.invitations import (
    invitation_create,
    invitation_renew,
    judge_links_revoke,
)
from campaign.services.joining import judge_create_with_user
from campaign.services.mail_sending import message_send, sending_mark_unconfirmed
from campaign.texts.language_tags import language_tags_checked

_MAX_AT_ONCE: Final = 1000
_CONSOLE: Final = "django.core.mail.backends.console.EmailBackend"


class AddressesRefusedError(Exception):
    """Some lines are not e-mail addresses; `problems` names each with its number."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)


@dataclass(frozen=True, slots=True)
class Invited:
    """Result of inviting addresses: the messages queued, and the addresses invited before."""

    mails: list[InvitationMail]
    known: list[str]


def mail_is_printed() -> bool:
    """Return whether there is no mail server: the worker's log shows messages, without their links."""
    return bool(settings.EMAIL_BACKEND == _CONSOLE)


def addresses_read(text: str) -> list[str]:
    """Return the addresses of a text, one a line or separated by commas, each once in their order.

    `Ada <ada@example.org>` is an address, too. Raises `AddressesRefusedError` with the numbers of
    the lines that hold anything else.
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
                "%(count)d address was given; at most %(most)d are taken at once.",
                "%(count)d addresses were given; at most %(most)d are taken at once.",
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
    """Create a judge and queue a message in `language` for each address.

    `languages` are those the judges read. Addresses that were invited to this campaign
    before, or are those of judges, are skipped. Raises
    `LanguageTagError`.
    """
    reads = language_tags_checked(languages)
    mails, known = [], []
    here = Judge.objects.filter(campaign=campaign).exclude(address="")
    listed = set(here.values_list(Lower("address"), flat=True))
    for address in addresses:
        if address.lower() in listed:
            known.append(address)
            continue
        try:
            with transaction.atomic():
                judge = judge_create_with_user(campaign=campaign, languages=reads)
                mails.append(
                    InvitationMail.objects.create(
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
            if "invitation_mail_one_in_force_per_campaign_and_address" not in str(error):
                raise
            known.append(address)
    transaction.on_commit(mail_enqueue)
    return Invited(mails=mails, known=known)


@transaction.atomic
def mail_send_again(
    *, mail: InvitationMail, base_url: str, user: User | None = None
) -> InvitationMail:
    """Queue and return another message to a judge with a new link; revoke their other links.

    Raises `ValueError` for a message to nobody who judges.
    """
    if mail.judge is None:
        raise ValueError(mail.address)
    judge_links_revoke(judge=mail.judge)
    again = InvitationMail.objects.create(
        campaign_id=mail.campaign_id,
        judge_id=mail.judge_id,
        address=mail.address,
        language=mail.language,
        note=mail.note,
        base_url=base_url.rstrip("/"),
        created_by=user,
    )
    transaction.on_commit(mail_enqueue)
    return again


def mails_send_due(*, limit: int = 500) -> int:
    """Send the messages that are due, one after the other; return the number sent."""
    mails_mark_unconfirmed()
    sent = 0
    for _turn in range(limit):
        claimed = mail_claim()
        if claimed is None:
            break
        sent += mail_send(mail=claimed[0], token=claimed[1])
    return sent


def mails_mark_unconfirmed() -> int:
    """Mark messages as unconfirmed whose worker stopped while sending; return their number."""
    return sending_mark_unconfirmed(InvitationMail)


@transaction.atomic
def mail_claim() -> tuple[InvitationMail, str] | None:
    """Claim the next message that is due; return it with the token of a new link, or None.

    Locks the message's row, skipping locked ones. The claim is committed before anything is sent, so
    that neither another worker nor this one after a crash sends it a second time.
    """
    mail = (
        InvitationMail.objects.due()
        .select_for_update(skip_locked=True, of=("self",))
        .select_related("campaign", "judge__user", "created_by", "invitation__user")
        .order_by("next_attempt_at", "id")
        .first()
    )
    if mail is None:
        return None
    mail.invitation, token = _link_of(mail)
    mail.state = MailState.SENDING
    mail.attempts += 1
    mail.claimed_at = Now()
    mail.save(update_fields=["invitation", "state", "attempts", "claimed_at"])
    mail.refresh_from_db(fields=["claimed_at"])
    return mail, token


def _link_of(mail: InvitationMail) -> tuple[Invitation, str]:
    """Return a new link for a message, with its token; that of an attempt that sent nothing is replaced."""
    if mail.judge is None or mail.judge.user is None:
        # A member's was made, and recorded, when they were invited.
        if mail.invitation is None:
            raise ValueError(mail.address)
        return mail.invitation, invitation_renew(invitation=mail.invitation)
    if mail.invitation is not None:
        mail.invitation.delete()
    user = mail.judge.user
    return invitation_create(
        campaign=mail.campaign,
        user=user,
        role=InvitationRole.JUDGE,
        created_by=user if mail.created_by_id == user.pk else None,
    )


def mail_send(*, mail: InvitationMail, token: str) -> bool:
    """Send a claimed message and store the outcome; return whether it was sent."""
    return message_send(mail, partial(_message, mail, token))


def _message(mail: InvitationMail, token: str, connection: BaseEmailBackend) -> EmailMessage:
    organiser = mail.created_by
    with translation.override(mail.language):
        subject, template = _subject_and_template(mail)
        body = render_to_string(
            template,
            {
                "campaign": mail.campaign,
                "link": mail.base_url + reverse("invitation", args=[token]),
                "invitation": mail.invitation,
                "until": mail.invitation.expires_at if mail.invitation is not None else None,
                "note": mail.note,
                "organiser": organiser,
            },
        )
    return EmailMessage(
        subject=" ".join((subject % {"campaign": mail.campaign.name}).split()),
        body=body,
        to=[mail.address],
        reply_to=[organiser.email] if organiser is not None and organiser.email else None,
        connection=connection,
    )


def _subject_and_template(mail: InvitationMail) -> tuple[str, str]:
    if mail.judge is None:
        reads = mail.invitation is not None and mail.invitation.role == InvitationRole.ANALYST
        subject = (
            _("Your invitation to read a campaign: %(campaign)s")
            if reads
            else _("Your invitation to organise a campaign: %(campaign)s")
        )
        return subject, "campaign/member_mail.txt"
    if mail.created_by_id is not None and mail.created_by_id == mail.judge.user_id:
        return _("Your own link: %(campaign)s"), "campaign/own_link_mail.txt"
    return _("Your invitation to judge: %(campaign)s"), "campaign/invitation_mail.txt"
