"""Say that what pages show of a task has changed otherwise than by judgments and skips."""

from django.db.models import F

from annotation.models import PageChanges


def pages_changed(*, task_id: int) -> None:
    """Have pages of a task look anew, replicas' too; in the transaction that changed it."""
    PageChanges.objects.get_or_create(task_id=task_id)
    PageChanges.objects.filter(task=task_id).update(changes=F("changes") + 1)
