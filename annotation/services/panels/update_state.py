"""Bring participations up to date: end those that are done, stopped, or out of time."""

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from annotation.selectors import (
    actions_that_stop,
    judge_status,
    judge_work,
)
from annotation.selectors.training import training_failed
from annotation.services.lending.work_requests import NoWorkReason, work_request
from annotation.services.panels.end import judge_lock, participation_end
from campaign.models import Judge, Participation, ParticipationState
from campaign.services import task_choose

State = ParticipationState


@transaction.atomic
def participation_refresh(
    *, participation: Participation, asks_for_code: bool = False
) -> Participation:
    """End the participation if it is over, and return it as it is then.

    Finished work earns the code, even if a rule stopped the judge afterwards or the time has run
    out. Otherwise a judge who is paused, excluded, or has failed the training is screened out, and
    a late one has timed out, by the database's clock. With `asks_for_code` (the judge found no more
    work) they have finished too if no work is left for them. Locks the judge's row.
    """
    judge = judge_lock(member_id=participation.member_id)
    locked = Participation.objects.select_related("panel__campaign").get(pk=participation.pk)
    participation_refresh_locked(participation=locked, judge=judge)
    if asks_for_code and locked.state == State.STARTED and _nothing_is_left(locked, judge):
        participation_end(participation=locked, judge=judge, state=State.FINISHED)
    return locked


def participation_refresh_locked(*, participation: Participation, judge: Judge) -> None:
    """End the participation if it is over; it was read under the judge's lock, with its panel."""
    state = _state_now(participation, judge)
    if state != participation.state:
        participation_end(participation=participation, judge=judge, state=state)


def _state_now(participation: Participation, judge: Judge) -> str:
    is_late = participation.state == State.TIMED_OUT and _is_the_latest(participation)
    if participation.state != State.STARTED and not is_late:
        return participation.state
    done = judge_work(judge).done - participation.blocks_before
    if done >= participation.blocks_asked:
        return State.FINISHED
    if is_late:
        return State.TIMED_OUT
    if not judge_status(judge).may_judge or _failed_training(participation, judge):
        return State.SCREENED_OUT
    if Participation.objects.overdue().filter(pk=participation.pk).exists():
        return State.TIMED_OUT
    return State.STARTED


def _is_the_latest(participation: Participation) -> bool:
    """Return whether this is the judge's latest participation, so that later work counts for it."""
    others = Participation.objects.filter(member=participation.member_id)
    return not others.filter(started_at__gt=participation.started_at).exists()


def _failed_training(participation: Participation, judge: Judge) -> bool:
    return participation.panel.screen_out_after_training and training_failed(judge=judge)


def _nothing_is_left(participation: Participation, judge: Judge) -> bool:
    """Return whether the judge has done all work there is for them, though less than asked."""
    work = judge_work(judge)
    if work.done <= participation.blocks_before or work.held:
        return False
    if work_request(judge=judge).reason != NoWorkReason.NONE_LEFT:
        return False
    if judge.chosen_task_id is None:
        return True
    # No work is left in the texts they chose. There may be other texts: they choose again.
    task_choose(judge=judge, task=None)
    return False


def panel_participation_refresh(*, judge: Judge) -> None:
    """Refresh the judge's participation, if a panel sent them, before they are lent more.

    No query for judges who came without a panel.
    """
    if judge.blocks_asked is None:
        return
    row = Participation.objects.under_way().filter(member__judge=judge).first()
    if row is not None:
        participation_refresh(participation=row)
        judge.refresh_from_db(fields=["blocks_asked"])


def participations_refresh_due() -> int:
    """Refresh participations that are late or whose judge was stopped; return their number.

    Each in its own transaction.
    """
    stopped = Exists(actions_that_stop(OuterRef("member__judge")))
    rows = Participation.objects.under_way()
    due = list(rows.filter(due_at__lte=Now()) | rows.filter(stopped))
    for row in due:
        participation_refresh(participation=row)
    return len(due)
