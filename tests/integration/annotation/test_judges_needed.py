"""How many judges a task takes at least is said before it opens, and where its design is chosen."""

import pytest
from django.db.models.functions import Now

from annotation.selectors.judges_needed import JudgesNeeded, judges_needed
from annotation.services.planning.designs import design_change
from annotation.services.simulation import lend_prepared
from campaign.models import Campaign, CampaignState, Judge, JudgeGroup, Protocol, Task
from campaign.services.campaigns import task_create
from tests.at_work import judge_all_of
from tests.factories import make_campaign, make_judge, make_task
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


@pytest.mark.thorough
@pytest.mark.parametrize(
    "protocol",
    [Protocol.RANKING, Protocol.TWO_OUTPUTS, Protocol.SPANS],
)
def test_repeats_of_a_block_go_to_different_judges(
    task: Task,
    protocol: Protocol,
) -> None:
    if protocol != Protocol.RANKING:
        task = task_create(test_set=task.test_set, protocol=protocol, by=None)
    design_change(task=task, redundancy=3)
    make_judge(task.test_set.campaign)
    needed, there, words = needed_by(task)
    assert (needed, there) == (3, 1)
    assert "Judges per block: 3." in words
    assert "at least 3 (available: 1)." in words
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
    assert "Judges needed in “linguists”: at least 2 (available: 1)." in words


def test_judges_needed_for_a_target_of_blocks(task: Task) -> None:
    Task.objects.filter(pk=task.pk).update(blocks_wanted=36)
    needed, _there, words = needed_by(task)
    assert needed == 3
    assert "Target: 36 blocks; at most 12 blocks per judge" in words
    # Some of these they may get again.
    design_change(task=task, intra_share=0.5)
    assert needed_by(task)[0] == 2
    Campaign.objects.update(blocks_per_judge=4)
    needed, _there, words = needed_by(task)
    assert needed == 9
    assert "at most 4 blocks per judge" in words
    # Somebody is asked for more than others.
    judge = make_judge(task.test_set.campaign)
    Judge.objects.filter(pk=judge.pk).update(blocks_asked=12)
    assert needed_by(task)[0] == 3


@pytest.mark.thorough
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


def test_a_sort_takes_judges_for_its_comparisons() -> None:
    task = make_task_of_protocol(
        Protocol.SORTING,
        rules={"judgments": 20, "most_of_a_judge": 5, "extension": 5},
    )
    systems = task.test_set.systems.filter(kind="system").count()
    segments = task.test_set.segments.count()
    found = of(task)
    assert found is not None
    # F(n) of Ford and Johnson: docs/protocols/sorting.md.
    most = {4: 5, 5: 7, 6: 10, 7: 13}[systems]
    assert found.needed == -(-most * 20 // segments)
    assert (
        f"Comparisons: at most {most} (systems: {systems}, judgments per comparison: 20)"
        in " ".join(found.words)
    )
    Task.objects.filter(pk=task.pk).update(rules={**task.rules, "most_of_a_judge": 1})
    needed, _there, words = needed_by(task)
    assert needed == 20
    assert "Judgments per comparison: 20, at most 1 of them from one judge." in words
