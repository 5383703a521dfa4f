"""Judges' requests to be unlinked from their judgments: recording, withdrawing, refusing and carrying them out."""

from collections.abc import Iterator
from typing import Any, Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce, Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from campaign.database.many_rows import row_locked
from campaign.database.personal import (
    ERASED,
    PersonalData,
    erased_values,
    owner_of,
    personal_models,
)
from campaign.database.recording import RecordedModel
from campaign.models import (
    CHANGING_ROLES,
    ERASURE_PATIENCE,
    ActivityEvent,
    Campaign,
    ErasureRequest,
    Invitation,
    InvitationRole,
    Judge,
    KeptFile,
    Mail,
    MailKind,
    MailState,
    Membership,
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
def erasure_ask(
    *,
    judge: Judge,
    by: User | None = None,
    language: str = "",
) -> ErasureRequest:
    """Record that a judge asks to be erased, and return the request, or the open one if there is one.

    `by` is the member who asks on the judge's behalf, `language` that of the page on which the judge
    asks. The judge and the organisers are notified by mail. Locks the judge's row. Raises
    `ErasureRefusedError` for judges without a user, and for one who was erased before.
    """
    judge = row_locked(judge)
    if judge.user_id is None:
        raise ErasureRefusedError(
            _("“%(judge)s” is not a person and has no data to erase.")
            % {"judge": judge.pseudonym},
        )
    if judge.erasure_requests.filter(carried_out_at__isnull=False).exists():
        raise ErasureRefusedError(
            _("“%(judge)s” has already been erased.") % {"judge": judge.pseudonym},
        )
    open_request = judge.erasure_requests.open().first()
    if open_request is not None:
        return open_request
    erasure = ErasureRequest.objects.create(
        judge=judge,
        asked_by=by,
        due_at=Now() + ERASURE_PATIENCE,
    )
    erasure.refresh_from_db()
    _mails_request(request=erasure, language=language)
    return erasure


def erasure_record(*, campaign: Campaign, pseudonym: str, by: User) -> ErasureRequest:
    """Record that a judge asked a member for erasure, by letter or otherwise; return the request, or the open one.

    Locks the judge's row. Raises `ErasureRefusedError`, also if the campaign has no such judge.
    """
    # PostgreSQL has no NUL in texts.
    name = pseudonym.replace("\0", "").strip()
    judge = Judge.objects.filter(campaign=campaign, pseudonym=name).first()
    if judge is None:
        raise ErasureRefusedError(
            _("Judge not found: %(value)s.") % {"value": name[:100]},
        )
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
            % {"most": REASON_LENGTH},
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
    erasure_judge_tell(
        request=request,
        kind=MailKind.ERASURE_RECORDED,
        language=language,
    )
    if mail_is_printed():
        return
    knowing = [
        pk for pk in (request.asked_by_id, request.judge.user_id) if pk is not None
    ]
    organisers = User.objects.filter(
        memberships__campaign=request.judge.campaign_id,
        memberships__role__in=CHANGING_ROLES,
        is_active=True,
    ).exclude(pk__in=knowing)
    for user in organisers.order_by("pk"):
        if user.email:
            _queue(
                request,
                MailKind.ERASURE_ASKED,
                user.email,
                user.language,
                user=user,
            )


def erasure_judge_tell(
    *,
    request: ErasureRequest,
    kind: MailKind,
    language: str = "",
) -> None:
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
    erasure_mails = Mail.objects.filter(erasure__judge=judge, user=None).order_by("-pk")
    sent = Mail.objects.filter(judge=judge, state=MailState.SENT).order_by("-pk")
    languages = [
        rows.values_list("language", flat=True).first()
        for rows in (erasure_mails, sent)
    ]
    return next(filter(None, languages), "")


def erasure_message(mail: Mail, connection: BaseEmailBackend) -> EmailMessage:
    """Return a message about a request for erasure, to the judge or to an organiser."""
    request = mail.erasure
    if request is None:
        raise ValueError(mail.address)
    campaign = request.judge.campaign
    to_organiser = mail.kind == MailKind.ERASURE_ASKED
    with translation.override(mail.language), timezone.override(campaign.zone):
        page = reverse(
            "erasures" if to_organiser else "judge-data",
            args=[campaign.slug],
        )
        link = ""
        if mail.base_url:
            link = mail.base_url + page
        body = render_to_string(
            "campaign/erasure_mail.txt",
            {
                "kind": mail.kind,
                "campaign": campaign,
                "request": request,
                "pseudonym": request.judge.pseudonym,
                "link": link,
            },
        )
        subject = _SUBJECTS[MailKind(mail.kind)]() % {"campaign": campaign.name}
    return EmailMessage(
        subject=" ".join(subject.split()),
        body=body,
        to=[mail.address],
        connection=connection,
    )


_SUBJECTS: Final = {
    MailKind.ERASURE_RECORDED: lambda: _(
        "Your data erasure request was received: %(campaign)s",
    ),
    MailKind.ERASURE_REFUSED: lambda: _(
        "Your data erasure request was refused: %(campaign)s",
    ),
    MailKind.ERASURE_CARRIED_OUT: lambda: _("Your data was erased: %(campaign)s"),
    MailKind.ERASURE_ASKED: lambda: _("Data erasure request: %(campaign)s"),
}


def files_naming_judges(*, judge: Judge) -> QuerySet[KeptFile]:
    """Return the exported files that name the judges of a judge's campaign."""
    return KeptFile.objects.filter(
        task__test_set__campaign=judge.campaign_id,
        names_people=True,
    )


def erasure_counts(*, judge: Judge) -> dict[str, int]:
    """Return how many rows of each kind an erasure would delete now. Five queries."""
    counts = {
        declared.called: rows.count()
        for declared, rows in _rows_of_judge(judge)
        if declared.rows_deleted
    }
    counts[FILES_NAMING_JUDGES] = files_naming_judges(judge=judge).count()
    return counts


#: Name of these files in the record of an erasure.
FILES_NAMING_JUDGES: Final = "exported files that name judges"


def judge_unlink(*, judge: Judge) -> dict[str, int]:
    """Erase everything about a judge that the models declare as erased; return the number of rows by kind.

    Their account is erased, too, unless the person is a member or another judge somewhere. The database refuses to
    erase the activity log unless a request is open. Nothing is recorded, as that would store the erased values.
    Call it in a transaction that has locked the judge's row.
    """
    mails = Mail.objects.filter(
        kind__in=[MailKind.ERASURE_RECORDED, MailKind.ERASURE_REFUSED],
        erasure__judge=judge,
    )
    removed = {"mails about erasure": mails.delete()[0]}
    _events_of_judge_erase(judge)
    for declared, rows in _rows_of_judge(judge):
        changed = _rows_erase(declared, rows, judge)
        if declared.called:
            removed[declared.called] = changed
    _rows(Judge).filter(pk=judge.pk).update(
        withdrawn_at=Coalesce("withdrawn_at", Now()),
    )
    user = judge.user
    if user is None:
        return removed
    if not Membership.objects.filter(user=user, campaign=judge.campaign_id).exists():
        ActivityEvent.objects.filter(campaign=judge.campaign_id, user=user).update(
            user=None,
        )
    if _has_other_parts(user, judge):
        nobody = User.objects.create(is_active=False)
        _rows(Judge).filter(pk=judge.pk).update(user=nobody)
        return removed
    # Requests for a new password name the address alone.
    about_password = Q(kind=MailKind.PASSWORD, address__iexact=user.email or "")
    Mail.objects.filter(Q(user=user) | about_password).delete()
    for declared, rows in _rows_of_person(user):
        _rows_erase(declared, rows, user)
    return removed


def _has_other_parts(user: User, judge: Judge) -> bool:
    is_other_judge = user.judges.exclude(pk=judge.pk).exists()
    return is_other_judge or user.memberships.exists()


def _rows(model: type[Any]) -> QuerySet[Any]:
    """Return all rows of a model; changes of these are not recorded in the activity log."""
    rows: QuerySet[Any] = model._meta.base_manager.all()
    return rows


def _rows_of_judge(judge: Judge) -> Iterator[tuple[PersonalData, QuerySet[Any]]]:
    """Yield the rows of each model that are about a judge, and their links, which belong to the user."""
    links = _rows(Invitation).filter(
        campaign=judge.campaign_id,
        user=judge.user_id,
        role=InvitationRole.JUDGE,
    )
    yield Invitation.personal, links
    yield from _rows_of_person(judge)


def _rows_of_person(
    person: Judge | User,
) -> Iterator[tuple[PersonalData, QuerySet[Any]]]:
    """Yield the rows of each model with erased data of a judge or of a user."""
    for model, declared in personal_models():
        # The activity log is erased with the rows that it is about.
        is_erased = declared.names(ERASED) and model is not ActivityEvent
        if is_erased and owner_of(model, declared) is type(person):
            yield declared, _rows(model).filter(**{declared.person or "pk": person.pk})


def _rows_erase(
    declared: PersonalData,
    rows: QuerySet[Any],
    person: Judge | User,
) -> int:
    """Delete the rows of a judge or of a user, or empty their erased fields; return the number of rows."""
    if declared.rows_deleted_if:
        rows.exclude(**{declared.rows_deleted_if: ""}).delete()
    if not declared.rows_deleted:
        return rows.update(**erased_values(rows.model, declared))
    if issubclass(rows.model, RecordedModel):
        _events_of_rows_erase(declared, rows, person)
    _total, deleted = rows.delete()
    return deleted.get(rows.model._meta.label, 0)


def _events_of_rows_erase(
    declared: PersonalData,
    rows: QuerySet[Any],
    person: Judge | User,
) -> None:
    """Empty what the activity log says about these rows, and about those of the person deleted before."""
    about = Q(object_id__in=rows.values("pk"))
    column = f"{declared.person}_id"
    if (
        owner_of(rows.model, declared) is type(person)
        and column in rows.model.recording.fields
    ):
        about |= Q(**{f"changes__{column}__contains": person.pk})
    events = ActivityEvent.objects.filter(about, kind=rows.model._meta.label_lower)
    events.update(changes={}, object_name="")


def _events_of_judge_erase(judge: Judge) -> None:
    """Remove the erased fields from what the activity log says about a judge."""
    erased = set(Judge.personal.names(ERASED))
    events = ActivityEvent.objects.filter(
        campaign=judge.campaign_id,
        kind=Judge._meta.label_lower,
        object_id=judge.pk,
    )
    for event in events:
        event.changes = {
            name: values for name, values in event.changes.items() if name not in erased
        }
        event.save(update_fields=["changes"])
