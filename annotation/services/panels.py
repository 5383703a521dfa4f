"""Begin, refresh and end participations of people sent by recruiting services, and apply the services' events."""

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce, Now
from django.utils.translation import gettext as _

from annotation.models import JudgeAccount
from annotation.selectors.judges import actions_that_stop, judge_status
from annotation.selectors.panels import PAYMENT_DECIDED, has_work
from annotation.selectors.progress import judge_work
from annotation.selectors.training import training_failed
from annotation.services.lending.lend import assignments_release
from annotation.services.lending.work_requests import (
    NONE_LEFT_VALID_FOR,
    NoWorkReason,
    lending_stopped,
    work_request,
)
from campaign.models import (
    Campaign,
    CampaignState,
    Judge,
    Panel,
    PanelKind,
    Participation,
    ParticipationState,
)
from campaign.selectors.panel_requests import Entry, Event
from campaign.services.judges import task_choose
from campaign.services.panels import (
    panel_arrival_record,
    panel_judge_admit,
    session_end_recall,
    session_end_remember,
)

State = ParticipationState

_CLOSED: Final = (CampaignState.CLOSED, CampaignState.ARCHIVED, CampaignState.BIN)


def judge_lock(*, judge_id: int) -> Judge:
    """Lock the judge's row against lending, refreshing and events until the commit; return the judge."""
    return (
        Judge.objects.select_for_update(of=("self",), no_key=True)
        .select_related("campaign")
        .get(pk=judge_id)
    )


def participation_end(
    *,
    participation: Participation,
    judge: Judge,
    state: str,
) -> None:
    """Store the final state, and lend the judge nothing more until they begin another participation.

    `participation` must have been read under the lock of the judge's row, with its panel. A
    completion code already given stays.
    """
    changes: dict[str, object] = {
        "state": state,
        "ended_at": Coalesce("ended_at", Now()),
    }
    blocks_done = judge_work(judge).blocks_done
    if participation.blocks_done is None or state == State.FINISHED:
        changes["blocks_done"] = max(0, blocks_done - participation.blocks_before)
    if state in Participation.EARNING and not participation.code:
        changes |= {"code": _code(participation, state), "code_given_at": Now()}
    Participation.objects.filter(pk=participation.pk).update(**changes)
    participation.refresh_from_db(fields=[*changes])
    others = Participation.objects.under_way().filter(judge=participation.judge_id)
    if not others.exists():
        judge.blocks_asked = blocks_done
        judge.save(update_fields=["blocks_asked"])
        assignments_release(judge=judge)


def _code(participation: Participation, state: str) -> str:
    panel = participation.panel
    code: str = panel.screened_out_code
    if state == State.FINISHED:
        code = panel.completion_code
    return code


@transaction.atomic
def participation_refresh(
    *,
    participation: Participation,
    asks_for_code: bool = False,
) -> Participation:
    """End the participation if it is over, and return it with its current state.

    Finished work earns the code, even if a rule stopped the judge afterwards or time has run out.
    Otherwise, a judge who is paused, excluded, or has failed the training is screened out, and a
    late one times out, by the database's clock, unless the campaign is paused or they waited for items that others hold. With `asks_for_code` (the judge found no more
    work), they have also finished if no work is left for them. Locks the judge's row.
    """
    judge = judge_lock(judge_id=participation.judge_id)
    locked = Participation.objects.select_related("panel__campaign").get(
        pk=participation.pk,
    )
    participation_refresh_locked(participation=locked, judge=judge)
    if (
        asks_for_code
        and locked.state == State.STARTED
        and _nothing_is_left(locked, judge)
    ):
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
    blocks_done = judge_work(judge).blocks_done - participation.blocks_before
    if blocks_done >= participation.blocks_asked:
        return State.FINISHED
    if is_late:
        return State.TIMED_OUT
    if not judge_status(judge).may_judge or _failed_training(participation, judge):
        return State.SCREENED_OUT
    if not Participation.objects.overdue().filter(pk=participation.pk).exists():
        return State.STARTED
    stopped = lending_stopped(campaign_id=judge.campaign_id)
    if blocks_done > 0 and (stopped is not None or _is_waiting(judge)):
        return State.FINISHED
    return State.TIMED_OUT


def _is_waiting(judge: Judge) -> bool:
    """Return whether the judge holds nothing and, at their last request within two minutes, nothing was left for them."""
    recently = Now() - 2 * NONE_LEFT_VALID_FOR
    accounts = JudgeAccount.objects.filter(judge=judge, none_left_at__gte=recently)
    return accounts.exists() and not judge_work(judge).blocks_held


