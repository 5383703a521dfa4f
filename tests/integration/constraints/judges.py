"""Judges, the links they come by, the mails that bring them, and where their browsers were seen."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

from django.utils import timezone

from annotation.models import Design
from campaign.models import (
    BrowserVisit,
    ConflictOfInterest,
    GroupMember,
    Invitation,
    InvitationMail,
    Judge,
    JudgeGroup,
    LinkRedemption,
    User,
)
from campaign.services import conflict_declare
from ranking.models import RankingSettings
from tests.factories import make_campaign, make_judge
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
from tests.integration.constraints.worlds import small_task

NOW = timezone.now()
LATER = NOW + timedelta(days=1)


def judge() -> Create:
    museum = make_campaign()
    make_judge(museum, "judge01")
    user = User.objects.create_user(name="Otto")
    return partial(Judge.objects.create, campaign=museum, user=user, pseudonym="judge02")


def listed_judge() -> Create:
    create = judge()
    create(address="ada@example.org")
    user = User.objects.create_user(name="Bob")
    return partial(create, user=user, pseudonym="judge03")


def group() -> Create:
    museum = make_campaign()
    JudgeGroup.objects.create(campaign=museum, name="experts")
    return partial(JudgeGroup.objects.create, campaign=museum, name="panel")


def own_link() -> Create:
    judge = make_judge(make_campaign())
    return partial(
        Invitation.objects.create,
        campaign=judge.campaign,
        user=judge.user,
        role="judge",
        token_hash=b"1" * 32,
        expires_at=LATER,
    )


def link_for_anybody() -> Create:
    return partial(
        Invitation.objects.create,
        campaign=make_campaign(),
        role="judge",
        cap=2,
        token_hash=b"2" * 32,
        expires_at=LATER,
    )


def sighting() -> Create:
    return partial(
        BrowserVisit.objects.create,
        judge=make_judge(make_campaign()),
        at_work=False,
        browser=b"3" * 32,
        device="Firefox, Linux",
    )


def sighting_of_a_link() -> Create:
    own_link()()
    return partial(
        BrowserVisit.objects.create,
        judge=Judge.objects.get(),
        invitation=Invitation.objects.get(),
        at_work=False,
        browser=b"3" * 32,
    )


def mail() -> Create:
    museum = make_campaign()
    fields = {"campaign": museum, "language": "en", "base_url": "https://quintet.example.org"}
    InvitationMail.objects.create(
        judge=make_judge(museum, "judge01"), address="a@example.org", **fields
    )
    return partial(
        InvitationMail.objects.create,
        judge=make_judge(museum, "judge02"),
        address="b@example.org",
        **fields,
    )


breaks_by_fields(
    "judge_address_unique_in_campaign",
    listed_judge,
    {"address": "ADA@example.org"},
    accepted={"address": "bob@example.org"},
)
breaks_by_fields("judge_group_name_unique_in_campaign", group, {"name": "EXPERTS"})
breaks_by_fields(
    "judge_is_a_person_exactly_if_a_user",
    judge,
    {"user": None},
    {"origin": "simulated"},
    {"origin": "imported"},
    {"origin": "robot", "user": None},
    accepted={"origin": "simulated", "user": None},
)
breaks_by_fields(
    "judge_left_the_tour_at_a_time",
    judge,
    {"tour": "done"},
    {"tour_left_at": NOW},
    {"tour": "lost", "tour_left_at": NOW},
    accepted={"tour": "skipped", "tour_left_at": NOW},
)
breaks_by_fields(
    "invitation_for_anybody_is_for_judges_and_capped",
    link_for_anybody,
    {"cap": None},
    {"cap": 0},
    {"role": "organiser"},
)
breaks_by_fields(
    "invitation_brings_in_no_more_than_its_cap",
    link_for_anybody,
    {"arrived": 3},
    accepted={"arrived": 2},
)
breaks_by_fields(
    "invitation_accepted_is_no_judges",
    own_link,
    {"accepted_at": NOW},
    accepted={"accepted_at": NOW, "role": "analyst"},
)
breaks_by_fields(
    "browser_visit_opens_a_link_or_is_at_work",
    sighting_of_a_link,
    {"at_work": True},
    accepted={"at_work": True, "invitation": None},
)
breaks_by_fields(
    "browser_visit_forgotten_is_an_opening",
    sighting,
    {"browser": None},
    {"browser": None, "at_work": True, "device": ""},
    accepted={"browser": None, "device": ""},
)
breaks_by_fields(
    "invitation_mail_has_a_time_exactly_if_sent",
    mail,
    {"state": "sent"},
    {"sent_at": NOW},
    accepted={"state": "sent", "sent_at": NOW},
)


@breaks("invitation_mail_is_to_a_judge_or_a_member")
def a_mail_is_to_nobody_or_to_both(attempt: Attempt) -> None:
    create, user = mail(), User.objects.create_user(name="Ann", email="b@example.org")
    with attempt.refuses():
        create(judge=None)
    with attempt.refuses():
        create(user=user)
    with attempt.accepts():
        create(judge=None, user=user)


@breaks("invitation_mail_one_in_force_per_campaign_and_user")
def a_member_to_be_is_written_to_twice(attempt: Attempt) -> None:
    user = User.objects.create_user(name="Ann", email="b@example.org")
    create = partial(mail(), judge=None, user=user)
    create()
    with attempt.refuses():
        create(address="other@example.org")
    with attempt.accepts():
        create(withdrawn_at=NOW)
    with attempt.accepts():
        create(campaign=make_campaign("elsewhere"))


@breaks("invitation_mail_one_in_force_per_campaign_and_address")
def an_address_is_written_to_twice(attempt: Attempt) -> None:
    create = mail()
    with attempt.accepts():
        ann = User.objects.create_user(name="Ann", email="a@example.org")
        create(judge=None, user=ann, address="a@example.org")
    for address in ("a@example.org", "A@Example.org"):
        with attempt.refuses():
            create(address=address)
        with attempt.accepts():
            create(address=address, withdrawn_at=NOW)
        with attempt.accepts():
            create(address=address, campaign=make_campaign("elsewhere"))


@breaks("conflict_within_a_campaign")
def a_conflict_is_with_a_system_elsewhere(attempt: Attempt) -> None:
    there = small_task()
    system = there.test_set.systems.all()[0]
    stranger = make_judge(make_campaign("elsewhere"), "stranger")
    with attempt.refuses(saying="of two campaigns"):
        ConflictOfInterest.objects.create(judge=stranger, system=system)
    with attempt.refuses(saying="of two campaigns"):
        conflict_declare(judge=stranger, system=system)
    with attempt.accepts():
        judge = make_judge(there.test_set.campaign)
        ConflictOfInterest.objects.create(judge=judge, system=system)
    ConflictOfInterest.objects.create(judge=make_judge(there.test_set.campaign), system=system)
    with attempt.refuses(saying="of two campaigns"):
        ConflictOfInterest.objects.update(judge=stranger)


@breaks("link_redemption_by_a_link_of_the_campaign")
def somebody_comes_by_a_link_that_is_not_for_them(attempt: Attempt) -> None:
    arrive = arrivals()
    stranger = make_judge(make_campaign("elsewhere"), "stranger")
    theirs = Invitation.objects.create(
        campaign=stranger.campaign,
        user=stranger.user,
        role="judge",
        token_hash=b"8" * 32,
        expires_at=LATER,
    )
    with attempt.refuses(saying="brings nobody in"):
        arrive("stranger", b"6" * 32)
    with attempt.refuses(saying="brings nobody in"):
        LinkRedemption.objects.create(invitation=theirs, judge=stranger, browser=b"6" * 32)
    with attempt.accepts():
        arrive("judge01", b"6" * 32)
        assert Invitation.objects.get(user=None).arrived == 1


def arrivals() -> Callable[[str, bytes], LinkRedemption]:
    """Return what brings in one of two judges by a link for anybody."""
    link_for_anybody()()
    link = Invitation.objects.get()
    for pseudonym in ("judge01", "judge02"):
        make_judge(link.campaign, pseudonym)

    def arrive(pseudonym: str, browser: bytes) -> LinkRedemption:
        judge = Judge.objects.get(pseudonym=pseudonym)
        return LinkRedemption.objects.create(invitation=link, judge=judge, browser=browser)

    return arrive


@breaks("group_member_within_a_campaign")
def a_judge_is_in_a_group_elsewhere(attempt: Attempt) -> None:
    judge = make_judge(make_campaign())
    there = JudgeGroup.objects.create(campaign=make_campaign("elsewhere"), name="experts")
    gone = JudgeGroup.objects.create(campaign=judge.campaign, name="gone", removed_at=NOW)
    here = JudgeGroup.objects.create(campaign=judge.campaign, name="experts")
    for group in (there, gone):
        with attempt.refuses(saying="of two campaigns"):
            GroupMember.objects.create(judge=judge, group=group)
    with attempt.accepts():
        GroupMember.objects.create(judge=judge, group=here)


@breaks("design_is_for_a_group_of_its_campaign")
def a_design_is_for_a_group_elsewhere(attempt: Attempt) -> None:
    task = small_task()
    there = JudgeGroup.objects.create(campaign=make_campaign("elsewhere"), name="experts")
    here = JudgeGroup.objects.create(campaign=task.test_set.campaign, name="experts")
    with attempt.refuses(saying="of two campaigns"):
        Design.objects.create(task=task, seed=1, judge_group=there)
    with attempt.accepts():
        Design.objects.create(task=task, seed=1, judge_group=here)


@breaks("ranking_is_of_a_group_of_its_campaign")
def a_ranking_is_of_a_group_elsewhere(attempt: Attempt) -> None:
    task = small_task()
    there = JudgeGroup.objects.create(campaign=make_campaign("elsewhere"), name="experts")
    here = JudgeGroup.objects.create(campaign=task.test_set.campaign, name="experts")
    with attempt.refuses(saying="of two campaigns"):
        RankingSettings.objects.create(task=task, judge_group=there)
    with attempt.accepts():
        RankingSettings.objects.create(task=task, judge_group=here)
