"""A judge's own link by e-mail, to an address that they give."""

from typing import Final

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.models import Invitation, InvitationMail, Judge
from campaign.notification import mail_enqueue
from campaign.services.mails import mail_is_printed

#: Messages a judge may ask for in all: who comes by a link for anybody must not fill mailboxes of others.
MOST_MAILS: Final = 5


class OwnLinkRefusedError(Exception):
    """No message is sent; the text says why, and what to do."""


@transaction.atomic
def own_link_send(
    *, judge: Judge, address: str, base_url: str, language: str = "en"
) -> InvitationMail:
    """Queue a message with a link for the judge's other devices; return it.

    It replaces an earlier message of theirs, whose link is revoked; a link that they made on the page
    stays. Locks the judge's row. Raises `OwnLinkRefusedError` where no mail is sent, for what is no
    address, for an address that was invited to this campaign, and beyond `MOST_MAILS`; and `ValueError`
    for a judge who is not a person.
    """
    if judge.user is None:
        raise ValueError(judge.pseudonym)
    if mail_is_printed():
        raise OwnLinkRefusedError(
            _("This server sends no e-mail. Make a link and copy it instead.")
        )
    address = address.strip()
    try:
        validate_email(address)
    except ValidationError as error:
        raise OwnLinkRefusedError(_("Please enter a complete e-mail address.")) from error
    Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    if InvitationMail.objects.filter(judge=judge, created_by=judge.user_id).count() >= MOST_MAILS:
        raise OwnLinkRefusedError(
            _("No more messages can be sent for you. Make a link, and copy it or scan its QR code.")
        )
    own_link_mails_withdraw(judge=judge)
    try:
        with transaction.atomic():
            mail = InvitationMail.objects.create(
                campaign_id=judge.campaign_id,
                judge=judge,
                address=address,
                language=language,
                base_url=base_url.rstrip("/"),
                created_by=judge.user,
            )
    except IntegrityError as error:
        if "invitation_mail_one_in_force_per_campaign_and_address" not in str(error):
            raise
        raise OwnLinkRefusedError(
            _(
                "A link of this campaign was sent to this address before. Look for that message, or "
                "use another address."
            )
        ) from error
    transaction.on_commit(mail_enqueue)
    return mail


def own_link_mails_withdraw(*, judge: Judge) -> None:
    """Stop messages that the judge asked for and that are not sent, and revoke the links of others."""
    mails = InvitationMail.objects.filter(
        judge=judge, created_by=judge.user_id, withdrawn_at__isnull=True
    )
    Invitation.objects.filter(mail__in=mails, revoked_at__isnull=True).update(revoked_at=Now())
    mails.update(withdrawn_at=Now())
