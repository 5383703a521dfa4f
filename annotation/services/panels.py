"""Begin, refresh and end participations of people sent by recruiting services, and apply the services' events."""

from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Value
from django.db.models.functions import Coalesce, Now
from django.utils.translation import gettext as _

from annotation.selectors.judges import actions_that_stop, judge_status
from annotation.selectors.progress import judge_work
from annotation.selectors.training import training_failed
from annotation.services.lending.lend import assignments_release
from annotation.services.lending.work_requests import NoWorkReason, work_request
from campaign.models import (
    Campaign,
    CampaignState,
    Judge,
    Panel,
    PanelKind,
    Participation,
    ParticipationState,
)
from campaign.panels import Entry, Event
from campaign.services.panels import panel_arrival_record, panel_judge_admit
from campaign.services.people import task_choose

State = ParticipationState


def judge_lock(*, judge_id: int) -> Judge:
    """Lock the judge's row against lending, refreshing and events until the commit; return the judge."""
    return (
        Judge.objects.select_for_update(of=("self",), no_key=True)
        .select_related("campaign")
        .get(pk=judge_id)
    )


def participation_end(*, participation: Participation, judge: Judge, state: str) -> None:
    """Store the final state, and lend the judge nothing more until they begin another participation.

    `participation` must have been read under the lock of the judge's row, with its panel. A
    completion code already given stays.
    """
    changes: dict[str, Any] = {"state": state, "ended_at": Coalesce("ended_at", Now())}
    done = judge_work(judge).done
    if participation.blocks_done is None or state == State.FINISHED:
        changes["blocks_done"] = max(0, done - participation.blocks_before)
    if state in Participation.EARNING and not participation.code:
        changes |= {"code": _code(participation, state), "code_given_at": Now()}
    Participation.objects.filter(pk=participation.pk).update(**changes)
    participation.refresh_from_db(fields=[*changes])
    others = Participation.objects.under_way().filter(judge=participation.judge_id)
    if not others.exists():
        judge.blocks_asked = done
        judge.save(update_fields=["blocks_asked"])
        assignments_release(judge=judge)


def _code(participation: Participation, state: str) -> str:
    panel = participation.panel
    return panel.completion_code if state == State.FINISHED else panel.screened_out_code


@transaction.atomic
def participation_refresh(
    *, participation: Participation, asks_for_code: bool = False
) -> Participation:
    """End the participation if it is over, and return it with its current state.

    Finished work earns the code, even if a rule stopped the judge afterwards or time has run out.
    Otherwise, a judge who is paused, excluded, or has failed the training is screened out, and a
    late one times out, by the database's clock. With `asks_for_code` (the judge found no more
    work), they have also finished if no work is left for them. Locks the judge's row.
    """
    judge = judge_lock(judge_id=participation.judge_id)
    locked = Participation.objects.select_related("panel__campaign").get(pk=participation.pk)
    participation_refresh_locked(participation=locked, judge=judge)
    if asks_for_code and locked.state == State.STARTED and _nothing_is_left(locked, judge):
        participation_end(participation=locked, judge=judge, state=State.FINISHED)
    return locked


def participation_refresh_locked(*, participation: Participation, judge: Judge) -> None:
    """End the participation if it is over; it must have been read under the judge's lock, with its panel."""
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
    others = Participation.objects.filter(judge=participation.judge_id)
    return not others.filter(started_at__gt=participation.started_at).exists()


def _failed_training(participation: Participation, judge: Judge) -> bool:
    return participation.panel.screen_out_after_training and training_failed(judge=judge)


def _nothing_is_left(participation: Participation, judge: Judge) -> bool:
    """Return whether the judge has done all work available to them, though less than asked."""
    work = judge_work(judge)
    if work.done <= participation.blocks_before or work.held:
        return False
    if work_request(judge=judge).reason != NoWorkReason.NONE_LEFT:
        return False
    if judge.chosen_task_id is None:
        return True
    # No work is left in the task they chose, but there may be other tasks to choose from.
    task_choose(judge=judge, task=None)
    return False


def panel_participation_refresh(*, judge: Judge) -> None:
    """Refresh the judge's participation, if a panel sent them, before they are lent more.

    Runs no query for judges who came without a panel.
    """
    if judge.blocks_asked is None:
        return
    row = Participation.objects.under_way().filter(judge=judge).first()
    if row is not None:
        participation_refresh(participation=row)
        judge.refresh_from_db(fields=["blocks_asked"])


def participations_refresh_due() -> int:
    """Refresh participations that are late or whose judge was stopped; return their number.

    Each is refreshed in its own transaction.
    """
    stopped = Exists(actions_that_stop(OuterRef("judge")))
    rows = Participation.objects.under_way()
    due = list(rows.filter(due_at__lte=Now()) | rows.filter(stopped))
    for row in due:
        participation_refresh(participation=row)
    return len(due)


class ParticipationRefusedError(Exception):
    """The panel does not let a person take part (again); the message tells the person why."""

    status = 403


class TooManyArrivalsError(ParticipationRefusedError):
    """Too many new people came from this network address within an hour."""

    status = 429


