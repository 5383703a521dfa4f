"""The blocks of a planned HIT are written ahead or as it is lent: all of them, once, as planned."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone

from annotation.models import HIT, Assignment, Block, HITSequence
from annotation.models.block import by_candidate
from annotation.sampling.plans import HITPlan
from annotation.sampling.state import DrawState
from annotation.selectors.hits import plans_read
from annotation.services.lending.work_requests import work_request
from annotation.services.planning.batch import PlanningTransaction, hits_prepare
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan, pool_fill
from campaign.models import Judge, Task
from tests.at_work import assignment_lend, expire, judge_all_of, lend
from tests.factories import make_campaign, make_judge, make_long_task, make_task


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign(), planned=4)


def rows_of(hit: HIT) -> list[tuple[int, list[tuple[int, ...]]]]:
    """What the rows say is shown: a segment's number and the outputs of each candidate."""
    return [
        (
            block.segment.number,
            [tuple(sorted(ids)) for ids in by_candidate(block.outputs, block.stands_for)],
        )
        for block in hit.blocks.order_by("position").select_related("segment")
    ]


def plans() -> dict[int, HITPlan]:
    """Return what each HIT shows: as planned, or as its blocks say once they are written."""
    return plans_read(HIT.objects.values_list("pk", flat=True))


def planned_of(plan: HITPlan) -> list[tuple[int, list[tuple[int, ...]]]]:
    return [(block.segment, list(block.candidates)) for block in plan.blocks]


@pytest.mark.django_db
class TestLent:
    def test_what_waits_has_no_blocks_and_what_is_lent_has_those_planned(self, task: Task) -> None:
        assert not Block.objects.exists()
        planned = plans()
        lent = lend(make_judge(task.test_set.campaign)).hit
        assert len(rows_of(lent)) == 3
        assert rows_of(lent) == planned_of(planned[lent.pk])
        assert set(Block.objects.values_list("hit", flat=True)) == {lent.pk}

    def test_a_plan_is_kept_by_the_blocks_alone_once_they_are_written(self, task: Task) -> None:
        """The plan is emptied, and what is read back is the same bit for bit."""
        planned = plans()
        first = lend(make_judge(task.test_set.campaign))
        hits_prepare(task_id=task.pk, count=1)
        written = HIT.objects.filter(blocks__isnull=False).distinct()
        assert written.count() == 2
        assert set(written.values_list("plan", flat=True)) == {None}
        assert not HIT.objects.exclude(pk__in=written).filter(plan=None).exists()
        assert plans() == planned
        expire(first)
        assert lend(make_judge(task.test_set.campaign, "other")).hit == first.hit
        assert Block.objects.count() == 6

    def test_a_hit_without_a_plan_and_without_blocks_is_lent_to_nobody(self, task: Task) -> None:
        HIT.objects.update(plan=None)
        with (
            pytest.raises(IntegrityError, match="has no blocks"),
            transaction.atomic(),
        ):
            assignment_lend(judge=make_judge(task.test_set.campaign))

    def test_a_plan_that_shows_an_output_of_another_segment_is_refused(self, task: Task) -> None:
        hit = HIT.objects.earliest("number")
        assert hit.plan is not None
        hit.plan = hit.plan[::-1]
        hit.save(update_fields=["plan"])
        with (
            pytest.raises(IntegrityError, match="does not belong to the segment"),
            transaction.atomic(),
        ):
            assignment_lend(judge=make_judge(task.test_set.campaign))
        assert not Block.objects.exists()

    def test_a_repeat_shows_the_same_candidates_in_another_order(self) -> None:
        task = make_task(make_campaign(), planned=0)
        design_change(task=task, redundancy=2)
        hits_plan(task_id=task.pk, count=2)
        judges = [make_judge(task.test_set.campaign, name) for name in ("one", "two")]
        one, two = (lend(judge).hit for judge in judges)
        assert two.repeats == one
        for (segment, shown), (again, other) in zip(rows_of(one), rows_of(two), strict=True):
            assert segment == again
            assert sorted(shown) == sorted(other)
            assert shown != other


