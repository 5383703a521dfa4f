"""Takes in what judges report of a block, beside judging or skipping it."""

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import ProblemReport
from annotation.selectors import AssignedBlock
from annotation.services.judging.submission import SubmissionRefusedError


@transaction.atomic
def problem_report(
    *, assigned: AssignedBlock, client_id: UUID, kind: str, comment: str = ""
) -> ProblemReport:
    """Store that something is wrong with a block; the same `client_id` again changes nothing.

    A judge may report a block more than once: there can be more than one thing wrong with it.
    Raises `SubmissionRefusedError` where "something else" does not say what, and where the id is
    another judge's.
    """
    if kind == ProblemReport.Kind.OTHER and not comment.strip():
        raise SubmissionRefusedError(_("Please say in a few words what is wrong."))
    report, created = ProblemReport.objects.get_or_create(
        client_id=client_id,
        defaults={
            "judge_id": assigned.judge_id,
            "block_id": assigned.block_id,
            "test_set_id": assigned.test_set_id,
            "kind": kind,
            "comment": comment.strip(),
        },
    )
    if not created and report.judge_id != assigned.judge_id:
        raise SubmissionRefusedError(_("This submission's id belongs to another judge."))
    return report
