"""What a judge is told who finds nothing ready, and how the planner hears of them.

Only the planner knows whether there is anything left to draw for a judge. So
the request writes down that the judge asked, tells the worker, and answers
from what the planner found when it last looked.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from annotation.models import HIT, JudgeAccount
from annotation.notification import planning_due
from annotation.selectors import (
    conflicts_of,
    quota_reached,
    test_sets_to_work_on,
)
from campaign.models import Judge

# So long the planner's "nothing for this judge" holds: whoever asks is looked after again before.
_CHECK_HOLDS: Final = timedelta(seconds=60)
_SECONDS_UNTIL_PLANNED: Final = 2
_SECONDS_UNTIL_RETURNED: Final = 30


class Lack(StrEnum):
    """Why a judge is lent nothing."""

    PREPARING = "preparing"  # the planner has not looked yet, or is at it
    WAITING = "waiting"  # all that is left is in the hands of others, and may come back
    DONE = "done"  # the judge has done what is asked of a judge
    NOTHING = "nothing"  # no work is left for this judge


@dataclass(frozen=True, slots=True)
class NoWork:
    """`retry_after` in seconds; None where there is nothing to come."""

    lack: Lack
    retry_after: int | None = None


@transaction.atomic
def work_want(*, judge: Judge) -> NoWork:
    """Say why `assignment_lend` found nothing for this judge, and have the planner look.

    "No more work" is said only where the planner looked a moment ago and found nothing to draw,
    and nobody else holds a HIT that could come back to this judge.
    """
    locked = (
        Judge.objects.select_for_update(of=("self",), no_key=True)
        .select_related("campaign")
        .get(pk=judge.pk)
    )
    if quota_reached(locked):
        return NoWork(Lack.DONE)
    test_sets = [test_set.pk for test_set in test_sets_to_work_on(locked)]
    accounts = JudgeAccount.objects.filter(judge=locked, test_set__in=test_sets)
    for test_set_id in test_sets:
        transaction.on_commit(partial(planning_due, test_set_id))
    looked = accounts.filter(nothing_at__gte=Now() - _CHECK_HOLDS).count()
    # Written even where the answer is known, so that it is looked after before it gets old.
    JudgeAccount.objects.bulk_create(
        (JudgeAccount(judge=locked, test_set_id=test_set) for test_set in test_sets),
        ignore_conflicts=True,
    )
    accounts.filter(wanted_at__isnull=True).update(wanted_at=Now())
    if looked < len(test_sets):
        return NoWork(Lack.PREPARING, _SECONDS_UNTIL_PLANNED)
    conflicts = conflicts_of(locked)
    for test_set_id in test_sets:
        # Lent to others, or kept for them: it may come back.
        elsewhere = HIT.objects.filter(test_set=test_set_id).pooled().unseen_by(locked.pk)
        if elsewhere.without(conflicts).exists():
            return NoWork(Lack.WAITING, _SECONDS_UNTIL_RETURNED)
    return NoWork(Lack.NOTHING)


def work_want_ahead(*, judge: Judge, test_set_id: int) -> None:
    """Have the planner look already now: nothing lies ready for the judge's next HIT."""
    account = JudgeAccount.objects.filter(judge=judge, test_set=test_set_id)
    account.filter(wanted_at__isnull=True).update(wanted_at=Now())
    transaction.on_commit(partial(planning_due, test_set_id))