@pytest.mark.django_db
class TestPrepared:
    def test_the_next_of_the_pool_are_written_as_planned_and_no_others(self, task: Task) -> None:
        first, second, *_others = HIT.objects.order_by("number")
        planned = plans()
        assert hits_prepare(task_id=task.pk, count=2) == 2
        assert set(Block.objects.values_list("hit", flat=True)) == {first.pk, second.pk}
        for hit in (first, second):
            assert len(rows_of(hit)) == 3
            assert rows_of(hit) == planned_of(planned[hit.pk])
        assert hits_prepare(task_id=task.pk, count=2) == 0

    def test_what_was_written_ahead_is_lent_as_it_is(self, task: Task) -> None:
        hits_prepare(task_id=task.pk, count=1)
        before = list(Block.objects.order_by("pk").values_list("public_id", "outputs"))
        assert lend(make_judge(task.test_set.campaign)).hit == HIT.objects.earliest("number")
        assert list(Block.objects.order_by("pk").values_list("public_id", "outputs")) == before


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_two_workers_at_once_write_each_block_once(self) -> None:
        task = make_long_task(make_campaign(), segments=90, systems=5)
        hits_plan(task_id=task.pk, count=25)
        planned = plans()
        together = Barrier(2)

        def prepare(_worker: int) -> int:
            try:
                together.wait()
                return hits_prepare(task_id=task.pk, count=25)
            finally:
                connection.close()

        with ThreadPoolExecutor(2) as pool:
            written = sum(pool.map(prepare, range(2)))
        # What one has in hand, the other leaves alone.
        assert written <= 25
        hits_prepare(task_id=task.pk, count=25)
        assert Block.objects.count() == 75
        for hit in HIT.objects.all():
            assert rows_of(hit) == planned_of(planned[hit.pk])

    def test_two_who_lend_one_hit_at_once_write_its_blocks_once(self) -> None:
        """Past the lock that lending takes: the database alone sees to it."""
        task = make_task(make_campaign(), planned=1)
        hit = HIT.objects.get()
        planned = plans()
        judges = [make_judge(task.test_set.campaign, name) for name in ("one", "two")]
        together = Barrier(2)
        now = timezone.now()

        def ask(place: int, judge: Judge) -> None:
            begin = now + timedelta(hours=place)
            try:
                with transaction.atomic():
                    together.wait()
                    Assignment.objects.create(
                        hit=hit,
                        judge=judge,
                        lease=DateTimeTZRange(begin, begin + timedelta(minutes=30)),
                    )
            finally:
                connection.close()

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(ask, range(2), judges))
        assert Assignment.objects.count() == 2
        assert Block.objects.count() == 3
        assert rows_of(hit) == planned_of(planned[hit.pk])

    def test_a_killed_lending_leaves_nothing(self) -> None:
        task = make_task(make_campaign(), planned=1)
        judge = make_judge(task.test_set.campaign)
        planned = plans()

        def lend_and_die() -> None:
            try:
                with transaction.atomic():
                    assert assignment_lend(judge=judge) is not None
                    assert Block.objects.exists()
                    connection.connection.close()
            finally:
                connection.close()

        with ThreadPoolExecutor(1) as pool, pytest.raises(Exception, match="closed"):
            pool.submit(lend_and_die).result()
        assert not Assignment.objects.exists()
        assert not Block.objects.exists()
        hit = lend(judge).hit
        assert rows_of(hit) == planned_of(planned[hit.pk])


@pytest.mark.django_db
class TestWithdrawn:
    def test_withdrawn_hits_are_not_in_the_balance(self) -> None:
        """Counts are those of the HITs that are left, and so are the first HITs repeated."""
        task = make_long_task(make_campaign(), segments=30, systems=6)
        design_change(task=task, kind="balanced")
        hits_plan(task_id=task.pk, count=4)
        spare = HIT.objects.latest("number")
        with transaction.atomic():
            planning = PlanningTransaction.locked(task.pk)
            planning.withdraw([spare])
            planning.store()
        state = DrawState.empty(task.test_set.systems.values_list("name", flat=True))
        for pk in HIT.objects.filter(withdrawn_at__isnull=True).values_list("pk", flat=True):
            state = state.after(plans_read([pk])[pk])
        stored = DrawState.from_json(HITSequence.objects.get().state)
        assert stored.pair_counts.tolist() == state.pair_counts.tolist()
        assert stored.position_counts.tolist() == state.position_counts.tolist()

    @pytest.mark.thorough
    def test_a_judge_who_takes_the_place_of_a_hit_takes_its_place_in_the_balance(self) -> None:
        """All that is wanted is planned, and none of it suits: a spare HIT gives way."""
        task = make_long_task(make_campaign(), segments=12, systems=4, blocks_wanted=9)
        design_change(task=task, kind="balanced", segments=[1, 2, 3, 4, 5, 6])
        pool_fill(task_id=task.pk)
        judge = make_judge(task.test_set.campaign)
        for _hit in range(3):
            held = assignment_lend(judge=judge)
            if held is not None:
                judge_all_of(held)
        design_change(task=task, segments=[])
        work_request(judge=judge)
        pool_fill(task_id=task.pk)
        kept = HIT.objects.filter(withdrawn_at__isnull=True, purpose="first")
        assert HIT.objects.filter(withdrawn_at__isnull=False).count() == 1
        assert kept.filter(reserved_for=judge).exists()
        blocks = sum(
            len(plan.blocks)
            for plan in plans_read(list(kept.values_list("pk", flat=True))).values()
        )
        sequence = HITSequence.objects.get()
        assert sequence.blocks_planned == blocks
        pairs = DrawState.from_json(sequence.state).pair_counts
        assert pairs.sum() == blocks * 4 * 3

    def test_no_repeat_is_drawn_of_what_was_withdrawn(self) -> None:
        task = make_long_task(make_campaign(), segments=30, systems=6)
        design_change(task=task, inter_share=0.5)
        hits_plan(task_id=task.pk, count=1)
        with transaction.atomic():
            planning = PlanningTransaction.locked(task.pk)
            planning.withdraw([HIT.objects.get()])
            planning.store()
        hits_plan(task_id=task.pk, count=6)
        repeats = HIT.objects.filter(purpose="inter")
        assert repeats.count() >= 2
        assert not repeats.filter(repeats__withdrawn_at__isnull=False).exists()
