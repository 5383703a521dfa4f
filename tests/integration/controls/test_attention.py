"""Attention checks: blocks with an approved damaged reference, on a schedule, and only those."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.models import HIT, Block, CandidateOutput
from annotation.selectors import (
    assigned_blocks,
    attention_due,
    damaged_systems,
    hits_for_judge,
)
from annotation.selectors.planned import plans_read
from annotation.services import (
    DesignRefusedError,
    design_change,
    hit_redraw,
    judgment_submit,
    pool_fill,
)
from campaign.models import BadReference, Judge, TestSet
from campaign.services import bad_reference_review, bad_references_make
from tests.at_work import assignment_lend, lend
from tests.factories import make_campaign, make_judge, make_test_set

pytestmark = pytest.mark.django_db


@pytest.fixture
def test_set() -> TestSet:
    """Sixty segments, every other one with an approved damaged reference."""
    test_set = make_test_set(make_campaign(), documents=(30, 30))
    bad_references_make(test_set=test_set, seed=5)
    for row in BadReference.objects.of(test_set.pk).in_order()[::2]:
        bad_reference_review(bad_reference=row, approve=True, reviewer=None)
    return test_set


def hits_done(judge: Judge, count: int) -> list[HIT]:
    done = []
    for _hit in range(count):
        assignment = assignment_lend(judge=judge)
        assert assignment is not None
        done.append(assignment.hit)
        for assigned in assigned_blocks(assignment):
            judgment_submit(
                assigned=assigned, client_id=uuid4(), labels=[1] * len(assigned.candidates)
            )
    return done


def checks(hit: HIT) -> int:
    return hit.blocks.filter(control="attention").count()


def test_a_block_is_a_check_exactly_if_it_shows_a_damaged_reference(test_set: TestSet) -> None:
    design_change(test_set=test_set, bad_reference_rate=0.3)
    pool_fill(test_set_id=test_set.pk, size=60)
    for number in range(20):
        lend(make_judge(test_set.campaign, f"judge{number:02}"))
    damaged = CandidateOutput.objects.filter(output__system__kind="bad_reference")
    shown = set(damaged.values_list("candidate__block_id", flat=True))
    assert shown
    assert shown == set(Block.objects.filter(control="attention").values_list("pk", flat=True))
    assert set(damaged.values_list("output__bad_reference__status", flat=True)) == {"approved"}
    block = Block.objects.filter(pk__in=shown)[0]
    assert block.expected is not None
    worst = block.candidates.get(outputs__system__kind="bad_reference").position
    assert [i for i, rank in enumerate(block.expected, 1) if rank == 2] == [worst]


def test_what_is_approved_or_withdrawn_later_leaves_old_hits_as_they_were(
    test_set: TestSet,
) -> None:
    design_change(test_set=test_set, bad_reference_rate=0.3)
    pool_fill(test_set_id=test_set.pk, size=40)
    for number, row in enumerate(BadReference.objects.of(test_set.pk).in_order()):
        bad_reference_review(bad_reference=row, approve=number % 2 == 1, reviewer=None)
    for hit in HIT.objects.filter(test_set=test_set).order_by("number"):
        assert hit_redraw(hit) == plans_read([hit.pk])[hit.pk]


def test_every_third_hit_of_each_judge_holds_a_check(test_set: TestSet) -> None:
    design_change(test_set=test_set, bad_reference_rate=0.2, attention_every=3)
    pool_fill(test_set_id=test_set.pk, size=150)
    for name in ("judge01", "judge02"):
        done = hits_done(make_judge(test_set.campaign, name), 9)
        assert [checks(hit) > 0 for hit in done] == [False, False, True] * 3


def test_training_brings_no_check_nearer(test_set: TestSet) -> None:
    judge = make_judge(test_set.campaign)
    trained, _judged = hits_done(judge, 2)
    due: dict[str, Any] = {"judge": judge, "test_set_id": test_set.pk, "every": 3, "damaged": [0]}
    assert attention_due(**due)
    HIT.objects.filter(pk=trained.pk).update(
        purpose="training", reserved_for=judge, reserved_until=timezone.now()
    )
    assert not attention_due(**due)
    hits_done(judge, 1)
    assert attention_due(**due)


def test_where_no_check_is_left_judges_go_on_without(test_set: TestSet) -> None:
    pool_fill(test_set_id=test_set.pk, size=20)
    design_change(test_set=test_set, bad_reference_rate=0.01, attention_every=2)
    done = hits_done(make_judge(test_set.campaign), 3)
    assert [checks(hit) for hit in done] == [0, 0, 0]


def test_a_schedule_needs_damaged_references_in_the_design(test_set: TestSet) -> None:
    with pytest.raises(DesignRefusedError, match="design_attention_checks_need_damaged_references"):
        design_change(test_set=test_set, attention_every=5)


def test_a_reserved_hit_without_a_check_waits_while_a_check_is_due(test_set: TestSet) -> None:
    design_change(test_set=test_set, bad_reference_rate=0.2, attention_every=3)
    pool_fill(test_set_id=test_set.pk, size=150)
    judge = make_judge(test_set.campaign)
    hits_done(judge, 2)
    pool = hits_for_judge(judge_id=judge.pk, test_set_id=test_set.pk, conflicts=[])
    reserved = pool.excluding_systems(damaged_systems(test_set.pk))[0]
    reserved.reserved_for = judge
    reserved.reserved_until = timezone.now() + timedelta(hours=1)
    reserved.save()
    third, fourth = hits_done(judge, 2)
    assert checks(third) > 0
    assert fourth == reserved
