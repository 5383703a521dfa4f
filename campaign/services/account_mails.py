"""Messages about accounts: to choose a new password, and to confirm a new e-mail address.

A request for a new password is stored whoever's address it names; the worker looks the account up. So neither the
answer nor the time it takes tells whether there is one.
"""

from datetime import timedelta
from functools import partial
from typing import Final

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from campaign.models import AccountMail, AccountMailKind, User
from campaign.notification import mail_enqueue
from campaign.selectors import account_of_address
from campaign.services.mail_sending import message_send, sending_claim, sending_mark_unconfirmed
from campaign.services.mails import mail_is_printed
from campaign.services.own_account import (
    LINK_HOURS,
    AccountChangeRefusedError,
    address_token,
    password_token,
)

#: How long rows stay, for whoever looks why a message did not arrive.
_KEPT: Final = timedelta(days=7)


@transaction.atomic
def password_mail_request(*, address: str, base_url: str, language: str) -> None:
    """Queue a message with a link for choosing a new password, for the account with this address."""
    AccountMail.objects.create(
        kind=AccountMailKind.PASSWORD, address=address, base_url=base_url, language=language
    )
    transaction.on_commit(mail_enqueue)


@transaction.atomic
def address_mail_request(*, user: User, address: str, base_url: str, language: str) -> None:
    """Queue a message to a new address of the user, whose link makes it theirs.

    Raises `AccountChangeRefusedError` where no mail is sent: nobody could then know whose the address is.
    """
    if mail_is_printed():
        raise AccountChangeRefusedError(
            _(
                "This server sends no e-mail, so that a new address cannot be confirmed. Ask whoever runs it for a "
                "link: organiser_link."
            )
        )
    AccountMail.objects.create(
        kind=AccountMailKind.ADDRESS,
        user=user,
        address=address,
        base_url=base_url,
        language=language,
    )
    transaction.on_commit(mail_enqueue)


def account_mails_send_due(*, limit: int = 500) -> int:
    """Send the messages about accounts that are due; return the number sent."""
    sending_mark_unconfirmed(AccountMail)
    sent = 0
    for _turn in range(limit):
        mail = account_mail_claim()
        if mail is None:
            break
        sent += account_mail_send(mail=mail)
    return sent


@transaction.atomic
def account_mail_claim() -> AccountMail | None:
    """Claim the next message that is due; return it, or None.

    Locks the message's row, skipping locked ones. The claim is committed before anything is sent.
    """
    return sending_claim(AccountMail.objects.due().select_related("user"))


def account_mail_send(*, mail: AccountMail) -> bool:
    """Send a claimed message and store the outcome; delete one to an address without an account.

    Returns whether it was sent.
    """
    user = mail.user or account_of_address(mail.address)
    if user is None:
        mail.delete()
        return False
    return message_send(mail, partial(_message, mail, user))


def account_mails_forget() -> int:
    """Delete messages about accounts after a week; return how many."""
    deleted, _each = AccountMail.objects.filter(created_at__lt=Now() - _KEPT).delete()
    return deleted


def _message(mail: AccountMail, user: User, connection: BaseEmailBackend) -> EmailMessage:
    is_password = mail.kind == AccountMailKind.PASSWORD
    with translation.override(mail.language):
        if is_password:
            path = reverse("password-choose", args=[password_token(user)])
            subject = _("A new password for Quintet")
        else:
            path = reverse("address-confirm", args=[address_token(user, mail.address)])
            subject = _("Confirm your e-mail address for Quintet")
        body = render_to_string(
            "account/mail.txt",
            {
                "is_password": is_password,
                "name": user.name,
                "link": mail.base_url.rstrip("/") + path,
                "hours": LINK_HOURS,
            },
        )
    return EmailMessage(subject=subject, body=body, to=[mail.address], connection=connection)
