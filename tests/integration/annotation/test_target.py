"""The target of a task is met by blocks that rankings count, not by planned ones."""

from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.models import (
    HIT,
    HITSequence,
    JudgeTally,
    JudgmentNumber,
    QualityAction,
    QualityActionKind,
)
from annotation.selectors.hits import plans_read
from annotation.selectors.judges_needed import judges_needed
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.panels import has_work
from annotation.services.numbers import judgments_number
from annotation.services.planning.pool import pool_fill
from annotation.services.quality import (
    JudgeDecision,
    quality_action_revert,
    quality_action_take,
)
from annotation.services.submission import skip_submit
from campaign.models import Judge, Task, User
from campaign.services.judge_groups import (
    judge_group_create,
    judge_group_members_change,
)
from desk.selectors.alerts import alerts_of_campaigns
from ranking.selectors.dashboards import judging_progress, task_overview, work_facts
from ranking.services.ranking_settings import ranking_settings_change
from ranking.services.runs import ranking_run_compute
from tests.at_work import judge_one_hit, lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.recruiting import make_panel
from tests.redrawn_hits import hit_redraw

pytestmark = pytest.mark.django_db


def judge_everything(judge: Judge) -> None:
    """Judge HITs until none is left."""
    while judge_one_hit(judge) is not None:
        pass


def exclude(judge: Judge, task: Task) -> tuple[QualityAction, User]:
    """Exclude a judge from rankings, and return the action with its organiser."""
    user = make_organiser(task.test_set.campaign, email=f"{uuid4()}@example.org")
    action = quality_action_take(
        judge=judge,
        task=task,
        decision=JudgeDecision(action=QualityActionKind.EXCLUDE, user=user),
    )
    return action, user


def test_blocks_of_excluded_judge_are_planned_again_until_action_is_reverted() -> None:
    task = make_task(make_campaign(), blocks_wanted=10, planned=0)
    ada = make_judge(task.test_set.campaign, "ada")
    pool_fill(task_id=task.pk)
    judge_one_hit(ada)
    judged = JudgmentNumber.objects.count()
    assert judged
    assert pool_fill(task_id=task.pk) == 0
    action, user = exclude(ada, task)
    pool_fill(task_id=task.pk)
    planned = HITSequence.objects.get().blocks_planned
    assert planned - judged >= 10
    quality_action_revert(action=action, user=user)
    assert pool_fill(task_id=task.pk) == 0


def test_skipped_block_is_planned_again() -> None:
    task = make_task(make_campaign(), blocks_wanted=10, planned=0)
    pool_fill(task_id=task.pk)
    planned = HITSequence.objects.get().blocks_planned
    for block in assigned_blocks(lend(make_judge(task.test_set.campaign))):
        skip_submit(assigned=block, client_id=uuid4(), reason="other")
    judgments_number(task_id=task.pk)
    assert pool_fill(task_id=task.pk) > 0
    assert HITSequence.objects.get().blocks_planned > planned


def test_imported_blocks_are_not_planned_again() -> None:
    task = make_task(make_campaign(), blocks_wanted=10, planned=0)
    judge = make_judge(task.test_set.campaign, "file", origin=Judge.Origin.IMPORTED)
    JudgeTally.objects.create(task=task, judge=judge, judged=6, last_at=timezone.now())
    pool_fill(task_id=task.pk)
    assert 4 <= HITSequence.objects.get().blocks_planned <= 6


def test_limit_per_segment_leaves_out_blocks_of_excluded_judges() -> None:
    task = make_task(make_campaign(), blocks_per_segment=1, planned=0)
    ada = make_judge(task.test_set.campaign, "ada")
    pool_fill(task_id=task.pk)
    judge_one_hit(ada)
    judged = JudgmentNumber.objects.count()
    before = list(HITSequence.objects.get().segment_blocks)
    assert set(before) == {1}
    exclude(ada, task)
    pool_fill(task_id=task.pk)
    after = HITSequence.objects.get().segment_blocks
    assert sum(after) == sum(before) + judged
    assert max(after) == 2
    for hit in HIT.objects.all():
        assert hit_redraw(hit) == plans_read([hit.pk])[hit.pk]


