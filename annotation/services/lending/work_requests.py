"""Answer judges for whom no HIT is available, and ask the planner for one.

Only the planner knows whether HITs are left to draw for a judge. So the web request stores the
judge's request, notifies the worker, and answers with the planner's latest result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import Final

from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.db.models.functions import Now

from annotation.models import HIT, JudgeAccount, QualityActionKind
from annotation.protocols.submissions import AssignedBlock
from annotation.selectors.comparisons import will_ask_more
from annotation.selectors.passes import (
    has_passes,
    hits_to_show_again,
    is_over,
    passes_of,
    passes_so_far,
)
from annotation.selectors.pool import systems_not_lent, tasks_to_work_on
from annotation.selectors.progress import judge_work
from annotation.services.notification import planning_enqueue
from campaign.database.many_rows import row_locked
from campaign.models import (
    Campaign,
    CampaignState,
    Judge,
    Participation,
    ParticipationState,
    Task,
)

# Validity of the planner's answer "no work for this judge".
NONE_LEFT_VALID_FOR: Final = timedelta(seconds=60)
_SECONDS_UNTIL_PLANNED: Final = 2
_SECONDS_UNTIL_RETURNED: Final = 30
# A later pass is planned when the judge has finished the HITs of the one before.
_SECONDS_IN_HAND: Final = 5
_SECONDS_UNTIL_OPEN: Final = 30


class NoWorkReason(StrEnum):
    """Reason why a judge is lent nothing."""

    PREPARING = "preparing"  # the planner has not looked yet, or is planning
    WAITING = "waiting"  # the remaining HITs are lent to others, and may become available again
    DONE = "done"  # the judge has done all blocks of their quota
    NONE_LEFT = "none_left"  # no HIT is left for this judge
    TIME_OVER = "time_over"  # the time of their panel's study is over
    RETURNED = "returned"  # they returned their panel's study
    SCREENED_OUT = "screened_out"  # their panel's study has no more sentences for them
    PAUSED = "paused"  # their judging is paused
    EXCLUDED = "excluded"  # they are excluded from the campaign
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


_BY_ACTION: Final = {
    QualityActionKind.PAUSE: NoWorkReason.PAUSED,
    QualityActionKind.EXCLUDE: NoWorkReason.EXCLUDED,
}


@dataclass(frozen=True, slots=True)
class NoWork:
    """Reason why there is no work, and when to ask again: `retry_after` in seconds, None for never."""

    reason: NoWorkReason
    retry_after: int | None = None


@transaction.atomic
def work_request(*, judge: Judge) -> NoWork:
    """Ask the planner for HITs for this judge and return why `assignment_lend` found none.

    `NONE_LEFT` is returned only if the planner recently found nothing to draw, no other judge holds
    a HIT that this judge could be lent later, and no sort will ask for more. Locks the judge's row.
    """
    locked = row_locked(judge)
    if judge_work(locked).is_quota_reached:
        return NoWork(_reason_of_done(locked))
    stopped = lending_stopped(campaign_id=locked.campaign_id)
    if stopped is not None:
        return stopped
    open_tasks = tasks_to_work_on(locked)
    tasks = [task.pk for task in open_tasks]
    accounts = JudgeAccount.objects.filter(judge=locked, task__in=tasks)
    for task_id in tasks:
        transaction.on_commit(partial(planning_enqueue, task_id))
    checked = accounts.filter(none_left_at__gte=Now() - NONE_LEFT_VALID_FOR).count()
    # Stored even if the answer is known, so that the planner checks again before it expires.
    JudgeAccount.objects.bulk_create(
        (JudgeAccount(judge=locked, task_id=task) for task in tasks),
        ignore_conflicts=True,
    )
    accounts.filter(requested_at__isnull=True).update(requested_at=Now())
    if checked < len(tasks):
        return NoWork(NoWorkReason.PREPARING, _SECONDS_UNTIL_PLANNED)
    return _pass_to_come(locked, open_tasks) or _elsewhere(locked, open_tasks)


_BY_PARTICIPATION: Final = {
    ParticipationState.TIMED_OUT: NoWorkReason.TIME_OVER,
    ParticipationState.RETURNED: NoWorkReason.RETURNED,
    ParticipationState.SCREENED_OUT: NoWorkReason.SCREENED_OUT,
}


def _reason_of_done(judge: Judge) -> NoWorkReason:
    """Return why a judge whose quota is reached gets no more, which a panel's participation may have ended."""
    if judge.blocks_asked is None:
        return NoWorkReason.DONE
    rows = Participation.objects.filter(judge=judge).order_by("-started_at", "-pk")
    state = rows.values_list("state", flat=True).first()
    if state is None:
        return NoWorkReason.DONE
    return _BY_PARTICIPATION.get(ParticipationState(state), NoWorkReason.DONE)


