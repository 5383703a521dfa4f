"""The design that HITs of a test set are drawn by."""

from django.db.models import OuterRef, Q, QuerySet

from annotation.models import Design
from campaign.models import System, SystemKind, Task


def designs_in_force(*, task_id: int | OuterRef) -> QuerySet[Design]:
    """Return the test set's latest design; none before it has one, or with imported judgments only."""
    return Design.objects.filter(task=task_id).not_imported().order_by("-id")[:1]


def design_in_force(*, task_id: int) -> Design | None:
    """Return the test set's latest design; None if it has none yet, or only imported judgments."""
    return designs_in_force(task_id=task_id).first()


def systems_drawn(*, task: Task, design: Design) -> QuerySet[System]:
    """Return the systems that blocks of a design may show now, references among them unless their rate is 0.

    Without damaged references and those that are withdrawn; `design` may be unsaved.
    """
    systems = task.test_set.systems.filter(withdrawn_at=None).exclude(kind=SystemKind.BAD_REFERENCE)
    if design.reference_rate == 0:
        systems = systems.exclude(kind=SystemKind.REFERENCE)
    if not design.systems:
        return systems
    shown = Q(name__in=design.systems)
    if design.reference_rate is not None:
        shown |= Q(kind=SystemKind.REFERENCE)
    return systems.filter(shown)