def test_progress_and_forecast_count_what_ranking_counts() -> None:
    task = make_task(
        make_campaign(),
        blocks_wanted=5,
        planned=0,
        documents=(9, 9),
        identical=(),
    )
    campaign = task.test_set.campaign
    pool_fill(task_id=task.pk)
    ada, ben = (make_judge(campaign, name) for name in ("ada", "ben"))
    judge_everything(ada)
    judged = task_overview(task=task).judged
    assert judged >= 5
    assert task_overview(task=task).is_done
    exclude(ada, task)
    overview, progress = task_overview(task=task), judging_progress(task=task)
    assert (overview.counted, overview.share, overview.is_done) == (0, 0, False)
    # Blocks judged today are those of all blocks judged, counted or not.
    assert (progress.counted, progress.share, progress.today) == (0, 0, judged)
    assert (overview.judged, overview.excluded) == (judged, judged)
    assert work_facts(task=task).wanted_more == 5
    assert not any(
        alert.kind == "complete"
        for alert in alerts_of_campaigns(campaigns=[campaign])[campaign.pk]
    )
    pool_fill(task_id=task.pk)
    judge_everything(ben)
    assert task_overview(task=task).is_done


def test_excluded_judge_is_not_available_for_target() -> None:
    task = make_task(make_campaign(), blocks_wanted=20, planned=0)
    ada, _ben = (make_judge(task.test_set.campaign, name) for name in ("ada", "ben"))
    assert [needed.there for needed in judges_needed([task])] == [2]
    exclude(ada, task)
    assert [needed.there for needed in judges_needed([task])] == [1]


def rank_only(*judges: Judge, task: Task) -> None:
    """Count only these judges in the ranking of a task."""
    group = judge_group_create(campaign=task.test_set.campaign, name="experts")
    judge_group_members_change(group=group, add=list(judges))
    ranking_settings_change(task=task, judge_group=group, reason="Asked.")


def test_target_of_group_ranking_counts_judges_of_group() -> None:
    task = make_task(
        make_campaign(),
        blocks_wanted=5,
        planned=0,
        documents=(9, 9),
        identical=(),
    )
    campaign = task.test_set.campaign
    pool_fill(task_id=task.pk)
    ada, ben = (make_judge(campaign, name) for name in ("ada", "ben"))
    judge_everything(ada)
    judged = task_overview(task=task).judged
    assert judged >= 5
    rank_only(ben, task=task)
    overview, progress = task_overview(task=task), judging_progress(task=task)
    assert (overview.counted, overview.share, overview.is_done) == (0, 0, False)
    assert (
        progress.counted,
        progress.today,
        sum(day.judged for day in overview.days),
    ) == (0, judged, judged)
    assert work_facts(task=task).wanted_more == 5
    pool_fill(task_id=task.pk)
    judge_everything(ben)
    overview = task_overview(task=task)
    assert (overview.excluded, overview.is_done) == (judged, True)
    run = ranking_run_compute(task_id=task.pk)
    assert run is not None
    assert run.result["input"]["blocks"] == overview.counted


def test_judge_outside_ranked_group_is_not_available_for_target() -> None:
    task = make_task(make_campaign(), blocks_wanted=20, planned=0)
    ada, _ben = (make_judge(task.test_set.campaign, name) for name in ("ada", "ben"))
    rank_only(ada, task=task)
    (needed,) = judges_needed([task])
    assert (needed.there, needed.group) == (1, "experts")


def test_panel_has_work_until_counted_blocks_reach_target() -> None:
    task = make_task(
        make_campaign(),
        blocks_wanted=5,
        planned=0,
        documents=(9, 9),
        identical=(),
    )
    panel = make_panel(task.test_set.campaign)
    pool_fill(task_id=task.pk)
    ada = make_judge(task.test_set.campaign, "ada")
    judge_everything(ada)
    assert not has_work(panel=panel)
    exclude(ada, task)
    assert has_work(panel=panel)