def _pass_to_come(judge: Judge, tasks: Sequence[Task]) -> NoWork | None:
    """Return when to ask again if a judge is still to get a later pass of a task, otherwise None."""
    for task in tasks:
        if not has_passes(task) or passes_of(task).are_seen_once:
            continue
        so_far = passes_so_far(judge_id=judge.pk, task_id=task.pk)
        if so_far.planned == passes_of(task).count:
            continue
        if (
            so_far.is_holding
            or hits_to_show_again(judge.pk, task.pk, so_far.planned).exists()
        ):
            if so_far.is_holding:
                wait = _SECONDS_IN_HAND
            else:
                wait = _SECONDS_UNTIL_PLANNED
            return NoWork(NoWorkReason.PREPARING, wait)
    return None


def _elsewhere(judge: Judge, tasks: Sequence[Task]) -> NoWork:
    """Return the reason for no work: either others hold the remaining HITs, or none is left."""
    conflicts = systems_not_lent(judge)
    for task in tasks:
        if has_passes(task) and is_over(judge_id=judge.pk, task=task):
            continue
        # HITs lent to others, or reserved for them, may become available to this judge.
        hits = HIT.objects.filter(task=task)
        for elsewhere in (hits.pooled(), hits.standby()):
            if (
                elsewhere.unseen_by(judge.pk, task.exposed_apart)
                .excluding_systems(conflicts)
                .exists()
            ):
                return NoWork(NoWorkReason.WAITING, _SECONDS_UNTIL_RETURNED)
    if any(will_ask_more(task_id=task.pk, judge_id=judge.pk) for task in tasks):
        return NoWork(NoWorkReason.WAITING, _SECONDS_UNTIL_RETURNED)
    return NoWork(NoWorkReason.NONE_LEFT)


def lending_stopped(*, campaign_id: int) -> NoWork | None:
    """Return the reason why a campaign lends no work at all, to people and to machine judges; None if it does. One query."""
    state, is_over = (
        Campaign.objects.annotate(
            is_over=ExpressionWrapper(Q(closes_at__lte=Now()), BooleanField()),
        )
        .values_list("state", "is_over")
        .get(pk=campaign_id)
    )
    reason = _reason_of_state(state, is_past_closing=is_over)
    if reason is None:
        return None
    return NoWork(reason, _SECONDS_UNTIL_OPEN)


def _reason_of_state(state: str, *, is_past_closing: bool) -> NoWorkReason | None:
    if state == CampaignState.OPEN:
        if is_past_closing:
            return NoWorkReason.CAMPAIGN_CLOSED
        return None
    return _BY_STATE[CampaignState(state)]


def reason_to_stop(block: AssignedBlock) -> NoWorkReason | None:
    """Return why the judge of this block is to stop after it; None if they may go on.

    Judges at work learn from each answer that the campaign or they themselves were paused. The
    block is as read for the submission, so this needs no query.
    """
    if block.stopping_action is not None:
        return _BY_ACTION[QualityActionKind(block.stopping_action)]
    return _reason_of_state(block.campaign_state, is_past_closing=block.is_past_closing)


def work_prefetch_request(*, judge: Judge, task_id: int) -> None:
    """Ask the planner for the judge's next HIT in advance, because none is available."""
    account = JudgeAccount.objects.filter(judge=judge, task=task_id)
    account.filter(requested_at__isnull=True).update(requested_at=Now())
    transaction.on_commit(partial(planning_enqueue, task_id))
