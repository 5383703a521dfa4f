"""Damaged references that an organiser has approved."""

from django.db.models.functions import Now

from campaign.models import BadReference, Task
from campaign.services.bad_references import bad_references_make


def damaged_references_approve(task: Task, *, seed: int = 5) -> None:
    """Damage all references of a task's test set, and approve them in one statement."""
    bad_references_make(test_set=task.test_set, seed=seed)
    BadReference.objects.of(task.test_set_id).update(
        status=BadReference.Status.APPROVED,
        approved_at=Now(),
        reviewed_at=Now(),
    )
