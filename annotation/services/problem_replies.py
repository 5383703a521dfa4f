"""Answer problem reports, close and reopen them, and take an answer back."""

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.models import ProblemReply, ProblemReport
from annotation.services.page_changes import pages_changed
from campaign.models import User

#: Characters of an answer.
REPLY_LENGTH = 5000


class ReplyRefusedError(Exception):
    """A reply cannot be stored; says why."""


@transaction.atomic
def problem_reply(
    *, report: ProblemReport, user: User, text: str, closes: bool, seen: int | None = None
) -> ProblemReply:
    """Append a reply to a report: an answer, the end of it, or both; without `closes` it is open again.

    `seen` is the number of replies that the organiser has read. Raises `ReplyRefusedError` if another
    came meanwhile, or if this one neither says nor closes anything.
    """
    said = text.strip()
    replies = list(report.replies.order_by("number"))
    is_closed = replies[-1].closed if replies else False
    if not said and not closes:
        raise ReplyRefusedError(_("Write an answer, or close the report."))
    if not said and is_closed:
        raise ReplyRefusedError(_("This report is closed already."))
    if seen not in (None, len(replies)):
        raise _replied_meanwhile()
    return _append(
        ProblemReply(
            report=report,
            number=len(replies) + 1,
            text=said,
            closed=closes,
            created_by=user,
        ),
        was_closed=is_closed,
    )


@transaction.atomic
def problem_reply_take_back(*, reply: ProblemReply, user: User) -> ProblemReply:
    """Take a reply back: its judge reads it no more, and the report is what it would be without it.

    Raises `ReplyRefusedError` if it was taken back before.
    """
    replies = ProblemReply.objects.filter(report=reply.report_id)
    if not replies.standing().filter(pk=reply.pk).exists():
        raise ReplyRefusedError(_("This reply has been taken back already."))
    is_closed = replies.latest("number").closed
    left = replies.standing().exclude(pk=reply.pk).order_by("-number").first()
    return _append(
        ProblemReply(
            report_id=reply.report_id,
            number=replies.count() + 1,
            closed=left.closed if left else False,
            takes_back=reply,
            created_by=user,
        ),
        was_closed=is_closed,
    )


def _append(reply: ProblemReply, *, was_closed: bool) -> ProblemReply:
    """Store a reply, or refuse it where another has its number."""
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
        _("Somebody has replied meanwhile. Read that first, then send yours again.")
    )