@transaction.atomic
def participation_begin(*, panel: Panel, entry: Entry, address: str) -> Participation:
    """Return the participation for this submission; create it if there is none.

    A person who returns through the same link continues where they stopped. Another submission of
    the same person gets a further set of blocks, if the panel allows repeat participation. Blocks
    done in a returned participation count for the next one. Raises `ParticipationRefusedError`,
    also if too many new people came from the same network `address`.
    """
    # Locked until the commit, so that a campaign admits people from panels one at a time.
    Campaign.objects.select_for_update(no_key=True).get(pk=panel.campaign_id)
    panel = Panel.objects.select_related("campaign").get(pk=panel.pk)
    of_session = panel.participations.filter(session_id=entry.session_id).select_related(
        "judge__user"
    )
    mine = of_session.filter(judge__external_id=entry.external_id).first()
    if mine is not None:
        return mine
    if of_session.exists():
        raise ParticipationRefusedError(
            _(
                "This submission belongs to another participant. Please open the study from Prolific."
            )
        )
    is_open = panel.is_open and panel.campaign.state == CampaignState.OPEN
    if not is_open:
        raise ParticipationRefusedError(_("This study is closed to new participants."))
    if not panel_arrival_record(panel=panel, address=address):
        raise TooManyArrivalsError(
            _(
                "Too many people have started this study from your network. Please try again in an hour."
            )
        )
    admitted = panel_judge_admit(panel=panel, external_id=entry.external_id)
    judge = judge_lock(judge_id=admitted.pk)
    _earlier_check(panel, judge)
    return _begin(panel, entry, judge)


def _earlier_check(panel: Panel, judge: Judge) -> None:
    earlier = Participation.objects.filter(judge=judge)
    for row in earlier.under_way().select_related("panel"):
        participation_refresh_locked(participation=row, judge=judge)
        if row.state == State.STARTED:
            _one_at_a_time(row, judge)
    stopped = not judge_status(judge).may_judge
    if stopped or earlier.filter(state=State.SCREENED_OUT).exists():
        raise ParticipationRefusedError(
            _(
                "You have already taken part, and this study has no more sentences for you. "
                "Thank you."
            )
        )
    paid = earlier.filter(panel=panel).exclude(code="").count()
    if paid >= panel.participations_per_member:
        raise ParticipationRefusedError(
            _("You have already taken part as often as this study allows. Thank you.")
        )


def _one_at_a_time(row: Participation, judge: Judge) -> None:
    if row.panel.kind == PanelKind.GENERIC:
        raise ParticipationRefusedError(
            _("You are already taking part in another study here. Please finish that one first.")
        )
    # A participant has one submission at a time on Prolific, so the earlier one is over.
    participation_end(participation=row, judge=judge, state=State.RETURNED)


def _begin(panel: Panel, entry: Entry, judge: Judge) -> Participation:
    last = Participation.objects.filter(judge=judge).order_by("-started_at", "-pk").first()
    before = judge_work(judge).done
    if last is not None and not last.code:
        before = last.blocks_before
    judge.blocks_asked = before + panel.blocks_asked
    judge.save(update_fields=["blocks_asked"])
    row = Participation.objects.create(
        panel=panel,
        judge=judge,
        session_id=entry.session_id,
        study_id=entry.study_id,
        blocks_asked=panel.blocks_asked,
        blocks_before=before,
    )
    now = Now()
    Participation.objects.filter(pk=row.pk).update(
        started_at=now, due_at=now + Value(timedelta(minutes=panel.minutes_allowed))
    )
    return Participation.objects.select_related("judge__user").get(pk=row.pk)


# A submission's status only moves forward; within a step, the latest event counts. A failed
# delivery is repeated with a later time, so only the step reveals that it is old.
_STEP: Final = {
    "RESERVED": 0,
    "ACTIVE": 1,
    "APPROVED": 3,
    "PARTIALLY APPROVED": 3,
    "REJECTED": 3,
}
_OTHER_STEP: Final = 2


@transaction.atomic
def participation_event_apply(*, panel: Panel, event: Event) -> bool:
    """Store the status and its consequences; return whether the event concerns a known participation.

    Repeated events, and events older than the stored status, change nothing. Judgments always stay.
    Locks the judge's row.
    """
    found = panel.participations.filter(session_id=event.session_id).first()
    if found is None:
        return False
    judge = judge_lock(judge_id=found.judge_id)
    row = Participation.objects.select_related("panel__campaign").get(pk=found.pk)
    if _is_old(row, event):
        return True
    row.service_status, row.service_status_at = event.status, event.at
    row.save(update_fields=["service_status", "service_status_at"])
    if row.state in {State.STARTED, State.TIMED_OUT}:
        participation_refresh_locked(participation=row, judge=judge)
    state = _state_after(row, event.status)
    if state != row.state:
        participation_end(participation=row, judge=judge, state=state)
    return True


def _is_old(row: Participation, event: Event) -> bool:
    if row.service_status_at is None:
        return False
    step, known = (_STEP.get(each, _OTHER_STEP) for each in (event.status, row.service_status))
    if step != known:
        return step < known
    return event.at <= row.service_status_at


def _state_after(row: Participation, status: str) -> str:
    if status == "RETURNED":
        return State.RETURNED
    if row.state == State.STARTED and status == "TIMED-OUT":
        return State.TIMED_OUT
    if row.state == State.STARTED and status == "SCREENED OUT":
        return State.SCREENED_OUT
    return row.state
