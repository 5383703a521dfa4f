"""Whether a test set has judgments, and how many a task has."""

from typing import Any

from annotation.models import JudgmentNumber, JudgmentSequence, UnnumberedJudgment
from campaign.models import TestSet


def judgments_said(*, test_set: TestSet, **_rest: Any) -> bool:
    """Answer `judgments_asked`. Two queries by index."""
    return any(
        rows.objects.filter(task__test_set=test_set).exists()
        for rows in (UnnumberedJudgment, JudgmentNumber)
    )


def judgments_so_far(*, task_id: int) -> int:
    """Return the number of stored judgments, those without a number yet and revisions among them. Two queries."""
    numbered = JudgmentSequence.objects.filter(pk=task_id).values_list("last_number", flat=True)
    waiting = UnnumberedJudgment.objects.filter(task=task_id)
    return (numbered.first() or 0) + waiting.count()
