"""Campaigns, who runs them, and what they tell their judges."""

from datetime import timedelta
from functools import partial

from django.utils import timezone

from campaign.models import (
    Campaign,
    CampaignState,
    Instructions,
    Membership,
    Session,
    User,
)
from tests.factories import make_campaign, make_organiser
from tests.integration.constraints.breakages import (
    Attempt,
    Create,
    breaks,
    breaks_by_fields,
)
from tests.integration.constraints.worlds import make_person


def campaign() -> Create:
    make_campaign("museum")
    return partial(Campaign.objects.create, slug="theatre", name="Theatre")


def user() -> Create:
    make_person("olga@example.org")
    return partial(User.objects.create, name="Otto", email="otto@example.org")


def session() -> Create:
    create = partial(
        Session.objects.create,
        session_data="",
        expire_date=timezone.now() + timedelta(days=1),
    )
    create(session_key="first")
    return partial(create, session_key="second")


def membership() -> Create:
    campaign = make_campaign()
    make_organiser(campaign)
    return partial(
        Membership.objects.create,
        campaign=campaign,
        user=make_person(),
        role="analyst",
    )


def instructions() -> Create:
    fields = {
        "campaign": make_campaign(),
        "language": "en",
        "text": "Rank the outputs.",
    }
    Instructions.objects.create(version=1, demands_acceptance=True, **fields)
    return partial(
        Instructions.objects.create,
        version=2,
        demands_acceptance=False,
        **fields,
    )


def first_instructions() -> Create:
    return partial(
        Instructions.objects.create,
        campaign=make_campaign(),
        version=1,
        language="en",
        text="Rank the outputs.",
        demands_acceptance=True,
    )


breaks_by_fields(
    "campaign_shows_source_or_reference",
    campaign,
    {"show_source": False, "show_reference": False},
    accepted={"show_source": False},
)
breaks_by_fields(
    "user_email_unique_ignoring_case",
    user,
    {"email": "OLGA@example.org"},
    accepted={"email": None},
)
breaks_by_fields(
    "instructions_first_version_demands_acceptance",
    first_instructions,
    {"demands_acceptance": False},
    {"version": 0},
)


breaks_by_fields(
    "membership_daily_alerts_need_changing_role",
    membership,
    {"daily_alerts": True},
    accepted={"daily_alerts": True, "role": "organiser"},
)


@breaks("membership_leaves_an_owner")
def only_owner_leaves(attempt: Attempt) -> None:
    membership()()
    members = Membership.objects.all()
    with attempt.refuses(saying="members but no owner"):
        members.filter(role="owner").delete()
    with attempt.refuses():
        members.filter(role="owner").update(role="organiser")
    with attempt.refuses():
        members.filter(role="owner").update(campaign=make_campaign("elsewhere"))
    with attempt.refuses():
        Membership.objects.create(
            campaign=make_campaign("without"),
            user=make_person("w@example.org"),
            role="organiser",
        )
    with attempt.accepts():
        members.delete()
    with attempt.accepts():
        members.exclude(role="owner").delete()
    with attempt.accepts():
        members.filter(role="owner").update(role="organiser")
        members.filter(role="analyst").update(role="owner")


breaks_by_fields(
    "campaign_state_before_bin_iff_in_bin",
    campaign,
    {"state": "bin"},
    {"state": "open", "state_before_bin": "closed"},
    accepted={"state": "bin", "state_before_bin": "closed"},
)


@breaks("campaign_state_follows")
def a_closed_campaign_is_paused(attempt: Attempt) -> None:
    rows = Campaign.objects.filter(pk=make_campaign(state=CampaignState.CLOSED).pk)
    with attempt.refuses(saying="cannot change from closed to paused"):
        rows.update(state=CampaignState.PAUSED)
    with attempt.accepts():
        rows.update(state=CampaignState.ARCHIVED)
    rows.update(state=CampaignState.BIN)
    with attempt.refuses(saying="cannot change from bin to open"):
        rows.update(state=CampaignState.OPEN)
    with attempt.accepts():
        rows.update(state=CampaignState.CLOSED)


@breaks("campaign_rehearsal_immutable")
def a_campaign_becomes_a_rehearsal(attempt: Attempt) -> None:
    rehearsed, other = make_campaign(), make_campaign("other")
    with attempt.refuses(saying="Cannot update"):
        Campaign.objects.filter(pk=other.pk).update(rehearsal_of=rehearsed)
    with attempt.accepts():
        Campaign.objects.filter(pk=other.pk).update(name="Else")
