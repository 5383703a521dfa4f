"""Judges' requests to be unlinked from their judgments: recording, withdrawing and refusing them."""

from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from campaign.database.many_rows import row_locked
from campaign.models import (
    CHANGING_ROLES,
    ERASURE_PATIENCE,
    BrowserVisit,
    Campaign,
    ConflictOfInterest,
    ErasureRequest,
    Invitation,
    Judge,
    KeptFile,
    Mail,
    MailKind,
    MailState,
    User,
)
from campaign.selectors.credentials import address_of_judge
from campaign.services.notification import mail_is_printed, mail_queue
from campaign.texts.refusals import RefusedError

#: Maximum length of the reason for a refusal.
REASON_LENGTH = 1_000


class ErasureRefusedError(RefusedError):
    """The request cannot be made or answered; the message says why. Nothing was changed."""


@transaction.atomic
def erasure_ask(*, judge: Judge, by: User | None = None, language: str = "") -> ErasureRequest:
    """Record that a judge asks to be erased, and return the request, or the open one if there is one.

    `by` is the member who asks on the judge's behalf, `language` that of the page on which the judge
    asks. The judge and the organisers are notified by mail. Locks the judge's row. Raises
    `ErasureRefusedError` for judges without a user, and for one who was erased before.
    """
    judge = row_locked(judge)
    if judge.user_id is None:
        raise ErasureRefusedError(
            _("“%(judge)s” is not a person and has no data to erase.") % {"judge": judge.pseudonym}
        )
    if judge.erasure_requests.filter(carried_out_at__isnull=False).exists():
        raise ErasureRefusedError(
            _("“%(judge)s” has already been erased.") % {"judge": judge.pseudonym}
        )
    known = judge.erasure_requests.open().first()
    if known is not None:
        return known
    asked = ErasureRequest.objects.create(judge=judge, asked_by=by, due_at=Now() + ERASURE_PATIENCE)
    asked.refresh_from_db()
    _mails_request(request=asked, language=language)
    return asked


def erasure_record(*, campaign: Campaign, pseudonym: str, by: User) -> ErasureRequest:
    """Record that a judge asked a member for erasure, by letter or otherwise; return the request, or the open one.

    Locks the judge's row. Raises `ErasureRefusedError`, also if the campaign has no such judge.
    """
    # PostgreSQL has no NUL in texts.
    name = pseudonym.replace("\0", "").strip()
    judge = Judge.objects.filter(campaign=campaign, pseudonym=name).first()
    if judge is None:
        raise ErasureRefusedError(_("Judge not found: %(value)s.") % {"value": name[:100]})
    return erasure_ask(judge=judge, by=by)


@transaction.atomic
def erasure_withdraw(*, judge: Judge) -> int:
    """Withdraw a judge's request, unless carried out; return 1, or 0 if none was open."""
    withdrawn = judge.erasure_requests.open().update(withdrawn_at=Now())
    if withdrawn:
        erasure_mails_stop(judge=judge)
    return withdrawn


@transaction.atomic
def erasure_refuse(*, request: ErasureRequest, reason: str, by: User | None) -> None:
    """Refuse a request for a reason that the judge reads, also by mail. Raises `ErasureRefusedError`."""
    reason = reason.strip()
    if not reason or len(reason) > REASON_LENGTH:
        raise ErasureRefusedError(
            _("Enter a reason of at most %(most)d characters. The judge will read it.")
            % {"most": REASON_LENGTH}
        )
    open_requests = ErasureRequest.objects.open().filter(pk=request.pk)
    if not open_requests.update(refused_at=Now(), reason=reason, answered_by=by):
        raise ErasureRefusedError(answered_already())
    erasure_mails_stop(judge=request.judge)
    erasure_judge_tell(request=request, kind=MailKind.ERASURE_REFUSED)


def answered_already() -> str:
    """Return the message about a request that was already answered or withdrawn."""
    return _("This request was already answered or withdrawn.")


