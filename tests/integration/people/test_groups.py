"""Groups of judges: what they are, whom a design for one lends to, and what their limit changes."""

import pytest

from annotation.models import Design
from annotation.selectors import pool
from annotation.selectors.effects import group_only_in_words, judge_change_in_words
from annotation.selectors.progress import judge_work
from annotation.services.lending.lend import assignment_lend
from annotation.services.planning.designs import design_change
from campaign.models import GroupMember, Judge, Task
from campaign.services.judge_groups import (
    JudgeGroupRefusedError,
    judge_group_change,
    judge_group_create,
    judge_group_members_change,
)
from campaign.services.judges import (
    JudgeChanges,
    judge_change,
)
from tests.factories import make_campaign, make_judge

pytestmark = pytest.mark.django_db


def test_a_group_has_a_name_of_its_own_whatever_its_case(task: Task) -> None:
    campaign = task.test_set.campaign
    experts = judge_group_create(campaign=campaign, name="  Expérts ")
    assert experts.name == "Expérts"
    with pytest.raises(JudgeGroupRefusedError):
        judge_group_create(campaign=campaign, name="EXPÉRTS")
    judge_group_create(campaign=make_campaign("elsewhere"), name="Expérts")
    for name in ("", "  ", "a" * 61, "one, two"):
        with pytest.raises(JudgeGroupRefusedError):
            judge_group_create(campaign=campaign, name=name)
    panel = judge_group_create(campaign=campaign, name="panel")
    with pytest.raises(JudgeGroupRefusedError):
        judge_group_change(group=panel, name="expérts", blocks_asked=None)
    with pytest.raises(JudgeGroupRefusedError) as refused:
        judge_group_change(group=panel, name="panel", blocks_asked=0)
    assert refused.value.field == "blocks_asked"


def test_judges_are_put_into_a_group_and_taken_out_at_once(task: Task) -> None:
    group = judge_group_create(campaign=task.test_set.campaign, name="experts")
    judges = [make_judge(task.test_set.campaign, f"judge{each}") for each in range(3)]
    assert judge_group_members_change(group=group, add=judges[:2]) == (2, 0)
    assert judge_group_members_change(group=group, add=judges[1:]) == (1, 0)
    assert judge_group_members_change(group=group, remove=judges[:2]) == (0, 2)
    assert [each.judge for each in GroupMember.objects.all()] == judges[2:]


def test_a_design_for_a_group_lends_to_its_judges_alone(task: Task) -> None:
    group = judge_group_create(campaign=task.test_set.campaign, name="experts")
    inside, outside = (
        make_judge(task.test_set.campaign, name) for name in ("in", "out")
    )
    judge_group_members_change(group=group, add=[inside])
    held = assignment_lend(judge=outside)
    assert held is not None
    design_change(task=task, judge_group=group)
    # What is held may be finished; nothing more is lent.
    again = assignment_lend(judge=outside)
    assert again is not None
    assert again.assignment == held.assignment
    assert assignment_lend(judge=outside, after=held.assignment.public_id) is None
    assert assignment_lend(judge=inside) is not None
    assert not pool.tasks_open_to_judge(outside)
    assert [each.pk for each in pool.tasks_open_to_judge(inside)] == [task.pk]
    said = group_only_in_words(task=task, group=group)
    assert "1 judge in “experts”" in said[0]
    assert any("at work" in each for each in said)
    # The restriction is a row of its own, and a later design may lift it.
    assert Design.objects.latest("pk").judge_group == group
    design_change(task=task, judge_group=None)
    assert assignment_lend(judge=outside, after=held.assignment.public_id) is not None


def test_the_limit_of_a_group_stands_before_that_of_the_campaign(task: Task) -> None:
    campaign = task.test_set.campaign
    campaign.blocks_per_judge = 30
    campaign.save()
    judge = make_judge(campaign)
    few = judge_group_create(campaign=campaign, name="few", blocks_asked=6)
    many = judge_group_create(campaign=campaign, name="many", blocks_asked=60)
    none = judge_group_create(campaign=campaign, name="none said")
    assert judge_work(judge).quota == 30
    judge_group_members_change(group=none, add=[judge])
    assert judge_work(judge).quota == 30
    judge_group_members_change(group=few, add=[judge])
    assert judge_work(judge).quota == 6
    judge_group_members_change(group=many, add=[judge])
    assert judge_work(judge).quota == 60
    Judge.objects.update(blocks_asked=3)
    assert judge_work(judge).quota == 3


def test_a_change_of_a_judge_says_what_it_does_to_their_work(task: Task) -> None:
    judge = make_judge(task.test_set.campaign, languages=["en", "de"])
    lent = assignment_lend(judge=judge)
    assert lent is not None
    systems = list(task.test_set.systems.filter(pk__in=lent.assignment.hit.system_ids))
    said = judge_change_in_words(
        judge=judge,
        change=lambda: judge_change(
            judge=judge,
            changes=JudgeChanges(conflicts=systems[:1]),
        ),
    )
    assert said == ["3 items in hand go to other judges."]
    said = judge_change_in_words(
        judge=judge,
        change=lambda: judge_change(
            judge=judge,
            changes=JudgeChanges(languages=["fr"]),
        ),
    )
    assert said == [
        f"No new items from {task.test_set.name}; those in hand can be finished.",
    ]
    judge.refresh_from_db()
    assert judge.languages == ["en", "de"]
    assert not judge.conflicts.exists()
    group = judge_group_create(
        campaign=task.test_set.campaign,
        name="few",
        blocks_asked=6,
    )
    said = judge_change_in_words(
        judge=judge,
        change=lambda: judge_change(judge=judge, changes=JudgeChanges(groups=[group])),
    )
    assert said == ["Target: 6 blocks in total (now ∞)."]
    assert judge_change_in_words(judge=judge, change=lambda: None) == []
