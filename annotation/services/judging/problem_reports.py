"""Store the problems judges report with a block."""

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import ProblemReport, ProblemReportKind
from annotation.selectors import AssignedBlock
from annotation.services.judging.limits import comment_refusal, reports_refusal
from annotation.services.judging.submission import submission_owner_check
from annotation.services.page_changes import pages_changed
from annotation.submissions import SubmissionRefusedError


@transaction.atomic
def problem_report(
    *, assigned: AssignedBlock, client_id: UUID, kind: str, comment: str = ""
) -> ProblemReport:
    """Store and return a judge's report on a block; the same `client_id` again changes nothing.

    A judge may report a block more than once, since more than one thing can be wrong with it.
    Raises `SubmissionRefusedError` if "something else" comes without a comment, if the id
    belongs to another judge, or if a limit allows no more.
    """
    if not ProblemReport.objects.filter(client_id=client_id).exists():
        _limits_keep(assigned.judge_id, comment.strip())
    if kind == ProblemReportKind.OTHER and not comment.strip():
        raise SubmissionRefusedError(_("Please say in a few words what is wrong."))
    report, created = ProblemReport.objects.get_or_create(
        client_id=client_id,
        defaults={
            "judge_id": assigned.judge_id,
            "block_id": assigned.block_id,
            "task_id": assigned.task_id,
            "kind": kind,
            "comment": comment.strip(),
        },
    )
    if created:
        pages_changed([assigned.task_id], problem_reports=1)
    else:
        submission_owner_check(report, judge_id=assigned.judge_id)
    return report


def _limits_keep(judge_id: int, comment: str) -> None:
    refusal = reports_refusal(judge_id=judge_id) or comment_refusal(
        judge_id=judge_id, comment=comment
    )
    if refusal is not None:
        raise refusal
