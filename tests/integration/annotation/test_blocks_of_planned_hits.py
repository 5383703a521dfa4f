"""The blocks of a planned HIT stay the same when it is lent, and count until the HIT is withdrawn."""

import pytest
from django.db import transaction

from annotation.models import HIT, Block, HITSequence
from annotation.models.block import by_candidate
from annotation.sampling.state import DrawState
from annotation.selectors.hits import plans_read
from annotation.services.lending.work_requests import work_request
from annotation.services.planning.batch import PlanningTransaction
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan, pool_fill
from tests.at_work import assignment_lend, expire, judge_all_of, lend
from tests.factories import make_campaign, make_judge, make_long_task, make_task


def blocks_stored() -> list[tuple[object, ...]]:
    return list(Block.objects.order_by("pk").values_list("hit", "public_id", "outputs"))


def candidates_of(hit: HIT) -> list[tuple[int, list[tuple[int, ...]]]]:
    """Return the segment's number and the outputs of each candidate, for each block in order."""
    return [
        (
            block.segment.number,
            [
                tuple(sorted(ids))
                for ids in by_candidate(block.outputs, block.stands_for)
            ],
        )
        for block in hit.blocks.order_by("position").select_related("segment")
    ]


@pytest.mark.django_db
class TestLent:
    def test_a_hit_is_lent_twice_with_the_blocks_that_were_planned(self) -> None:
        task = make_task(make_campaign(), planned=4)
        planned = blocks_stored()
        assert len(planned) == 4 * 3
        first = lend(make_judge(task.test_set.campaign))
        expire(first)
        assert lend(make_judge(task.test_set.campaign, "other")).hit == first.hit
        assert blocks_stored() == planned

    def test_a_repeat_shows_the_same_candidates_in_another_order(self) -> None:
        task = make_task(make_campaign(), planned=0)
        design_change(task=task, redundancy=2)
        hits_plan(task_id=task.pk, count=2)
        judges = [make_judge(task.test_set.campaign, name) for name in ("one", "two")]
        one, two = (lend(judge).hit for judge in judges)
        assert two.repeats == one
        for (segment, shown), (again, other) in zip(
            candidates_of(one),
            candidates_of(two),
            strict=True,
        ):
            assert segment == again
            assert sorted(shown) == sorted(other)
            assert shown != other


@pytest.mark.django_db
class TestWithdrawn:
    def test_discarded_hits_do_not_count_in_the_balance(self) -> None:
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
        for pk in HIT.objects.filter(withdrawn_at__isnull=True).values_list(
            "pk",
            flat=True,
        ):
            state = state.after(plans_read([pk])[pk])
        stored = DrawState.from_json(HITSequence.objects.get().state)
        assert stored.pair_counts.tolist() == state.pair_counts.tolist()
        assert stored.position_counts.tolist() == state.position_counts.tolist()

    @pytest.mark.thorough
    def test_a_judge_who_takes_the_place_of_a_hit_takes_its_place_in_the_balance(
        self,
    ) -> None:
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
