"""Links between judges, systems, invitations, groups and instructions stay within a campaign."""

from datetime import timedelta
from functools import partial

from django.utils import timezone

from annotation.models import Design
from campaign.models import (
    Acceptance,
    ConflictOfInterest,
    GroupMember,
    Invitation,
    JudgeGroup,
)
from campaign.services.instructions import instructions_write
from campaign.services.judges import conflict_declare, judge_create_with_user
from ranking.models import RankingSettings
from tests.factories import make_campaign, make_judge
from tests.integration.constraints.breakages import Attempt, Create, breaks
from tests.integration.constraints.worlds import small_task

NOW = timezone.now()
LATER = NOW + timedelta(days=1)


def link_for_anybody() -> Create:
    return partial(
        Invitation.objects.create,
        campaign=make_campaign(),
        role="judge",
        cap=2,
        token_hash=b"2" * 32,
        expires_at=LATER,
    )


@breaks("conflict_within_a_campaign")
def a_conflict_is_with_a_system_elsewhere(attempt: Attempt) -> None:
    there = small_task()
    system = there.test_set.systems.all()[0]
    stranger = make_judge(make_campaign("elsewhere"), "stranger")
    with attempt.refuses(saying="different campaigns"):
        ConflictOfInterest.objects.create(judge=stranger, system=system)
    with attempt.refuses(saying="different campaigns"):
        conflict_declare(judge=stranger, system=system)
    with attempt.accepts():
        judge = make_judge(there.test_set.campaign)
        ConflictOfInterest.objects.create(judge=judge, system=system)
    ConflictOfInterest.objects.create(
        judge=make_judge(there.test_set.campaign),
        system=system,
    )
    with attempt.refuses(saying="different campaigns"):
        ConflictOfInterest.objects.update(judge=stranger)


@breaks("judge_invitation_of_its_campaign")
def judge_joins_by_an_invitation_for_someone_else(attempt: Attempt) -> None:
    link = link_for_anybody()()
    assert isinstance(link, Invitation)
    elsewhere = make_campaign("elsewhere")
    member = make_judge(link.campaign, "member")
    theirs = Invitation.objects.create(
        campaign=link.campaign,
        user=member.user,
        role="judge",
        token_hash=b"8" * 32,
        expires_at=LATER,
    )
    for campaign, joined_by in ((elsewhere, link), (link.campaign, theirs)):
        with attempt.refuses(saying="cannot be used"):
            judge_create_with_user(
                campaign=campaign,
                joined_by=joined_by,
                joined_browser=b"6" * 32,
            )
    with attempt.accepts():
        judge_create_with_user(
            campaign=link.campaign,
            joined_by=link,
            joined_browser=b"6" * 32,
        )
        assert Invitation.objects.get(user=None).arrived == 1


@breaks("invitation_link_is_capped_or_to_results")
def link_to_results_names_a_user_or_has_a_cap(attempt: Attempt) -> None:
    link = link_for_anybody()
    member = make_judge(make_campaign("elsewhere")).user
    for fields in (
        {"user": member, "cap": None},
        {"cap": 2},
        {"cap": None, "arrived": 1},
    ):
        with attempt.refuses():
            link(role="results", **fields)
    with attempt.refuses():
        link(cap=None)
    with attempt.accepts():
        link(role="results", cap=None)


@breaks("group_member_within_a_campaign")
def a_judge_is_in_a_group_elsewhere(attempt: Attempt) -> None:
    judge = make_judge(make_campaign())
    there = JudgeGroup.objects.create(
        campaign=make_campaign("elsewhere"),
        name="experts",
    )
    gone = JudgeGroup.objects.create(
        campaign=judge.campaign,
        name="gone",
        removed_at=NOW,
    )
    here = JudgeGroup.objects.create(campaign=judge.campaign, name="experts")
    for group in (there, gone):
        with attempt.refuses(saying="different campaigns"):
            GroupMember.objects.create(judge=judge, group=group)
    with attempt.accepts():
        GroupMember.objects.create(judge=judge, group=here)


@breaks("design_group_of_its_campaign")
def a_design_is_for_a_group_elsewhere(attempt: Attempt) -> None:
    task = small_task()
    there = JudgeGroup.objects.create(
        campaign=make_campaign("elsewhere"),
        name="experts",
    )
    here = JudgeGroup.objects.create(campaign=task.test_set.campaign, name="experts")
    with attempt.refuses(saying="different campaigns"):
        Design.objects.create(task=task, seed=1, judge_group=there)
    with attempt.accepts():
        Design.objects.create(task=task, seed=1, judge_group=here)


@breaks("ranking_settings_group_of_its_campaign")
def a_ranking_is_of_a_group_elsewhere(attempt: Attempt) -> None:
    task = small_task()
    there = JudgeGroup.objects.create(
        campaign=make_campaign("elsewhere"),
        name="experts",
    )
    here = JudgeGroup.objects.create(campaign=task.test_set.campaign, name="experts")
    with attempt.refuses(saying="different campaigns"):
        RankingSettings.objects.create(task=task, judge_group=there)
    with attempt.accepts():
        RankingSettings.objects.create(task=task, judge_group=here)


@breaks("acceptance_within_a_campaign")
def instructions_of_another_campaign_are_accepted(attempt: Attempt) -> None:
    museum = make_campaign()
    written = instructions_write(
        campaign=museum,
        language="en",
        text="Rank the outputs.",
        demands_acceptance=True,
    )
    stranger = make_judge(make_campaign("elsewhere"), "stranger")
    with attempt.refuses(saying="different campaigns"):
        Acceptance.objects.create(judge=stranger, instructions=written)
    with attempt.accepts():
        Acceptance.objects.create(judge=make_judge(museum), instructions=written)
