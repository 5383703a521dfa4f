"""An hour of work is planned ahead, of active designs on standby: drawn anew, lent if nothing else is."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import HIT, HITSequence, JudgeAccount
from annotation.selectors.hits import plans_read
from annotation.selectors.progress import hits_an_hour
from annotation.services.lending.work_requests import work_request
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import (
    pool_fill,
    sampling_state_record,
    standby_settle,
)
from campaign.models import Judge, Task
from tests.at_work import assignment_lend, expire, judge_one_hit, lend
from tests.factories import make_campaign, make_judge, make_long_task
from tests.redrawn_hits import hit_redraw

pytestmark = pytest.mark.django_db

SYSTEMS = 4


@pytest.fixture
def task() -> Task:
    """Of an active design; nothing is planned."""
    made = make_long_task(make_campaign(), segments=240, systems=SYSTEMS)
    design_change(task=made, kind="active", systems_per_block=3)
    return made


def judges(task: Task, count: int) -> list[Judge]:
    return [
        make_judge(task.test_set.campaign, f"judge{number:03}")
        for number in range(count)
    ]


def pooled() -> int:
    return HIT.objects.pooled().available().count()


def on_standby() -> int:
    return HIT.objects.standby().available().count()


def ranked(task: Task, *, watermark: int) -> None:
    """As a ranking leaves it after so many judgments."""
    names = sorted(task.test_set.systems.values_list("name", flat=True))
    wins = [[0 if a == b else watermark / 12 for b in names] for a in names]
    sampling_state_record(
        task_id=task.pk,
        watermark=watermark,
        systems=names,
        wins=wins,
        ties=[[0] * SYSTEMS] * SYSTEMS,
    )


def drawn_by() -> set[int]:
    """How many judgments were known to the draws of what is on standby."""
    return {hit.batch.state["watermark"] for hit in HIT.objects.standby() if hit.batch}


def counted(task: Task) -> tuple[int, int, int]:
    """Blocks planned, by segment and in all; and comparisons that draws know of."""
    sequence = HITSequence.objects.get(task=task)
    pairs = sum(map(sum, sequence.state.get("pair_counts", []))) // 2
    return sequence.blocks_planned, sum(sequence.segment_blocks), pairs


class TestSize:
    @pytest.mark.thorough
    def test_without_judgments_the_pool_has_its_least_size(self, task: Task) -> None:
        assert pool_fill(task_id=task.pk) == 200
        assert (pooled(), on_standby()) == (30, 170)
        assert pool_fill(task_id=task.pk) == 0

    @pytest.mark.thorough
    def test_the_pool_lasts_an_hour_at_the_present_pace(
        self,
        task: Task,
        settings: Any,
    ) -> None:
        settings.POOL_MIN_HITS = 10
        design_change(task=task, kind="uniform")
        pool_fill(task_id=task.pk, size=12)
        for judge in judges(task, 12):
            judge_one_hit(judge)
        # Twelve in less than two minutes are not thought to be more than six a minute.
        assert hits_an_hour(task_id=task.pk) == 360
        pool_fill(task_id=task.pk)
        assert pooled() == 360

    def test_the_pace_is_that_of_people_and_of_now(self, task: Task) -> None:
        pool_fill(task_id=task.pk, size=4)
        [judge] = judges(task, 1)
        assert hits_an_hour(task_id=task.pk) == 0
        judge_one_hit(judge)
        judge_one_hit(
            make_judge(task.test_set.campaign, "s", origin=Judge.Origin.SIMULATED),
        )
        assert hits_an_hour(task_id=task.pk) == 30
        JudgeAccount.objects.update(last_lent_at=timezone.now() - timedelta(days=2))
        assert hits_an_hour(task_id=task.pk) == 0


class TestLending:
    def test_standby_hit_is_lent_when_the_pool_is_empty(self, task: Task) -> None:
        pool_fill(task_id=task.pk)
        lent = [lend(judge).hit for judge in judges(task, 40)]
        assert [hit.is_standby for hit in lent] == [False] * 30 + [True] * 10
        assert len({hit.pk for hit in lent}) == 40
        for hit in lent:
            assert hit.blocks.count() == 3

    @pytest.mark.thorough
    def test_a_judge_who_was_lent_from_standby_asks_the_planner_for_more(
        self,
        task: Task,
    ) -> None:
        pool_fill(task_id=task.pk)
        for judge in judges(task, 31):
            lend(judge)
        assert JudgeAccount.objects.get(judge=judge).requested_at is not None

    @pytest.mark.thorough
    def test_available_work_is_lent_without_the_planner(self, task: Task) -> None:
        """A pool for an hour is there; after that nothing comes."""
        pool_fill(task_id=task.pk)
        at_work = judges(task, 20)
        taken = sum(
            judge_one_hit(judge) is not None
            for _round in range(10)
            for judge in at_work
        )
        assert taken == 200
        assert assignment_lend(judge=at_work[0]) is None

    @pytest.mark.thorough
    def test_returned_standby_hit_is_lent_again(self, task: Task) -> None:
        pool_fill(task_id=task.pk)
        *_others, last = [lend(judge) for judge in judges(task, 200)]
        one = make_judge(task.test_set.campaign, "another")
        assert assignment_lend(judge=one) is None
        assert work_request(judge=one).reason == "preparing"
        expire(last)
        assert lend(one).hit == last.hit
        assert last.hit.is_standby


class TestDrawing:
    @pytest.mark.thorough
    def test_draws_count_on_what_was_lent_from_standby_and_on_nothing_else_of_it(
        self,
        task: Task,
    ) -> None:
        pool_fill(task_id=task.pk)
        assert counted(task) == (600, 600, 30 * 3 * 3)
        for judge in judges(task, 35):
            lend(judge)
        standby_settle(task_id=task.pk)
        assert counted(task) == (600, 600, 35 * 3 * 3)
        assert HIT.objects.filter(is_standby=True).count() == 165

    @pytest.mark.thorough
    def test_earlier_hits_of_a_lent_batch_join_the_pool(self, task: Task) -> None:
        pool_fill(task_id=task.pk)
        for judge in judges(task, 30):
            lend(judge)
        passed_over = HIT.objects.standby().order_by("number")[:3]
        pks = [hit.pk for hit in passed_over]
        HIT.objects.filter(pk__in=pks).update(
            available_at=timezone.now() + timedelta(hours=1),
        )
        lent = lend(make_judge(task.test_set.campaign, "another")).hit
        HIT.objects.filter(pk__in=pks).update(
            available_at=timezone.now() - timedelta(hours=1),
        )
        standby_settle(task_id=task.pk)
        assert set(
            HIT.objects.pooled().available().values_list("pk", flat=True),
        ) == set(pks)
        lent.refresh_from_db()
        assert not lent.is_standby

    @pytest.mark.thorough
    def test_active_hits_are_redrawn_bit_for_bit(
        self,
        task: Task,
        settings: Any,
    ) -> None:
        settings.POOL_MIN_HITS = 50
        design_change(task=task, redundancy=2)
        pool_fill(task_id=task.pk)
        for judge in judges(task, 40):
            judge_one_hit(judge)
        ranked(task, watermark=400)
        pool_fill(task_id=task.pk)
        hits = list(HIT.objects.order_by("number"))
        plans = plans_read([hit.pk for hit in hits])
        assert len(hits) > 80
        # Drawing one again takes as long as drawing its whole batch.
        sample = hits[::12]
        assert {hit.is_standby for hit in sample} == {False, True}
        for hit in sample:
            assert hit_redraw(hit) == plans[hit.pk]

    @pytest.mark.thorough
    def test_batch_is_redrawn_after_many_judgments(self, task: Task) -> None:
        pool_fill(task_id=task.pk)
        before = set(HIT.objects.standby().values_list("pk", flat=True))
        assert drawn_by() == {0}
        ranked(task, watermark=400)
        pool_fill(task_id=task.pk)
        assert drawn_by() == {400}
        assert not HIT.objects.filter(pk__in=before).exists()
        assert on_standby() == 170
        assert counted(task) == (600, 600, 30 * 3 * 3)
        ranked(task, watermark=450)
        assert pool_fill(task_id=task.pk) == 0

    @pytest.mark.thorough
    def test_a_new_design_draws_it_anew(self, task: Task) -> None:
        pool_fill(task_id=task.pk)
        design = design_change(task=task, active_floor=0.5)
        pool_fill(task_id=task.pk)
        assert set(HIT.objects.standby().values_list("design", flat=True)) == {
            design.pk,
        }
        design_change(task=task, kind="balanced")
        pool_fill(task_id=task.pk)
        assert (pooled(), on_standby()) == (200, 0)

    @pytest.mark.thorough
    def test_no_segment_is_in_more_blocks_than_wanted(self, task: Task) -> None:
        task.blocks_per_segment = 1
        task.save()
        at_work = judges(task, 10)
        for _round in range(9):
            pool_fill(task_id=task.pk)
            for judge in at_work:
                judge_one_hit(judge)
        sequence = HITSequence.objects.get(task=task)
        assert max(sequence.segment_blocks) == 1
        assert sum(sequence.segment_blocks) == 240
