"""Judges who ask that nothing leads from their judgments to them any more: ask, withdraw, refuse."""

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.models import (
    ERASURE_PATIENCE,
    Campaign,
    ErasureMailKind,
    ErasureRequest,
    Judge,
    User,
)
from campaign.services.erasure_mails import (
    erasure_judge_tell,
    erasure_mails_request,
    erasure_mails_stop,
)

#: Of the reason for a refusal.
REASON_LENGTH = 1_000


class ErasureRefusedError(Exception):
    """This cannot be asked or answered; the message says why. Nothing was changed."""


@transaction.atomic
def erasure_ask(*, judge: Judge, by: User | None = None, language: str = "") -> ErasureRequest:
    """Record that a judge asks to be erased, and return the request; an open one is returned as it is.

    `by` is the member who asks in the judge's place, `language` that of the page on which the judge asks. The judge and
    the organisers are told by mail. Locks the judge's row. Raises `ErasureRefusedError` for
    judges who are nobody, and for one who was erased before.
    """
    judge = Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    if judge.user_id is None:
        raise ErasureRefusedError(
            _("“%(judge)s” is not a person; there is nobody to erase.") % {"judge": judge.pseudonym}
        )
    if judge.erasure_requests.filter(carried_out_at__isnull=False).exists():
        raise ErasureRefusedError(_("“%(judge)s” was erased already.") % {"judge": judge.pseudonym})
    known = judge.erasure_requests.open().first()
    if known is not None:
        return known
    asked = ErasureRequest.objects.create(judge=judge, asked_by=by, due_at=Now() + ERASURE_PATIENCE)
    asked.refresh_from_db()
    erasure_mails_request(request=asked, language=language)
    return asked


def erasure_record(*, campaign: Campaign, pseudonym: str, by: User) -> ErasureRequest:
    """Record that a judge asked a member for erasure, by letter or otherwise; return the request, or the open one.

    Locks the judge's row. Raises `ErasureRefusedError`, also where the campaign has no such judge.
    """
    judge = Judge.objects.filter(campaign=campaign, pseudonym=pseudonym.strip()).first()
    if judge is None:
        raise ErasureRefusedError(
            _("There is no judge “%(judge)s” in this campaign.")
            % {"judge": pseudonym.strip()[:100]}
        )
    return erasure_ask(judge=judge, by=by)


@transaction.atomic
def erasure_withdraw(*, judge: Judge) -> int:
    """Take back what a judge asked, while it is not carried out; return 1, or 0 if nothing was open."""
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
            _("Say why in at most %(most)d characters: the judge reads it.")
            % {"most": REASON_LENGTH}
        )
    open_requests = ErasureRequest.objects.open().filter(pk=request.pk)
    if not open_requests.update(refused_at=Now(), reason=reason, answered_by=by):
        raise ErasureRefusedError(answered_already())
    erasure_mails_stop(judge=request.judge)
    erasure_judge_tell(request=request, kind=ErasureMailKind.REFUSED)


def answered_already() -> str:
    """Return the words for a request that was answered or withdrawn."""
    return _("This request was answered or withdrawn already.")
