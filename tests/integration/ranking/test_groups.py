"""Rankings of a group of judges: what they record, that they follow who is in it, and that they come again."""

import pytest

from campaign.models import Judge, JudgeGroup
from campaign.services.judge_groups import (
    judge_group_change,
    judge_group_create,
    judge_group_members_change,
)
from ranking.models import LatestRanking
from ranking.reports.range_choices import RangeChoiceError
from ranking.selectors.runs import due_tasks, judges_not_counted, ranking_is_due
from ranking.services.kept_rankings import latest_ranking_keep
from ranking.services.ranking_settings import ranking_settings_change
from ranking.services.reproduced_runs import ranking_run_reproduce
from ranking.services.runs import ranking_run_compute
from tests.factories import make_campaign
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db
SYSTEMS = ("A", "B", "C")


@pytest.fixture
def writer() -> TestSetWriter:
    writer = TestSetWriter(make_campaign(), "small", SYSTEMS)
    with writer.at_once():
        for judge, labels in (("j1", [1, 2, 3]), ("j2", [1, 3, 2]), ("j3", [3, 2, 1])):
            for segment in range(1, 5):
                writer.judgment(judge, writer.block(segment, SYSTEMS), labels)
    return writer


@pytest.fixture
def group(writer: TestSetWriter) -> JudgeGroup:
    group = judge_group_create(campaign=writer.campaign, name="experts")
    judge_group_members_change(group=group, add=list(judges("j1", "j2")))
    return group


def judges(*pseudonyms: str) -> list[Judge]:
    return list(Judge.objects.filter(pseudonym__in=pseudonyms))


@pytest.mark.thorough
def test_only_judges_of_the_group_count_and_the_run_says_so(
    writer: TestSetWriter,
    group: JudgeGroup,
) -> None:
    task = writer.task
    of_all = ranking_run_compute(task_id=task.pk)
    assert of_all is not None
    assert "judge_group" not in of_all.parameters
    ranking_settings_change(task=task, judge_group=group, reason="Asked.")
    assert due_tasks() == [task.pk]
    assert ranking_is_due(task_id=task.pk)
    run = ranking_run_compute(task_id=task.pk)
    assert run is not None
    assert run.parameters["judge_group"] == {"name": "experts", "others": ["j3"]}
    assert (of_all.result["input"]["judges"], run.result["input"]["judges"]) == (3, 2)
    assert due_tasks() == []
    assert not ranking_is_due(task_id=task.pk)
    # Who joins the group counts from then on; the earlier run comes again all the same.
    kept = latest_ranking_keep(task_id=task.pk)
    assert kept is not None
    judge_group_members_change(group=group, add=judges("j3"), remove=judges("j1"))
    judge_group_change(group=group, name="others", blocks_asked=None)
    assert due_tasks() == [task.pk]
    later = ranking_run_compute(task_id=task.pk)
    assert later is not None
    assert later.parameters["judge_group"] == {"name": "others", "others": ["j1"]}
    assert ranking_run_reproduce(kept) == kept.result
    assert ranking_run_reproduce(of_all) == of_all.result
    ranking_settings_change(task=task, judge_group=None, reason="Asked.")
    again = ranking_run_compute(task_id=task.pk)
    assert again is not None
    assert again.result == of_all.result
    assert again.parameters == of_all.parameters


def test_a_judge_outside_who_begins_is_left_out_at_once(
    writer: TestSetWriter,
    group: JudgeGroup,
) -> None:
    ranking_settings_change(task=writer.task, judge_group=group, reason="Asked.")
    first = ranking_run_compute(task_id=writer.task.pk)
    writer.judgment("j4", writer.block(5, SYSTEMS), [3, 2, 1])
    second = ranking_run_compute(task_id=writer.task.pk)
    assert first is not None
    assert second is not None
    assert second.parameters["judge_group"]["others"] == ["j3", "j4"]
    assert second.result["systems"] == first.result["systems"]
    assert judges_not_counted(LatestRanking.objects.get().parameters) == ["j3", "j4"]


def test_a_ranking_of_a_group_without_judges_says_nothing_wrong(
    writer: TestSetWriter,
) -> None:
    empty = judge_group_create(campaign=writer.campaign, name="empty")
    ranking_settings_change(task=writer.task, judge_group=empty, reason="Asked.")
    run = ranking_run_compute(task_id=writer.task.pk)
    assert run is not None
    assert run.result["input"]["judges"] == 0


def test_a_group_elsewhere_is_refused(writer: TestSetWriter) -> None:
    there = judge_group_create(campaign=make_campaign("elsewhere"), name="experts")
    with pytest.raises(RangeChoiceError) as refused:
        ranking_settings_change(task=writer.task, judge_group=there, reason="Asked.")
    assert refused.value.field == "judge_group"
