"""End a participation: give its code, if one is earned, and release the judge's HITs."""

from typing import Any

from django.db.models.functions import Coalesce, Now

from annotation.selectors import judge_work
from annotation.services.lending.release import assignments_release
from campaign.models import Judge, Participation, ParticipationState

State = ParticipationState


def judge_lock(*, member_id: int) -> Judge:
    """Lock the judge's row until the commit, against lending, refreshing and events; return them."""
    return (
        Judge.objects.select_for_update(of=("self",), no_key=True)
        .select_related("campaign")
        .get(panel_member=member_id)
    )


def participation_end(*, participation: Participation, judge: Judge, state: str) -> None:
    """Store the final state, and lend the judge nothing more until they begin another one.

    `participation` must have been read under the lock of the judge's row, with its panel. A code
    that was given stays.
    """
    changes: dict[str, Any] = {"state": state, "ended_at": Coalesce("ended_at", Now())}
    done = judge_work(judge).done
    if participation.blocks_done is None or state == State.FINISHED:
        changes["blocks_done"] = max(0, done - participation.blocks_before)
    if state in Participation.EARNING and not participation.code:
        changes |= {"code": _code(participation, state), "code_given_at": Now()}
    Participation.objects.filter(pk=participation.pk).update(**changes)
    participation.refresh_from_db(fields=[*changes])
    others = Participation.objects.under_way().filter(member=participation.member_id)
    if not others.exists():
        judge.blocks_asked = done
        judge.save(update_fields=["blocks_asked"])
        assignments_release(judge=judge)


def _code(participation: Participation, state: str) -> str:
    panel = participation.panel
    return panel.completion_code if state == State.FINISHED else panel.screened_out_code