def _is_the_latest(participation: Participation) -> bool:
    """Return whether this is the judge's latest participation, so that later work counts for it."""
    others = Participation.objects.filter(judge=participation.judge_id)
    return not others.filter(started_at__gt=participation.started_at).exists()


def _failed_training(participation: Participation, judge: Judge) -> bool:
    return participation.panel.screen_out_after_training and training_failed(
        judge=judge,
    )


def _nothing_is_left(participation: Participation, judge: Judge) -> bool:
    """Return whether the judge has done all work available to them, though less than asked."""
    work = judge_work(judge)
    if work.blocks_done <= participation.blocks_before:
        return False
    stopped = lending_stopped(campaign_id=judge.campaign_id)
    if stopped is not None and stopped.reason == NoWorkReason.CAMPAIGN_CLOSED:
        return True
    if work.blocks_held:
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
    """Refresh participations that are late, or whose judge or campaign was stopped; return their number.

    Participants of a closed campaign finish with what they have done. Each is refreshed in its own transaction.
    """
    rows = Participation.objects.under_way()
    of_closed = list(rows.filter(_is_in_closed_campaign()))
    stopped = Exists(actions_that_stop(OuterRef("judge")))
    others = rows.exclude(_is_in_closed_campaign()).filter(
        Q(due_at__lte=Now()) | stopped,
    )
    due = list(others)
    for row in of_closed:
        participation_refresh(participation=row, asks_for_code=True)
    for row in due:
        participation_refresh(participation=row)
    return len(of_closed) + len(due)


