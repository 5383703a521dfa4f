"""Whether a test set has judgments."""

from typing import Any

from annotation.models import JudgmentNumber, UnnumberedJudgment
from campaign.models import TestSet


def judgments_said(*, test_set: TestSet, **_rest: Any) -> bool:
    """Answer `judgments_asked`. Two queries by index."""
    return any(
        rows.objects.filter(test_set=test_set).exists()
        for rows in (UnnumberedJudgment, JudgmentNumber)
    )
