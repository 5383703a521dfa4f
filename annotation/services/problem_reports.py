"""Store judges' reports of problems with a block, and the replies to them."""

from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.models import ProblemReply, ProblemReport, ProblemReportKind
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError
from annotation.services.numbers import pages_changed
from annotation.services.submission import (
    comment_refusal,
    reports_refusal,
    submission_owner_check,
)
from campaign.models import User
from campaign.texts.refusals import RefusedError


@transaction.atomic
def problem_report(
    *,
    assigned: AssignedBlock,
    client_id: UUID,
    kind: str,
    comment: str = "",
) -> ProblemReport:
    """Store and return a judge's report on a block; the same `client_id` again changes nothing.

    A judge may report a block more than once, since it may have several problems. Raises
    `SubmissionRefusedError` if "something else" comes without a comment, if the id belongs to
    another judge, or if a limit allows no more.
    """
    judge_id = assigned.judge_id
    comment = comment.strip()
    if not ProblemReport.objects.filter(client_id=client_id).exists():
        refusal = reports_refusal(judge_id=judge_id)
        refusal = refusal or comment_refusal(judge_id=judge_id, comment=comment)
        if refusal is not None:
            raise refusal
    if kind == ProblemReportKind.OTHER and not comment:
        raise SubmissionRefusedError(_("Describe the problem in a few words."))
    report, created = ProblemReport.objects.get_or_create(
        client_id=client_id,
        defaults={
            "judge_id": judge_id,
            "block_id": assigned.block_id,
            "task_id": assigned.task_id,
            "kind": kind,
            "comment": comment,
        },
    )
    if created:
        pages_changed([assigned.task_id], problem_reports=1)
    else:
        submission_owner_check(report, judge_id=judge_id)
    return report


#: Maximum number of characters in a reply.
REPLY_LENGTH = 5000


class ReplyRefusedError(RefusedError):
    """A reply cannot be stored; the message says why."""

    status = 409


@transaction.atomic
def problem_reply(
    *,
    report: ProblemReport,
    user: User,
    text: str,
    closes: bool,
    seen: int | None = None,
) -> ProblemReply:
    """Append a reply to a report, with a text, `closes`, or both; without `closes`, the report is open again.

    `seen` is the number of replies that the organiser has read. Raises `ReplyRefusedError` if another
    arrived in the meantime, or if this one has no text and closes nothing.
    """
    reply = text.strip()
    replies = list(report.replies.order_by("number"))
    if replies:
        is_closed = replies[-1].closed
    else:
        is_closed = False
    if not reply and not closes:
        raise ReplyRefusedError(_("Enter a reply, or close the report."))
    if not reply and is_closed:
        raise ReplyRefusedError(_("This report is already closed."))
    if seen not in (None, len(replies)):
        raise _replied_meanwhile()
    return _append(
        ProblemReply(
            report=report,
            number=len(replies) + 1,
            text=reply,
            closed=closes,
            created_by=user,
        ),
        was_closed=is_closed,
    )


@transaction.atomic
def problem_reply_take_back(*, reply: ProblemReply, user: User) -> ProblemReply:
    """Withdraw a reply: its judge no longer sees it, and the report returns to its previous state.

    Raises `ReplyRefusedError` if it was taken back before.
    """
    replies = ProblemReply.objects.filter(report=reply.report_id)
    if not replies.standing().filter(pk=reply.pk).exists():
        raise ReplyRefusedError(_("This reply has already been retracted."))
    is_closed = replies.latest("number").closed
    standing_reply = replies.standing().exclude(pk=reply.pk).order_by("-number").first()
    return _append(
        ProblemReply(
            report_id=reply.report_id,
            number=replies.count() + 1,
            closed=standing_reply.closed if standing_reply else False,
            takes_back=reply,
            created_by=user,
        ),
        was_closed=is_closed,
    )


def _append(reply: ProblemReply, *, was_closed: bool) -> ProblemReply:
    """Store a reply, or refuse it if another one has the same number."""
    try:
        with transaction.atomic():
            reply.save(force_insert=True)
    except IntegrityError as error:
        raise _replied_meanwhile() from error
    pages_changed([reply.report.task_id], problems_closed=reply.closed - was_closed)
    reply.refresh_from_db(fields=["created_at"])
    return reply


def _replied_meanwhile() -> ReplyRefusedError:
    return ReplyRefusedError(
        _("There is a newer reply. Read it first, then send yours again."),
    )