def _is_in_closed_campaign() -> Q:
    is_over = Q(panel__campaign__closes_at__lte=Now())
    return is_over | Q(panel__campaign__state__in=_CLOSED)


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
    done in a returned participation count for the next one in the same study. Raises
    `ParticipationRefusedError`, also if the service has reported the end of the submission, and if too many new
    people came from the same network `address`.
    """
    # Locked until the commit, so that a campaign admits people from panels one at a time.
    Campaign.objects.select_for_update(no_key=True).get(pk=panel.campaign_id)
    panel = Panel.objects.select_related("campaign").get(pk=panel.pk)
    of_session = panel.participations.filter(
        session_id=entry.session_id,
    ).select_related("judge__user")
    mine = of_session.filter(judge__external_id=entry.external_id).first()
    if mine is not None:
        return mine
    if refused := arrival_refused_in_words(panel=panel, entry=entry):
        raise ParticipationRefusedError(refused)
    if not panel_arrival_record(panel=panel, address=address):
        raise TooManyArrivalsError(
            _(
                "Too many people have started this study from your network. Please try again in an hour.",
            ),
        )
    admitted = panel_judge_admit(panel=panel, external_id=entry.external_id)
    judge = judge_lock(judge_id=admitted.pk)
    _earlier_check(panel, judge)
    return _begin(panel, entry, judge)


def arrival_refused_in_words(*, panel: Panel, entry: Entry) -> str:
    """Return why a person cannot begin a participation for this submission, known before they press *Begin*; empty if they can.

    Those who have a participation for it continue.
    """
    of_session = panel.participations.filter(session_id=entry.session_id)
    if of_session.filter(judge__external_id=entry.external_id).exists():
        return ""
    if of_session.exists():
        return _(
            "This submission belongs to another participant. Please open the study from Prolific.",
        )
    is_open = panel.is_open and panel.campaign.state == CampaignState.OPEN
    if not is_open or not has_work(panel=panel):
        return _("This study is closed to new participants.")
    if ended := session_end_recall(panel=panel, session_id=entry.session_id):
        return _ended_in_words(panel, ended)
    return ""


def _ended_in_words(panel: Panel, status: str) -> str:
    if status != "RETURNED":
        return _("The time for this study is over")
    return _(
        "%(service)s reports that you returned the study. There is nothing more to do. Thank you for your work.",
    ) % {"service": panel.service_name}


def _earlier_check(panel: Panel, judge: Judge) -> None:
    earlier = Participation.objects.filter(judge=judge)
    for row in earlier.under_way().select_related("panel"):
        participation_refresh_locked(participation=row, judge=judge)
        if row.state == State.STARTED:
            _one_at_a_time(row, judge)
    if _is_stopped(judge) or _failed_training_before(earlier, judge):
        raise ParticipationRefusedError(no_more_items())
    paid = earlier.filter(panel=panel).exclude(code="").count()
    if paid >= panel.participations_per_member:
        raise ParticipationRefusedError(
            _("You have already taken part as often as this study allows. Thank you."),
        )


def no_more_items() -> str:
    """Return the message to a person whom the organisers have stopped."""
    return _(
        "You have already taken part, and this study has no more items for you. Thank you.",
    )


def _is_stopped(judge: Judge) -> bool:
    return judge.withdrawn_at is not None or not judge_status(judge).may_judge


def _failed_training_before(
    earlier: QuerySet[Participation],
    judge: Judge,
) -> bool:
    """Return whether the judge was screened out and failed the training; others were stopped and may be reinstated."""
    screened_out = earlier.filter(state=State.SCREENED_OUT)
    return screened_out.exists() and training_failed(judge=judge)


def _one_at_a_time(row: Participation, judge: Judge) -> None:
    if row.panel.kind == PanelKind.GENERIC and judge.declined_at is None:
        raise ParticipationRefusedError(
            _(
                "You are already taking part in another study here. Please finish that one first.",
            ),
        )
    # A participant has one submission at a time on Prolific, so the earlier one is over, as is one that they declined.
    participation_end(participation=row, judge=judge, state=State.RETURNED)


def _begin(panel: Panel, entry: Entry, judge: Judge) -> Participation:
    last = (
        Participation.objects.filter(judge=judge).order_by("-started_at", "-pk").first()
    )
    before = judge_work(judge).blocks_done
    if last is not None and _is_unpaid_of_study(last, panel, entry):
        before = last.blocks_before
    judge.blocks_asked = before + panel.blocks_asked
    # Panels of one campaign may differ in languages, and a person may come by several.
    judge.languages = panel.languages
    # Beginning undoes declining an earlier study.
    judge.declined_at = None
    judge.save(update_fields=["blocks_asked", "languages", "declined_at"])
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
        started_at=now,
        due_at=now + Value(timedelta(minutes=panel.minutes_allowed)),
    )
    return Participation.objects.select_related("judge__user").get(pk=row.pk)


def _is_unpaid_of_study(last: Participation, panel: Panel, entry: Entry) -> bool:
    """Return whether a participation was in the same study and had no code, and the service has not decided on its pay."""
    is_same_study = (last.panel_id, last.study_id) == (panel.pk, entry.study_id)
    is_decided = bool(last.code) or last.service_status in PAYMENT_DECIDED
    return is_same_study and not is_decided


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
#: Reports that end a submission whose participant has not begun here.
_ENDS: Final = ("RETURNED", "TIMED-OUT")


@transaction.atomic
def participation_event_apply(*, panel: Panel, event: Event) -> bool:
    """Store the status and its consequences; return whether the event concerns a known participation.

    Repeated events, and events older than the stored status, change nothing. Judgments always stay.
    The end of an unknown submission is remembered, because its participant may still press *Begin*. Locks
    the judge's row, or the campaign's for an unknown submission.
    """
    of_session = panel.participations.filter(session_id=event.session_id)
    participation = of_session.first()
    if participation is None:
        # The participant may be pressing the button now.
        Campaign.objects.select_for_update(no_key=True).get(pk=panel.campaign_id)
        participation = of_session.first()
    if participation is None:
        if event.status in _ENDS:
            session_end_remember(
                panel=panel,
                session_id=event.session_id,
                status=event.status,
            )
        return False
    judge = judge_lock(judge_id=participation.judge_id)
    row = Participation.objects.select_related("panel__campaign").get(
        pk=participation.pk,
    )
    if _is_old(row, event):
        return True
    row.service_status = event.status
    row.service_status_at = event.since
    row.save(update_fields=["service_status", "service_status_at"])
    if row.state in {State.STARTED, State.TIMED_OUT}:
        participation_refresh_locked(participation=row, judge=judge)
    state = _state_after(row, event.status)
    if state != row.state:
        participation_end(participation=row, judge=judge, state=state)
    elif row.state == State.STARTED and event.status == "AWAITING REVIEW":
        # Handed in without a code, so others get the HIT unless the participant asks for it again.
        assignments_release(judge=judge)
    return True


def _is_old(row: Participation, event: Event) -> bool:
    if row.service_status_at is None:
        return False
    step = _STEP.get(event.status, _OTHER_STEP)
    stored_step = _STEP.get(row.service_status, _OTHER_STEP)
    if step != stored_step:
        return step < stored_step
    return event.since <= row.service_status_at


def _state_after(row: Participation, status: str) -> str:
    if status == "RETURNED":
        return State.RETURNED
    if row.state == State.STARTED and status in {"TIMED-OUT", "REJECTED"}:
        return State.TIMED_OUT
    if row.state == State.STARTED and status == "SCREENED OUT":
        return State.SCREENED_OUT
    return row.state
