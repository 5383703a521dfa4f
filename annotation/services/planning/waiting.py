"""HITs that wait until the one they repeat is done, in tasks that ask about what was said in it."""

from django.db import transaction
from django.db.models.functions import Now

from annotation.models import HIT
from annotation.models.pool import UNTIL_THE_FIRST_IS_DONE
from annotation.protocols import answer_kind
from annotation.services.planning.batch import PlanningTransaction
from campaign.models import Task


def waiting_release(*, task: Task) -> int:
    """Make the HITs available whose first HIT is done, and return their number; withdraw those whose first is withdrawn."""
    return _release(task) if answer_kind(task.protocol).has_stages else 0


@transaction.atomic
def _release(task: Task) -> int:
    waiting = HIT.objects.filter(
        task=task, available_at=UNTIL_THE_FIRST_IS_DONE, repeats__completed_at__isnull=False
    ).incomplete()
    of_withdrawn = waiting.filter(repeats__withdrawn_at__isnull=False)
    if of_withdrawn.exists():
        planning = PlanningTransaction.locked(task.pk)
        planning.withdraw(list(of_withdrawn))
        planning.store()
    return waiting.update(available_at=Now())
