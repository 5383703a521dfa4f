"""Messages about requests for erasure: to the judge who asked, and to the organisers who answer.

The judge is told that the request is recorded and when it is due, and what became of it; organisers that somebody asked,
by pseudonym. Where there is no address, or no mail server, nothing is queued.
"""

from datetime import timedelta
from functools import partial
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from campaign.models import (
    CHANGING_ROLES,
    ErasureMail,
    ErasureMailKind,
    ErasureRequest,
    InvitationMail,
    Judge,
    MailState,
    User,
)
from campaign.notification import mail_enqueue
from campaign.services.mail_sending import message_send, sending_claim, sending_mark_unconfirmed
from campaign.services.mails import mail_is_printed

#: How long rows stay after the request was answered, for whoever looks why a message did not arrive.
_KEPT: Final = timedelta(days=7)


def erasure_mails_request(*, request: ErasureRequest, language: str = "") -> None:
    """Queue what tells the judge that a request is recorded, and the organisers that somebody asked.

    `language` is that of the page on which the judge asked. The organiser who recorded the request is not told of it.
    """
    erasure_judge_tell(request=request, kind=ErasureMailKind.RECORDED, language=language)
    if mail_is_printed():
        return
    knowing = [pk for pk in (request.asked_by_id, request.judge.user_id) if pk is not None]
    organisers = User.objects.filter(
        memberships__campaign=request.judge.campaign_id,
        memberships__role__in=CHANGING_ROLES,
        is_active=True,
    ).exclude(pk__in=knowing)
    for user in organisers.order_by("pk"):
        if user.email:
            _queue(request, ErasureMailKind.ASKED, user.email, user.language, user=user)


def erasure_judge_tell(
    *, request: ErasureRequest, kind: ErasureMailKind, language: str = ""
) -> None:
    """Queue a message to the judge of a request, in their language; nothing where no address is known.

    That it was carried out is queued before it is, while the address is known.
    """
    judge = Judge.objects.select_related("user").get(pk=request.judge_id)
    address = _address_of(judge)
    if address and not mail_is_printed():
        _queue(request, kind, address, language or _language_of(judge))


def erasure_mails_stop(*, judge: Judge) -> None:
    """Delete the messages that are not sent: the request of a judge that they tell of has been answered, or withdrawn."""
    ErasureMail.objects.filter(request__judge=judge, state=MailState.QUEUED).delete()


def erasure_mails_send_due(*, limit: int = 500) -> int:
    """Send the messages about erasures that are due; return the number sent."""
    sending_mark_unconfirmed(ErasureMail)
    _addresses_forget(ErasureMail.objects.all())
    sent = 0
    for _turn in range(limit):
        mail = erasure_mail_claim()
        if mail is None:
            break
        sent += message_send(mail, partial(_message, mail))
        _addresses_forget(ErasureMail.objects.filter(pk=mail.pk))
    return sent


@transaction.atomic
def erasure_mail_claim() -> ErasureMail | None:
    """Claim the next message that is due; return it, or None.

    Locks the message's row, skipping locked ones. The claim is committed before anything is sent.
    """
    return sending_claim(ErasureMail.objects.due().select_related("request__judge", "campaign"))


def erasure_mails_forget() -> int:
    """Delete messages about requests that were answered, or withdrawn, a week after; return how many."""
    old = ErasureMail.objects.filter(created_at__lt=Now() - _KEPT)
    still_open = ErasureRequest.objects.open().values("pk")
    deleted, _each = old.exclude(request__in=still_open).delete()
    return deleted


def _queue(
    request: ErasureRequest,
    kind: ErasureMailKind,
    address: str,
    language: str,
    user: User | None = None,
) -> None:
    ErasureMail.objects.create(
        campaign=request.judge.campaign,
        request=request,
        kind=kind,
        user=user,
        address=address,
        language=language or settings.LANGUAGE_CODE,
        base_url=settings.PUBLIC_ADDRESS.rstrip("/"),
    )
    transaction.on_commit(mail_enqueue)


def _address_of(judge: Judge) -> str:
    """Return a judge's address: the account's, the organisers', or that of the last message; empty if none is known."""
    account = judge.user.email if judge.user is not None else None
    if account or judge.address:
        return account or judge.address
    return _last_mail(judge, "address")


def _language_of(judge: Judge) -> str:
    """Return the language that a judge chose, or was written to in; empty if none is known."""
    if judge.user is not None and judge.user.language:
        return judge.user.language
    asked = ErasureMail.objects.filter(request__judge=judge, user=None).order_by("-pk")
    return asked.values_list("language", flat=True).first() or _last_mail(judge, "language")


def _last_mail(judge: Judge, field: str) -> str:
    mails = InvitationMail.objects.filter(judge=judge, state=MailState.SENT).order_by("-pk")
    return mails.values_list(field, flat=True).first() or ""


def _addresses_forget(mails: "QuerySet[ErasureMail]") -> None:
    """Delete the addresses of judges who were erased, also from what a mail server said, once no attempt is to come."""
    ended = [MailState.SENT, MailState.FAILED, MailState.UNCONFIRMED]
    mails.filter(kind=ErasureMailKind.CARRIED_OUT, state__in=ended).exclude(address="").update(
        address="", error=""
    )


def _message(mail: ErasureMail, connection: BaseEmailBackend) -> EmailMessage:
    request = mail.request
    campaign = mail.campaign
    to_organiser = mail.kind == ErasureMailKind.ASKED
    with translation.override(mail.language):
        page = reverse("erasures" if to_organiser else "judge-data", args=[campaign.slug])
        body = render_to_string(
            "campaign/erasure_mail.txt",
            {
                "kind": mail.kind,
                "campaign": campaign,
                "request": request,
                "pseudonym": request.judge.pseudonym,
                "link": mail.base_url + page if mail.base_url else "",
            },
        )
        subject = _SUBJECTS[ErasureMailKind(mail.kind)]() % {"campaign": campaign.name}
    return EmailMessage(
        subject=" ".join(subject.split()), body=body, to=[mail.address], connection=connection
    )


_SUBJECTS: Final = {
    ErasureMailKind.RECORDED: lambda: _("Your request for erasure is recorded: %(campaign)s"),
    ErasureMailKind.REFUSED: lambda: _("Your request for erasure was refused: %(campaign)s"),
    ErasureMailKind.CARRIED_OUT: lambda: _(
        "Your request for erasure was carried out: %(campaign)s"
    ),
    ErasureMailKind.ASKED: lambda: _("A judge asks for erasure: %(campaign)s"),
}
