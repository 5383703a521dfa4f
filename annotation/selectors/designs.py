"""The design that HITs of a test set are drawn by."""

from django.db.models import OuterRef, QuerySet

from annotation.models import Design


def designs_in_force(*, task_id: int | OuterRef) -> QuerySet[Design]:
    """Return the test set's latest design; none before it has one, or with imported judgments only."""
    return Design.objects.filter(task=task_id).not_imported().order_by("-id")[:1]


def design_in_force(*, task_id: int) -> Design | None:
    """Return the test set's latest design; None if it has none yet, or only imported judgments."""
    return designs_in_force(task_id=task_id).first()
