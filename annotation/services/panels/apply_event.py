"""Apply Prolific's events to participations; repeated and late events change nothing."""

from typing import Final

from django.db import transaction

from annotation.services.panels.end import judge_lock, participation_end
from annotation.services.panels.update_state import participation_refresh_locked
from campaign.models import Panel, Participation, ParticipationState
from campaign.panels import Event

State = ParticipationState

# A submission's status only moves forward; within a step the latest event holds. A failed delivery
# is repeated with a later time, so that only the step shows that it is old.
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
    """Store the status and its consequences; return whether the event concerns a participation here.

    A repeated event changes nothing, nor does one that is older than the stored status. Judgments
    stay in any case. Locks the judge's row.
    """
    found = panel.participations.filter(session_id=event.session_id).first()
    if found is None:
        return False
    judge = judge_lock(member_id=found.member_id)
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
