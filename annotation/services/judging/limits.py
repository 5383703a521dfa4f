"""How much a judge may write: far more than anybody at work does, and too little to fill a disk.

What judges write is kept for good, so it is bounded where it could grow without work being lent: judgments that
replace others, reports, skips, and comments. A first judgment of a block without a comment meets no limit. What
was accepted stays, whatever is refused later, and the same `client_id` again is answered as before.
"""

from datetime import timedelta
from typing import Final

from django.db.models import Func, IntegerField, Sum
from django.db.models.functions import Coalesce, Now
from django.utils.translation import gettext as _

from annotation.models import Judgment, ProblemReport, Skip
from annotation.submissions import SubmissionRefusedError

#: Replacements of a judge's judgment of one block.
REVISIONS_A_BLOCK: Final = 50
#: Replacements by one judge. Somebody back from a day without network sends theirs within minutes.
REVISIONS_A_MINUTE: Final = 30
#: Skips and reports of one judge, each.
SKIPS_A_MINUTE: Final = 60
REPORTS_A_MINUTE: Final = 20
#: Comments of one judge with judgments, skips and reports, in UTF-8: sixty pages of a book.
COMMENT_BYTES_A_DAY: Final = 200_000

_MINUTE: Final = timedelta(minutes=1)
_DAY: Final = timedelta(days=1)


class _Bytes(Func):
    function = "octet_length"
    output_field = IntegerField()


def comment_refusal(*, judge_id: int, comment: str) -> SubmissionRefusedError | None:
    """Return why this comment is one too many today; None for no comment, and for almost all others."""
    if not comment:
        return None
    yesterday = Now() - _DAY
    written = len(comment.encode()) + sum(
        rows.filter(judge_id=judge_id).aggregate(bytes=Coalesce(Sum(_Bytes("comment")), 0))["bytes"]
        for rows in (
            Judgment.objects.filter(submitted_at__gt=yesterday),
            Skip.objects.filter(created_at__gt=yesterday),
            ProblemReport.objects.filter(created_at__gt=yesterday),
        )
    )
    if written <= COMMENT_BYTES_A_DAY:
        return None
    return SubmissionRefusedError(
        _(
            "Your comments of the last 24 hours have reached the limit. Please send this without a "
            "comment, or add one tomorrow."
        )
    )


def revision_refusal(*, judge_id: int, block_id: int) -> SubmissionRefusedError | None:
    """Return why the judge's judgment of this block is not replaced once more; None if it may be.

    `JUDGMENT_STORE` asks the same in the statement that stores.
    """
    mine = Judgment.objects.filter(judge_id=judge_id)
    of_block = mine.filter(block_id=block_id)
    times = of_block.count()
    if times > REVISIONS_A_BLOCK:
        return SubmissionRefusedError(
            _(
                "You have changed this ranking %(times)d times, which is the limit. The last stored "
                "version counts."
            )
            % {"times": times - 1},
            stored=of_block.latest("pk"),
        )
    recent = mine.exclude(supersedes=None).filter(submitted_at__gt=Now() - _MINUTE)
    return too_fast() if times and recent.count() >= REVISIONS_A_MINUTE else None


def skips_refusal(*, judge_id: int) -> SubmissionRefusedError | None:
    """Return why a judge may not skip one more block now; None if they may."""
    recent = Skip.objects.filter(judge_id=judge_id, created_at__gt=Now() - _MINUTE)
    return too_fast() if recent.count() >= SKIPS_A_MINUTE else None


def reports_refusal(*, judge_id: int) -> SubmissionRefusedError | None:
    """Return why a judge may not report one more problem now; None if they may."""
    recent = ProblemReport.objects.filter(judge_id=judge_id, created_at__gt=Now() - _MINUTE)
    return too_fast() if recent.count() >= REPORTS_A_MINUTE else None


def too_fast() -> SubmissionRefusedError:
    """Return the refusal of what may be sent again in a moment."""
    return SubmissionRefusedError(
        _("That was a lot within a minute. Please try again in a moment."),
        retry_after=int(_MINUTE.total_seconds()) // 2,
    )
