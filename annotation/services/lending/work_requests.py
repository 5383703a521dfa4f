"""Answer judges for whom no HIT is available, and ask the planner for one.

Only the planner knows whether HITs are left to draw for a judge. So the web
request stores that the judge asked, tells the worker, and answers from what
the planner found when it last looked.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import Final

from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.db.models.functions import Now

from annotation.models import HIT, JudgeAccount
from annotation.notification import planning_enqueue
from annotation.selectors import judge_work, systems_not_lent, test_sets_to_work_on
from campaign.models import Campaign, CampaignState, Judge

# How long the planner's "no work for this judge" stays valid.
NONE_LEFT_VALID_FOR: Final = timedelta(seconds=60)
_SECONDS_UNTIL_PLANNED: Final = 2
_SECONDS_UNTIL_RETURNED: Final = 30
_SECONDS_UNTIL_OPEN: Final = 30


class NoWorkReason(StrEnum):
    """Why a judge is lent nothing."""

    PREPARING = "preparing"  # the planner has not looked yet, or is planning
    WAITING = "waiting"  # the remaining HITs are lent to others, and may become available again
    DONE = "done"  # the judge has done all the blocks they are asked for
    NONE_LEFT = "none_left"  # no HIT is left for this judge
    NOT_BEGUN = "not_begun"  # the campaign is not open yet
    CAMPAIGN_PAUSED = "campaign_paused"
    CAMPAIGN_CLOSED = "campaign_closed"  # or archived, or deleted


_BY_STATE: Final = {
    CampaignState.DRAFT: NoWorkReason.NOT_BEGUN,
    CampaignState.PAUSED: NoWorkReason.CAMPAIGN_PAUSED,
    CampaignState.CLOSED: NoWorkReason.CAMPAIGN_CLOSED,
    CampaignState.ARCHIVED: NoWorkReason.CAMPAIGN_CLOSED,
    CampaignState.BIN: NoWorkReason.CAMPAIGN_CLOSED,
}


@dataclass(frozen=True, slots=True)
class NoWork:
    """Why there is no work, and when to ask again: `retry_after` in seconds, None for never."""

    reason: NoWorkReason
    retry_after: int | None = None


@transaction.atomic
def work_request(*, judge: Judge) -> NoWork:
    """Ask the planner for HITs for this judge and return why `assignment_lend` found none.

    `NONE_LEFT` is returned only if the planner found nothing to draw a moment ago and nobody else
    holds a HIT that this judge could be lent later. Locks the judge's row.
    """
    locked = Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    if judge_work(locked).is_quota_reached:
        return NoWork(NoWorkReason.DONE)
    stopped = _stopped(locked)
    if stopped is not None:
        return NoWork(stopped, _SECONDS_UNTIL_OPEN)
    test_sets = [test_set.pk for test_set in test_sets_to_work_on(locked)]
    accounts = JudgeAccount.objects.filter(judge=locked, test_set__in=test_sets)
    for test_set_id in test_sets:
        transaction.on_commit(partial(planning_enqueue, test_set_id))
    checked = accounts.filter(none_left_at__gte=Now() - NONE_LEFT_VALID_FOR).count()
    # Written even if the answer is known, so that the planner checks again before it expires.
    JudgeAccount.objects.bulk_create(
        (JudgeAccount(judge=locked, test_set_id=test_set) for test_set in test_sets),
        ignore_conflicts=True,
    )
    accounts.filter(requested_at__isnull=True).update(requested_at=Now())
    if checked < len(test_sets):
        return NoWork(NoWorkReason.PREPARING, _SECONDS_UNTIL_PLANNED)
    conflicts = systems_not_lent(locked)
    for test_set_id in test_sets:
        # Lent to others, or reserved for them: they may become available to this judge.
        hits = HIT.objects.filter(test_set=test_set_id)
        for elsewhere in (hits.pooled(), hits.standby()):
            if elsewhere.unseen_by(locked.pk).excluding_systems(conflicts).exists():
                return NoWork(NoWorkReason.WAITING, _SECONDS_UNTIL_RETURNED)
    return NoWork(NoWorkReason.NONE_LEFT)


def _stopped(judge: Judge) -> NoWorkReason | None:
    """Return why the campaign lends nothing to anybody, None if it does."""
    state, is_over = (
        Campaign.objects.annotate(
            is_over=ExpressionWrapper(Q(closes_at__lte=Now()), BooleanField())
        )
        .values_list("state", "is_over")
        .get(pk=judge.campaign_id)
    )
    if state == CampaignState.OPEN:
        return NoWorkReason.CAMPAIGN_CLOSED if is_over else None
    return _BY_STATE[CampaignState(state)]


def work_prefetch_request(*, judge: Judge, test_set_id: int) -> None:
    """Ask the planner for the judge's next HIT before they need it: none is available."""
    account = JudgeAccount.objects.filter(judge=judge, test_set=test_set_id)
    account.filter(requested_at__isnull=True).update(requested_at=Now())
    transaction.on_commit(partial(planning_enqueue, test_set_id))
