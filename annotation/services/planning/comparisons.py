"""Close the comparisons of a sort that have their judgments, and give up what is planned of closed ones."""

from django.db import transaction
from django.db.models import Exists, OuterRef

from annotation.models import HIT, Assignment, Design
from annotation.models.pool import HITQuerySet
from annotation.protocols import answer_kind
from annotation.selectors.comparisons import hits_of_closed
from annotation.services.planning.batch import PlanningTransaction


def comparisons_settle(*, design: Design) -> int:
    """Close what is to be closed, and return the number of HITs that are lent no more because of it.

    Those that were never lent are withdrawn. One that came back unfinished is done: what was judged of it stays. Who
    holds one finishes it; such answers are late, and change nothing that is closed.
    """
    comparisons = answer_kind(design.task.protocol).comparisons
    if comparisons is None:
        return 0
    comparisons.close(design)
    if not hits_of_closed(design=design, hits=_available(design.task_id)):
        return 0
    return _give_up(design.task_id)


def _available(task_id: int) -> HITQuerySet:
    return HIT.objects.filter(task=task_id).available()


@transaction.atomic
def _give_up(task_id: int) -> int:
    planning = PlanningTransaction.locked(task_id)
    found = hits_of_closed(design=planning.design, hits=_available(task_id))
    # A HIT that is being lent at this moment is skipped.
    locked = _available(task_id).filter(pk__in=[hit.pk for hit in found])
    mine = list(locked.select_for_update(skip_locked=True))
    lent = Assignment.objects.filter(hit=OuterRef("pk"))
    ids = HIT.objects.filter(Exists(lent), pk__in=[hit.pk for hit in mine])
    was_lent = set(ids.values_list("pk", flat=True))
    planning.withdraw([hit for hit in mine if hit.pk not in was_lent])
    HIT.objects.filter(pk__in=was_lent).update(completed_at=planning.now)
    planning.store()
    return len(mine)
