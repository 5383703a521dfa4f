"""Begin a participation: find or create its judge, and ask them for the panel's blocks."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.selectors import judge_status, judge_work
from annotation.services.panels.end import judge_lock, participation_end
from annotation.services.panels.update_state import participation_refresh_locked
from campaign.models import (
    Campaign,
    CampaignState,
    Judge,
    Panel,
    PanelKind,
    PanelMember,
    Participation,
    ParticipationState,
)
from campaign.panels import Entry
from campaign.services import panel_arrival_record, panel_member_admit

State = ParticipationState


class ParticipationRefusedError(Exception):
    """The panel does not let a person take part (again); the message tells them why."""

    status = 403


class TooManyArrivalsError(ParticipationRefusedError):
    """Too many new people came from this network address within an hour."""

    status = 429


@transaction.atomic
def participation_begin(*, panel: Panel, entry: Entry, address: str) -> Participation:
    """Return the participation of this submission; create it if there is none.

    A person who comes back through the same link goes on where they stopped. Another submission of
    the same person gets as many further blocks, if the panel lets them take part again. Blocks done
    in a returned participation count for the next one. Raises `ParticipationRefusedError`, also if too many
    new people came from the same network `address`.
    """
    # Locked until the commit: a campaign admits its panels' people one after the other.
    Campaign.objects.select_for_update(no_key=True).get(pk=panel.campaign_id)
    panel = Panel.objects.select_related("campaign").get(pk=panel.pk)
    of_session = panel.participations.filter(session_id=entry.session_id).select_related(
        "member__judge__user"
    )
    mine = of_session.filter(member__external_id=entry.external_id).first()
    if mine is not None:
        return mine
    if of_session.exists():
        raise ParticipationRefusedError(
            _("This submission belongs to somebody else. Please open the study from Prolific.")
        )
    is_open = panel.is_open and panel.campaign.state == CampaignState.OPEN
    if not is_open:
        raise ParticipationRefusedError(_("This study is closed to new participants."))
    if not panel_arrival_record(panel=panel, address=address):
        raise TooManyArrivalsError(
            _(
                "Many people have begun this study from your network within the last hour. "
                "Please try again in an hour."
            )
        )
    member = panel_member_admit(panel=panel, external_id=entry.external_id)
    judge = judge_lock(member_id=member.pk)
    _earlier_check(panel, member, judge)
    return _begin(panel, entry, member, judge)


def _earlier_check(panel: Panel, member: PanelMember, judge: Judge) -> None:
    earlier = Participation.objects.filter(member=member)
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
            _("You have already taken part in this study as often as each person may. Thank you.")
        )


def _one_at_a_time(row: Participation, judge: Judge) -> None:
    if row.panel.kind == PanelKind.GENERIC:
        raise ParticipationRefusedError(
            _("You are already taking part in another study here. Please finish that one first.")
        )
    # On Prolific nobody has two submissions at the same time: the earlier one is over.
    participation_end(participation=row, judge=judge, state=State.RETURNED)


def _begin(panel: Panel, entry: Entry, member: PanelMember, judge: Judge) -> Participation:
    last = Participation.objects.filter(member=member).order_by("-started_at", "-pk").first()
    before = judge_work(judge).done
    if last is not None and not last.code:
        before = last.blocks_before
    judge.blocks_asked = before + panel.blocks_asked
    judge.save(update_fields=["blocks_asked"])
    row = Participation.objects.create(
        panel=panel,
        member=member,
        session_id=entry.session_id,
        study_id=entry.study_id,
        blocks_asked=panel.blocks_asked,
        blocks_before=before,
    )
    now = Now()
    Participation.objects.filter(pk=row.pk).update(
        started_at=now, due_at=now + Value(timedelta(minutes=panel.minutes_allowed))
    )
    return Participation.objects.select_related("member__judge__user").get(pk=row.pk)
