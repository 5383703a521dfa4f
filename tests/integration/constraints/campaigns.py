"""Campaigns, who runs them, and what they tell their judges."""

from datetime import timedelta
from functools import partial

from django.utils import timezone

from campaign.models import (
    Acceptance,
    Campaign,
    Instructions,
    Membership,
    Session,
    SignInCount,
    User,
)
from campaign.services import instructions_accept, instructions_write
from tests.factories import make_campaign, make_judge
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
from tests.integration.constraints.worlds import make_person


def campaign() -> Create:
    make_campaign("museum")
    return partial(Campaign.objects.create, slug="theatre", name="Theatre")


def user() -> Create:
    make_person("olga@example.org")
    return partial(User.objects.create, name="Otto", email="otto@example.org")


def session() -> Create:
    create = partial(
        Session.objects.create, session_data="", expire_date=timezone.now() + timedelta(days=1)
    )
    create(session_key="first")
    return partial(create, session_key="second")


def sign_in_count() -> Create:
    create = partial(SignInCount.objects.create, value="", expires=timezone.now())
    create(cache_key="first")
    return partial(create, cache_key="second")


def membership() -> Create:
    return partial(
        Membership.objects.create, campaign=make_campaign(), user=make_person(), role="researcher"
    )


def instructions() -> Create:
    fields = {"campaign": make_campaign(), "language": "en", "text": "Rank the outputs."}
    Instructions.objects.create(version=1, demands_acceptance=True, **fields)
    return partial(Instructions.objects.create, version=2, demands_acceptance=False, **fields)


def first_instructions() -> Create:
    return partial(
        Instructions.objects.create,
        campaign=make_campaign(),
        version=1,
        language="en",
        text="Rank the outputs.",
        demands_acceptance=True,
    )


breaks_by_fields("campaign.Campaign.slug", campaign, {"slug": "museum"})
breaks_by_fields(
    "campaign_lease_is_positive", campaign, {"lease_minutes": 0}, accepted={"lease_minutes": 1}
)
breaks_by_fields(
    "campaign_blocks_per_judge_positive",
    campaign,
    {"blocks_per_judge": 0},
    accepted={"blocks_per_judge": 1},
)
breaks_by_fields(
    "campaign_shows_source_or_reference",
    campaign,
    {"show_source": False, "show_reference": False},
    accepted={"show_source": False},
)
breaks_by_fields("campaign.User.email", user, {"email": "olga@example.org"})
breaks_by_fields(
    "user_email_unique_whatever_its_case",
    user,
    {"email": "OLGA@example.org"},
    accepted={"email": None},
)
breaks_by_fields("campaign.Session.session_key", session, {"session_key": "first"})
breaks_by_fields("campaign.SignInCount.cache_key", sign_in_count, {"cache_key": "first"})
breaks_by_fields(
    "membership_role_is_known", membership, {"role": "king"}, accepted={"role": "organiser"}
)
breaks_by_fields(
    "instructions_version_unique_in_campaign",
    instructions,
    # In whatever language: versions are numbered over all.
    {"version": 1, "demands_acceptance": True, "language": "de"},
)
breaks_by_fields("instructions_not_empty", instructions, {"text": ""})
breaks_by_fields(
    "instructions_first_version_demands_acceptance",
    first_instructions,
    {"demands_acceptance": False},
    {"version": 0},
)


@breaks("membership_once_per_user_and_campaign")
def a_user_is_an_organiser_and_a_researcher(attempt: Attempt) -> None:
    create = membership()
    create(role="organiser")
    with attempt.refuses():
        create()
    with attempt.accepts():
        create(user=make_person())
    with attempt.accepts():
        create(campaign=make_campaign("elsewhere"))


@breaks("instructions_never_change")
def instructions_are_reworded(attempt: Attempt) -> None:
    instructions()
    with attempt.refuses(saying="Cannot update"):
        Instructions.objects.update(text="Rank them well.")
    # They go with their campaign.
    with attempt.accepts():
        Instructions.objects.all().delete()


@breaks("acceptance_once_per_judge_and_version")
def a_version_is_accepted_twice(attempt: Attempt) -> None:
    accepted = make_acceptance()
    later = instructions_write(
        campaign=accepted.judge.campaign, language="en", text="Again.", demands_acceptance=True
    )
    with attempt.refuses():
        Acceptance.objects.create(judge=accepted.judge, instructions=accepted.instructions)
    with attempt.accepts():
        Acceptance.objects.create(judge=accepted.judge, instructions=later)


@breaks("acceptance_append_only")
def an_acceptance_is_dated_back_or_deleted(attempt: Attempt) -> None:
    with attempt.accepts():
        make_acceptance()
    make_acceptance()
    with attempt.refuses(saying="Cannot update or delete"):
        Acceptance.objects.update(accepted_at=timezone.now() - timedelta(days=9))
    with attempt.refuses(saying="Cannot update or delete"):
        Acceptance.objects.all().delete()


@breaks("acceptance_within_a_campaign")
def instructions_of_another_campaign_are_accepted(attempt: Attempt) -> None:
    accepted = make_acceptance()
    stranger = make_judge(make_campaign("elsewhere"), "stranger")
    with attempt.refuses(saying="of two campaigns"):
        Acceptance.objects.create(judge=stranger, instructions=accepted.instructions)
    with attempt.accepts():
        Acceptance.objects.create(
            judge=make_judge(accepted.judge.campaign, "judge02"),
            instructions=accepted.instructions,
        )


def make_acceptance() -> Acceptance:
    museum = make_campaign()
    written = instructions_write(
        campaign=museum, language="en", text="Rank the outputs.", demands_acceptance=True
    )
    return instructions_accept(judge=make_judge(museum), instructions=written)
