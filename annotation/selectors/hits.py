"""HITs and designs as organisers see them: which blocks were drawn, and why."""

from django.db.models import Exists, F, OuterRef, QuerySet

from annotation.models import Assignment, Design
from annotation.models.hit import HIT
from annotation.models.pool import UNTIL_THE_FIRST_IS_DONE, HITQuerySet


def hits_explained(*, task_id: int) -> HITQuerySet:
    """Return the HITs of a test set with everything organisers are shown. One query a page."""
    held = Assignment.objects.filter(
        hit=OuterRef("pk"), completed_at__isnull=True, released_at__isnull=True
    )
    hits: HITQuerySet = (
        HIT.objects.filter(task=task_id)
        .select_related("design", "repeats", "reserved_for")
        .annotate(is_lent=Exists(held))
    )
    return hits


def designs_of(*, task_id: int) -> QuerySet[Design]:
    """Return the designs that drew the HITs of a test set, with the name of who chose each."""
    return (
        Design.objects.filter(task=task_id)
        .not_imported()
        .select_related("judge_group")
        .annotate(changed_by_name=F("changed_by__name"))
    )


def hit_state(hit: HIT) -> str:
    """Return `done`, `withdrawn`, `lent`, `waiting` or `available` for a HIT from `hits_explained`."""
    if hit.withdrawn_at is not None:
        return "withdrawn"
    if hit.completed_at is not None:
        return "done"
    if hit.available_at == UNTIL_THE_FIRST_IS_DONE:
        return "waiting"
    return "lent" if getattr(hit, "is_lent", False) else "available"
