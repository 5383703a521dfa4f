"""Invitations of judges by e-mail: queued for an organiser, or for a judge who requests a link for another device."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.core.validators import validate_email
from django.db import transaction
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from campaign.database.many_rows import row_locked
from campaign.formats.address_lines import named_addresses
from campaign.models import (
    Campaign,
    Invitation,
    InvitationRole,
    Judge,
    Mail,
    MailKind,
    Membership,
    User,
)
from campaign.selectors.credentials import address_of_judge, judges_by_address
from campaign.selectors.tasks import work_of_judges
from campaign.services.invitations import (
    invitation_create,
    invitation_renew,
    judge_links_revoke,
)
from campaign.services.judges import judge_create_with_user
from campaign.services.notification import (
    Message,
    mail_enqueue,
    mail_is_printed,
    mail_queue,
)
from campaign.texts.addresses import address_canonical, address_key
from campaign.texts.counted import counted
from campaign.texts.languages import language_tags_checked
from campaign.texts.refusals import RefusedError, refused_if_broken

_MAX_AT_ONCE: Final = 1000
#: Maximum messages a judge may request: a judge who came by a shared link must not fill other
#: people's mailboxes.
MOST_MAILS: Final = 5


class AddressesRefusedError(Exception):
    """Some lines are not e-mail addresses; `problems` names each with its number."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)


class OwnLinkRefusedError(Exception):
    """No message is sent; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Invited:
    """Result of inviting addresses: the messages queued, and the addresses invited before."""

    mails: list[Mail]
    judge_addresses: list[str]


def addresses_read(text: str) -> list[str]:
    """Return the distinct addresses in a text, in any form of `named_addresses`, in order.

    Raises `AddressesRefusedError` with the numbers of the lines that hold anything else.
    """
    addresses: dict[str, str] = {}
    problems = []
    for number, line in enumerate(text.splitlines(), start=1):
        for address in (row.address for row in named_addresses(line)):
            try:
                validate_email(address)
            except ValidationError:
                problems.append(
                    _(
                        "Line %(number)d: “%(text)s” is not an e-mail address. Enter one such as ada@example.org.",
                    )
                    % {"number": number, "text": address[:80]},
                )
            else:
                addresses.setdefault(address_key(address), address_canonical(address))
    if not addresses and not problems:
        problems.append(_("Enter at least one e-mail address."))
    if len(addresses) > _MAX_AT_ONCE:
        problems.append(
            counted(
                "%(count)d address entered; the maximum is %(most)d.",
                "%(count)d addresses entered; the maximum is %(most)d.",
                len(addresses),
                most=_MAX_AT_ONCE,
            ),
        )
    if problems:
        raise AddressesRefusedError(problems)
    return list(addresses.values())


@transaction.atomic
def judges_invite_by_mail(
    *,
    campaign: Campaign,
    addresses: Sequence[str],
    message: Message,
    languages: Sequence[str] = (),
    user: User | None = None,
) -> Invited:
    """Create a judge and queue a message for each address.

    `languages` are those the judges read. Addresses that were invited to this campaign before, or are those of
    judges, are skipped. Locks the campaign's row. Raises `LanguageTagError`.
    """
    checked_languages = language_tags_checked(languages)
    row_locked(campaign)
    known_addresses = set(judges_by_address(campaign=campaign))
    mails = []
    judge_addresses = []
    for address in addresses:
        if address_key(address) in known_addresses:
            judge_addresses.append(address)
            continue
        judge = judge_create_with_user(
            campaign=campaign,
            languages=checked_languages,
            address=address,
        )
        mail = Mail.objects.create(
            kind=MailKind.JUDGE,
            campaign=campaign,
            judge=judge,
            address=address,
            language=message.language,
            note=message.note,
            base_url=message.base_url.rstrip("/"),
            created_by=user,
        )
        mails.append(mail)
    transaction.on_commit(mail_enqueue)
    return Invited(mails=mails, judge_addresses=judge_addresses)


class NoAddressError(RefusedError):
    """No message can be sent to the judge: their address is unknown, or another judge's message went there."""


@transaction.atomic
def judge_link_mail(*, judge: Judge, base_url: str, user: User | None = None) -> Mail:
    """Queue and return a message with a new link to a judge's current address; revoke their other links.

    It is in the language of their latest message, with the same note. Locks the judge's row. Raises `NoAddressError`,
    and then revokes nothing.
    """
    locked = Judge.objects.select_for_update(no_key=True, of=("self",)).select_related(
        "user",
    )
    judge = locked.get(pk=judge.pk)
    address = judge.address or address_of_judge(judge)
    if not address:
        raise NoAddressError(
            _("The address is missing. Enter one such as ada@example.org."),
        )
    latest = Mail.objects.to_judges().filter(judge=judge).order_by("-pk").first()
    judge_links_revoke(judge=judge)
    refusal = NoAddressError(_address_taken())
    with refused_if_broken("mail_one_in_force_per_campaign_and_address", refusal):
        language = settings.LANGUAGE_CODE
        note = ""
        if latest is not None:
            language = latest.language
            note = latest.note
        return mail_queue(
            kind=MailKind.JUDGE,
            campaign_id=judge.campaign_id,
            judge=judge,
            address=address,
            language=language,
            note=note,
            base_url=base_url,
            created_by=user,
        )


