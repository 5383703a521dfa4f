"""How many judges a task takes at least is said before it opens, and where its design is chosen."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from annotation.selectors.judges_needed import JudgesNeeded, judges_needed
from annotation.selectors.state_effects import state_effects
from annotation.services import design_change, hits_plan
from annotation.services.simulation import lend_prepared
from campaign.models import Campaign, CampaignState, Judge, JudgeGroup, Protocol, Task, Transition
from campaign.services import task_create
from ranking.pages.preparation import StepState, steps_of
from ranking.selectors.preparation import preparation
from tests.at_work import judge_all_of
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.protocol_tasks import make_task_of_protocol

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    """Twelve segments, five-way."""
    return make_task(make_campaign(), documents=(6, 6), planned=0)


def of(task: Task) -> JudgesNeeded | None:
    """Return what the task needs, as it is now."""
    found = judges_needed([Task.objects.get(pk=task.pk)])
    return found[0] if found else None


def needed_by(task: Task) -> tuple[int, int, str]:
    found = of(task)
    assert found is not None
    return found.needed, found.there, " ".join(found.words)


def test_of_a_task_that_one_judge_can_finish_nothing_is_said(task: Task) -> None:
    assert of(task) is None
    design_change(task=task, segments_per_hit=3, intra_share=0.2)
    assert of(task) is None


@pytest.mark.parametrize("protocol", [Protocol.RANKING, Protocol.TWO_OUTPUTS, Protocol.SPANS])
def test_each_block_is_for_different_judges(task: Task, protocol: Protocol) -> None:
    if protocol != Protocol.RANKING:
        task = task_create(test_set=task.test_set, protocol=protocol, by=None)
    design_change(task=task, redundancy=3)
    make_judge(task.test_set.campaign)
    needed, there, words = needed_by(task)
    assert (needed, there) == (3, 1)
    assert "Each block is for 3 different judges." in words
    assert "at least 3; there are now: 1." in words
    assert "Invite more" in words
    design_change(task=task, inter_share=0.1)
    assert needed_by(task)[0] == 4
    for number in range(2, 5):
        make_judge(task.test_set.campaign, f"judge{number:02}")
    found = of(task)
    assert found is not None
    assert (found.needed, found.there, found.is_feasible) == (4, 4, True)
    assert "Invite more" not in " ".join(found.words)
    Judge.objects.filter(pseudonym="judge02").update(withdrawn_at=Now())
    found = of(task)
    assert found is not None
    assert (found.there, found.is_feasible) == (3, False)


def test_judges_who_may_not_be_lent_it_do_not_count(task: Task) -> None:
    campaign = task.test_set.campaign
    group = JudgeGroup.objects.create(campaign=campaign, name="linguists")
    for number in range(4):
        make_judge(campaign, f"judge{number:02}")
    inside = make_judge(campaign, "inside")
    group.members.create(judge=inside)
    design_change(task=task, redundancy=2)
    assert needed_by(task)[1] == 5
    Judge.objects.filter(pseudonym="judge00").update(languages=["fr"])
    assert needed_by(task)[1] == 4
    design_change(task=task, judge_group=group)
    needed, there, words = needed_by(task)
    assert (needed, there) == (2, 1)
    assert "Judges of “linguists” needed: at least 2; there are now: 1." in words


def test_as_many_blocks_as_are_wanted(task: Task) -> None:
    Task.objects.filter(pk=task.pk).update(blocks_wanted=36)
    needed, _there, words = needed_by(task)
    assert needed == 3
    assert "Blocks wanted: 36; blocks that a judge gets: at most 12" in words
    # Some of these they may get again.
    design_change(task=task, intra_share=0.5)
    assert needed_by(task)[0] == 2
    Campaign.objects.update(blocks_per_judge=4)
    needed, _there, words = needed_by(task)
    assert needed == 9
    assert "blocks asked of a judge: at most 4" in words
    # Somebody is asked for more than others.
    judge = make_judge(task.test_set.campaign)
    Judge.objects.filter(pk=judge.pk).update(blocks_asked=12)
    assert needed_by(task)[0] == 3


def test_fewer_judges_than_are_needed_do_not_finish_it(task: Task) -> None:
    """The bound is no guess: with one judge fewer blocks are left, with as many none is."""
    design_change(task=task, segments_per_hit=3)
    Task.objects.filter(pk=task.pk).update(blocks_wanted=24)
    needed = needed_by(task)[0]
    assert needed == 2
    campaign = task.test_set.campaign
    Campaign.objects.update(state=CampaignState.OPEN)
    done = 0
    for number in range(needed):
        judge = make_judge(campaign, f"judge{number:02}")
        for _hit in range(9):
            lent = lend_prepared(judge)
            if lent is None:
                break
            done += len(lent.assignment.hit.segment_ids)
            judge_all_of(lent.assignment)
        assert done == 12 * (number + 1)
    assert done == 24


def test_edits_are_judged_by_others(task: Task) -> None:
    edits = task_create(test_set=task.test_set, protocol=Protocol.EDITING, by=None)
    needed, _there, words = needed_by(edits)
    assert needed == 3
    assert "Others judge what a judge says of a block: 3 judges for each block" in words


def test_a_sort_takes_judges_for_its_comparisons() -> None:
    task = make_task_of_protocol(
        Protocol.SORTING, rules={"judgments": 20, "most_of_a_judge": 5, "extension": 5}
    )
    systems = task.test_set.systems.filter(kind="system").count()
    segments = task.test_set.segments.count()
    found = of(task)
    assert found is not None
    # F(n) of Ford and Johnson: docs/protocols.md.
    most = {4: 5, 5: 7, 6: 10, 7: 13}[systems]
    assert found.needed == -(-most * 20 // segments)
    assert (
        f"at most {most} comparisons (systems: {systems}; judgments of each comparison: 20)"
        in " ".join(found.words)
    )
    Task.objects.filter(pk=task.pk).update(rules={**task.rules, "most_of_a_judge": 1})
    needed, _there, words = needed_by(task)
    assert needed == 20
    assert "Judgments of a comparison: 20; of these from one judge: at most 1." in words


def test_it_is_said_before_opening_and_where_designs_are_chosen(client: Client) -> None:
    campaign = make_campaign(state=CampaignState.DRAFT)
    task = make_task(campaign, documents=(6, 6), planned=0)
    make_judge(campaign)
    client.force_login(make_organiser(campaign))
    said = StringIO()
    call_command(
        "change_design",
        f"--campaign={campaign.slug}",
        f"--test-set={task.test_set.name}",
        "--redundancy=3",
        stdout=said,
    )
    words = "Each block is for 3 different judges."
    assert words in said.getvalue()
    # The opening, by page, command and REST.
    assert words in " ".join(state_effects(campaign=campaign, transition=Transition.OPEN).facts)
    step = next(
        step for step in steps_of(campaign, preparation(campaign=campaign)) if step.name == "People"
    )
    assert step.state == StepState.WRONG
    assert words in " ".join(step.said)
    said = StringIO()
    with pytest.raises(CommandError, match="add --yes"):
        call_command("campaign_state", campaign.slug, "open", stdout=said)
    assert words in said.getvalue()
    answer = client.post(
        f"/api/v1/campaigns/{campaign.slug}/open/",
        {"dry_run": True},
        content_type="application/json",
    ).json()
    assert answer["judges_needed"] == [
        {
            "task": task.pk,
            "needed": 3,
            "there": 1,
            "group": "",
            "is_feasible": False,
            "words": of_words(task),
        }
    ]
    # The page of the design, as it is and as it is to be.
    page = reverse("design", args=[campaign.slug, task.pk])
    assert words in client.get(page).content.decode()
    hits_plan(task_id=task.pk, count=1)
    body: dict[str, Any] = {"redundancy": 4}
    refused = client.post(
        f"/api/v1/tasks/{task.pk}/designs/", body, content_type="application/json"
    )
    assert refused.status_code == 409
    assert any("Each block is for 4 different judges." in each for each in refused.json()["words"])


def of_words(task: Task) -> list[str]:
    found = of(task)
    assert found is not None
    return found.words


def test_more_tasks_take_no_more_queries(task: Task, django_assert_max_num_queries: Any) -> None:
    campaign = task.test_set.campaign
    tasks = [
        task,
        *(
            make_task(campaign, name=f"set {number}", documents=(2,), planned=0)
            for number in range(8)
        ),
    ]
    for each in tasks:
        design_change(task=each, redundancy=2)
    named = list(Task.objects.of(campaign).named())
    with django_assert_max_num_queries(4):
        assert len(judges_needed(named)) == len(tasks)
