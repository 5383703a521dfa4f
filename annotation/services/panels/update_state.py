"""Decides whether a participation is over: done, stopped, or out of time."""

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from annotation.selectors import (
    actions_that_stop,
    blocks_done,
    blocks_taken,
    judge_status,
)
from annotation.selectors.training import training_failed
from annotation.services.lending.work_requests import NoWorkReason, work_request
from annotation.services.panels.end import judge_lock, participation_end
from campaign.models import Judge, Participation
from campaign.services import test_set_choose

State = Participation.State


@transaction.atomic
def participation_settle(
    *, participation: Participation, asks_for_code: bool = False
) -> Participation:
    """End it if it is over; as it is from now on.

    Work that is done earns the code, also where a rule stopped the judge afterwards or the time
    has run out meanwhile. Otherwise a judge who is paused, excluded, or has failed the training
    is screened out; and whoever is late has timed out, by the database's clock. `asks_for_code`
    where they find no more work: they have finished too if there is none for them.
    """
    judge = judge_lock(member_id=participation.member_id)
    locked = Participation.objects.select_related("panel__campaign").get(pk=participation.pk)
    settle_locked(participation=locked, judge=judge)
    if asks_for_code and locked.state == State.STARTED and _nothing_is_left(locked, judge):
        participation_end(participation=locked, judge=judge, state=State.FINISHED)
    return locked


def settle_locked(*, participation: Participation, judge: Judge) -> None:
    """`participation_settle`, of a row read under the judge's lock with its panel."""
    state = _state_now(participation, judge)
    if state != participation.state:
        participation_end(participation=participation, judge=judge, state=state)


def _state_now(participation: Participation, judge: Judge) -> str:
    is_late = participation.state == State.TIMED_OUT and _is_the_latest(participation)
    if participation.state != State.STARTED and not is_late:
        return participation.state
    done = blocks_done(judge) - participation.blocks_before
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
    """Whether what the judge did since is of this one: a later one has what this one left."""
    others = Participation.objects.filter(member=participation.member_id)
    return not others.filter(started_at__gt=participation.started_at).exists()


def _failed_training(participation: Participation, judge: Judge) -> bool:
    return participation.panel.screen_out_after_training and training_failed(judge=judge)


def _nothing_is_left(participation: Participation, judge: Judge) -> bool:
    """Whether they have done all there is for them: fewer than asked, and no fault of theirs."""
    done = blocks_done(judge)
    if done <= participation.blocks_before or blocks_taken(judge) > done:
        return False
    if work_request(judge=judge).reason != NoWorkReason.NONE_LEFT:
        return False
    if judge.chosen_test_set_id is None:
        return True
    # Of the texts they chose. There may be others for them: they are asked again.
    test_set_choose(judge=judge, test_set=None)
    return False


def settle_if_of_a_panel(*, judge: Judge) -> None:
    """Before a judge is lent more. Costs nothing where nothing is asked of this judge alone."""
    if judge.blocks_asked is None:
        return
    row = Participation.objects.under_way().filter(member__judge=judge).first()
    if row is not None:
        participation_settle(participation=row)
        judge.refresh_from_db(fields=["blocks_asked"])


def participations_settle_due() -> int:
    """Settle those that are late or whose judge was stopped; how many. Each on its own."""
    stopped = Exists(actions_that_stop(OuterRef("member__judge")))
    rows = Participation.objects.under_way()
    due = list(rows.filter(due_at__lte=Now()) | rows.filter(stopped))
    for row in due:
        participation_settle(participation=row)
    return len(due)