def _address_taken() -> str:
    return _(
        "A link for this campaign was already sent to this address. Find that message or use another "
        "address.",
    )


@transaction.atomic
def own_link_send(
    *,
    judge: Judge,
    address: str,
    base_url: str,
    language: str = "en",
) -> Mail:
    """Queue a message with a link for the judge's other devices; return it.

    It replaces their earlier message, whose link is revoked; a link that they created on the page
    stays. Locks the judge's row. Raises `OwnLinkRefusedError` if the server sends no mail, for an
    invalid address, for an address that was invited to this campaign, and beyond `MOST_MAILS`; and `ValueError`
    for a judge who is not a person.
    """
    if judge.user is None:
        raise ValueError(judge.pseudonym)
    if mail_is_printed():
        raise OwnLinkRefusedError(
            _("This server does not send e-mail. Create a link and copy it instead."),
        )
    address = address_canonical(address)
    try:
        validate_email(address)
    except ValidationError as error:
        raise OwnLinkRefusedError(_("Enter a valid e-mail address.")) from error
    row_locked(judge)
    if Mail.objects.filter(judge=judge, created_by=judge.user_id).count() >= MOST_MAILS:
        raise OwnLinkRefusedError(
            _(
                "You have reached the message limit. Create a link and copy it, or scan its QR code.",
            ),
        )
    own_link_mails_withdraw(judge=judge)
    refusal = OwnLinkRefusedError(_address_taken())
    with refused_if_broken("mail_one_in_force_per_campaign_and_address", refusal):
        return mail_queue(
            kind=MailKind.JUDGE,
            campaign_id=judge.campaign_id,
            judge=judge,
            address=address,
            language=language,
            base_url=base_url,
            created_by=judge.user,
        )


def own_link_mails_withdraw(*, judge: Judge) -> None:
    """Stop unsent messages that the judge requested, and revoke the links of the sent ones."""
    mails = Mail.objects.filter(
        judge=judge,
        created_by=judge.user_id,
        withdrawn_at__isnull=True,
    )
    Invitation.objects.filter(mail__in=mails, revoked_at__isnull=True).update(
        revoked_at=Now(),
    )
    mails.update(withdrawn_at=Now())


def mail_link_make(mail: Mail) -> str:
    """Create the link of a message about to be sent, and return the token; an unsent link is replaced."""
    if mail.judge is None or mail.judge.user is None:
        # A member's link was created and recorded when they were invited.
        if mail.invitation is None:
            raise ValueError(mail.address)
        return invitation_renew(invitation=mail.invitation)
    if mail.invitation is not None:
        mail.invitation.delete()
    user = mail.judge.user
    created_by = None
    if mail.created_by_id == user.pk:
        created_by = user
    mail.invitation, token = invitation_create(
        campaign=mail.judge.campaign,
        user=user,
        role=InvitationRole.JUDGE,
        created_by=created_by,
    )
    mail.save(update_fields=["invitation"])
    return token


def invitation_message(
    mail: Mail,
    token: str,
    connection: BaseEmailBackend,
) -> EmailMessage:
    """Return a message with a link, for a judge or a future member."""
    invitation = mail.invitation
    organiser = _sender(mail)
    if invitation is None:
        raise ValueError(mail.address)
    campaign = invitation.campaign
    with translation.override(mail.language), timezone.override(campaign.zone):
        subject, template = _subject_and_template(mail, invitation)
        body = render_to_string(
            template,
            {
                "campaign": campaign,
                "link": mail.base_url + reverse("invitation", args=[token]),
                "invitation": invitation,
                "until": invitation.expires_at,
                "note": mail.note,
                "work": work_of_judges(campaign=campaign, judge=mail.judge),
                "organiser": organiser,
            },
        )
    reply_to = None
    if organiser is not None and organiser.email:
        reply_to = [organiser.email]
    return EmailMessage(
        subject=" ".join((subject % {"campaign": campaign.name}).split()),
        body=body,
        to=[mail.address],
        reply_to=reply_to,
        connection=connection,
    )


def _sender(mail: Mail) -> User | None:
    """Return the member who signs a message; None if they left the campaign, which then speaks for itself."""
    sender = mail.created_by
    if sender is None:
        return None
    memberships = Membership.objects.filter(campaign=mail.campaign_id, user=sender)
    if memberships.exists():
        return sender
    return None


def _subject_and_template(mail: Mail, invitation: Invitation) -> tuple[str, str]:
    if mail.judge is None:
        reads = invitation.role == InvitationRole.ANALYST
        if reads:
            subject = _("Invitation to view a campaign: %(campaign)s")
        else:
            subject = _("Invitation to organise a campaign: %(campaign)s")
        return subject, "campaign/member_mail.txt"
    if mail.created_by_id is not None and mail.created_by_id == mail.judge.user_id:
        return _("Your personal link: %(campaign)s"), "campaign/own_link_mail.txt"
    return _("Invitation to judge: %(campaign)s"), "campaign/invitation_mail.txt"
