"""Studies on recruiting services, their participants, and what they came for."""

from functools import partial

from django.utils import timezone

from campaign.models import Panel, PanelMember, Participation
from campaign.services import panel_member_admit
from tests.factories import make_campaign, make_judge
from tests.integration.constraints.breakages import (
    Attempt,
    Create,
    breaks,
    breaks_by_fields,
)
from tests.recruiting import make_panel

NOW = timezone.now()
ENDED = {"ended_at": NOW, "blocks_done": 3}
RETURNED = {"state": "returned", **ENDED}
CODE = {"code": "C1FINISHED", "code_given_at": NOW}
FINISHED = {"state": "finished", **ENDED, **CODE}


def panel() -> Create:
    """Return what creates a panel on Mechanical Turk beside the one of name "pilot"."""
    return partial(
        Panel.objects.create,
        campaign=make_panel(make_campaign()).campaign,
        kind="mturk",
        name="main",
        blocks_asked=3,
        minutes_allowed=60,
    )


def panel_with_codes() -> Create:
    return partial(panel(), kind="prolific", completion_code="C1", screened_out_code="C2")


def member() -> Create:
    museum = make_campaign()
    panel_member_admit(panel=make_panel(museum), external_id="anna")
    return partial(
        PanelMember.objects.create,
        campaign=museum,
        kind="prolific",
        external_id="otto",
        judge=make_judge(museum),
    )


def participation() -> Create:
    panel = make_panel(make_campaign())
    return partial(
        Participation.objects.create,
        panel=panel,
        member=panel_member_admit(panel=panel, external_id="anna"),
        session_id="session",
        study_id="study",
        blocks_asked=3,
        blocks_before=0,
    )


breaks_by_fields(
    "panel_asks_for_something",
    panel,
    {"blocks_asked": 0},
    {"participations_per_member": 0},
    {"minutes_allowed": 0},
    accepted={"blocks_asked": 1, "participations_per_member": 1, "minutes_allowed": 1},
)
breaks_by_fields(
    "panel_has_two_codes_exactly_if_prolific",
    panel_with_codes,
    {"completion_code": ""},
    {"screened_out_code": ""},
    {"screened_out_code": "C1"},
    {"kind": "mturk"},
    accepted={"kind": "mturk", "completion_code": "", "screened_out_code": ""},
)
breaks_by_fields(
    "participation_ended_unless_started",
    participation,
    {"ended_at": NOW},
    {"blocks_done": 3},
    {**RETURNED, "ended_at": None},
    {**RETURNED, "blocks_done": None},
    accepted=RETURNED,
)
breaks_by_fields(
    "participation_code_has_a_time",
    participation,
    {**FINISHED, "code_given_at": None},
    {"code_given_at": NOW},
    accepted=FINISHED,
)
breaks_by_fields(
    "participation_has_a_code_exactly_if_earned",
    participation,
    CODE,
    {"state": "finished", **ENDED},
    {"state": "screened_out", **ENDED},
    # Who returns it after all keeps the code they were given.
    accepted={**RETURNED, **CODE},
)
breaks_by_fields("participation_ids_not_empty", participation, {"session_id": ""}, {"study_id": ""})


@breaks("participation_session_is_one_persons_at_a_time")
def two_members_are_in_one_session(attempt: Attempt) -> None:
    create = participation()
    create()
    otto = panel_member_admit(panel=Panel.objects.get(), external_id="otto")
    with attempt.refuses():
        create(member=otto)
    # MTurk gives the id of a returned assignment to the next worker.
    Participation.objects.update(**RETURNED)
    with attempt.accepts():
        create(member=otto)


@breaks("participation_one_at_a_time")
def a_member_is_in_two_sessions(attempt: Attempt) -> None:
    create = participation()
    create()
    with attempt.refuses():
        create(session_id="another")
    Participation.objects.update(**RETURNED)
    with attempt.accepts():
        create(session_id="another")
