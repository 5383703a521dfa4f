"""Whether a test set has judgments, and how many."""

from typing import Any

from annotation.models import JudgmentNumber, JudgmentSequence, UnnumberedJudgment
from campaign.models import TestSet


def judgments_said(*, test_set: TestSet, **_rest: Any) -> bool:
    """Answer `judgments_asked`. Two queries by index."""
    return any(
        rows.objects.filter(test_set=test_set).exists()
        for rows in (UnnumberedJudgment, JudgmentNumber)
    )


def judgments_so_far(*, test_set_id: int) -> int:
    """Return the number of stored judgments, those without a number yet and revisions among them. Two queries."""
    numbered = JudgmentSequence.objects.filter(pk=test_set_id).values_list("last_number", flat=True)
    waiting = UnnumberedJudgment.objects.filter(test_set=test_set_id)
    return (numbered.first() or 0) + waiting.count()