def _mails_request(*, request: ErasureRequest, language: str = "") -> None:
    """Queue a confirmation to the judge and a notification to the organisers of an erasure request.

    `language` is that of the page on which the judge asked. The organiser who recorded the request is not notified.
    """
    erasure_judge_tell(request=request, kind=MailKind.ERASURE_RECORDED, language=language)
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
            _queue(request, MailKind.ERASURE_ASKED, user.email, user.language, user=user)


def erasure_judge_tell(*, request: ErasureRequest, kind: MailKind, language: str = "") -> None:
    """Queue a message to the judge of a request, in their language; nothing if no address is known.

    The message about the erasure itself is queued before it is carried out, while the address is
    known.
    """
    judge = Judge.objects.select_related("user").get(pk=request.judge_id)
    address = address_of_judge(judge)
    if address and not mail_is_printed():
        _queue(request, kind, address, language or _language_of(judge))


def erasure_mails_stop(*, judge: Judge) -> None:
    """Delete the unsent messages about a judge's request, which was answered or withdrawn."""
    Mail.objects.filter(erasure__judge=judge, state=MailState.QUEUED).delete()


def _queue(
    request: ErasureRequest,
    kind: MailKind,
    address: str,
    language: str,
    user: User | None = None,
) -> None:
    mail_queue(
        campaign=request.judge.campaign,
        erasure=request,
        kind=kind,
        user=user,
        address=address,
        language=language or settings.LANGUAGE_CODE,
        base_url=settings.PUBLIC_ADDRESS,
    )


def _language_of(judge: Judge) -> str:
    """Return the language that a judge chose, or that of the last message to them; empty if none is known."""
    if judge.user is not None and judge.user.language:
        return judge.user.language
    asked = Mail.objects.filter(erasure__judge=judge, user=None).order_by("-pk")
    sent = Mail.objects.filter(judge=judge, state=MailState.SENT).order_by("-pk")
    languages = [rows.values_list("language", flat=True).first() for rows in (asked, sent)]
    return next(filter(None, languages), "")


def erasure_message(mail: Mail, connection: BaseEmailBackend) -> EmailMessage:
    """Return a message about a request for erasure, to the judge or to an organiser."""
    request = mail.erasure
    if request is None:
        raise ValueError(mail.address)
    campaign = request.judge.campaign
    to_organiser = mail.kind == MailKind.ERASURE_ASKED
    with translation.override(mail.language), timezone.override(campaign.zone):
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
        subject = _SUBJECTS[MailKind(mail.kind)]() % {"campaign": campaign.name}
    return EmailMessage(
        subject=" ".join(subject.split()), body=body, to=[mail.address], connection=connection
    )


_SUBJECTS: Final = {
    MailKind.ERASURE_RECORDED: lambda: _("Your data erasure request was received: %(campaign)s"),
    MailKind.ERASURE_REFUSED: lambda: _("Your data erasure request was refused: %(campaign)s"),
    MailKind.ERASURE_CARRIED_OUT: lambda: _("Your data was erased: %(campaign)s"),
    MailKind.ERASURE_ASKED: lambda: _("Data erasure request: %(campaign)s"),
}


def erasure_counts(*, judge: Judge) -> dict[str, int]:
    """Return how many rows of each kind an erasure would delete now, as `judge_unlink` does. Five queries."""
    links = Invitation.objects.filter(campaign=judge.campaign_id, user=judge.user_id, role="judge")
    named = KeptFile.objects.filter(task__test_set__campaign=judge.campaign_id, names_people=True)
    return {
        "visits": BrowserVisit.objects.filter(judge=judge).count(),
        "links": links.count(),
        "mails": Mail.objects.filter(judge=judge).count(),
        "conflicts": ConflictOfInterest.objects.filter(judge=judge).count(),
        "files": named.count(),
    }
