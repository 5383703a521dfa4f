"""Attention checks: blocks with an approved damaged reference, on a schedule, and only those."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.models import HIT, Block
from annotation.models.block import by_candidate
from annotation.sampling.rates import attention_due
from annotation.selectors.hits import plans_read
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.pool import hit_request, hits_for_judge
from annotation.services.planning.designs import DesignRefusedError, design_change
from annotation.services.planning.pool import hits_plan, pool_fill
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import BadReference, Judge, Output, Task
from campaign.services.bad_references import bad_reference_review, bad_references_make
from tests.at_work import assignment_lend, lend
from tests.damaged_references import damaged_references_approve
from tests.factories import make_campaign, make_judge, make_long_task, make_task
from tests.outputs_shown import outputs_shown
from tests.redrawn_hits import hit_redraw

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    """Sixty segments, every other one with an approved damaged reference."""
    task = make_task(make_campaign(), documents=(30, 30))
    bad_references_make(test_set=task.test_set, seed=5)
    for row in BadReference.objects.of(task.test_set_id).in_order()[::2]:
        bad_reference_review(bad_reference=row, approve=True, reviewer=None)
    return task


def hits_done(judge: Judge, count: int) -> list[HIT]:
    done = []
    for _hit in range(count):
        assignment = assignment_lend(judge=judge)
        assert assignment is not None
        done.append(assignment.hit)
        for assigned in assigned_blocks(assignment):
            judgment_submit(
                assigned=assigned,
                client_id=uuid4(),
                sent=SentJudgment(labels=[1] * len(assigned.candidates)),
            )
    return done


def checks(hit: HIT) -> int:
    return hit.blocks.filter(control="attention").count()


def test_a_block_is_a_check_exactly_if_it_shows_a_damaged_reference(task: Task) -> None:
    design_change(task=task, bad_reference_rate=0.3)
    pool_fill(task_id=task.pk, size=30)
    for number in range(10):
        lend(make_judge(task.test_set.campaign, f"judge{number:02}"))
    damaged = Output.objects.filter(
        system__kind="bad_reference",
        pk__in=outputs_shown(),
    )
    ids = list(damaged.values_list("pk", flat=True))
    shown = Block.objects.filter(outputs__overlap=ids)
    assert shown
    assert set(shown) == set(Block.objects.filter(control="attention"))
    assert set(damaged.values_list("bad_reference__status", flat=True)) == {"approved"}
    block = shown[0]
    assert block.expected is not None
    candidates = by_candidate(block.outputs, block.stands_for)
    assert [rank == 2 for rank in block.expected] == [
        not set(ids).isdisjoint(c) for c in candidates
    ]


@pytest.mark.thorough
def test_later_approval_or_withdrawal_leaves_old_hits_unchanged(
    task: Task,
) -> None:
    design_change(task=task, bad_reference_rate=0.3)
    pool_fill(task_id=task.pk, size=15)
    for number, row in enumerate(BadReference.objects.of(task.test_set_id).in_order()):
        bad_reference_review(bad_reference=row, approve=number % 2 == 1, reviewer=None)
    for hit in HIT.objects.filter(task=task).order_by("number"):
        assert hit_redraw(hit) == plans_read([hit.pk])[hit.pk]


def drawn(judge: Judge, task: Task, hits: int) -> list[bool]:
    """Which of a judge's HITs are to hold a check, by the draw."""
    design = task.designs.latest()
    found: list[bool] = []
    checks = since = 0
    for _hit in range(hits):
        is_due = attention_due(
            seed=design.seed,
            judge=judge.pseudonym,
            every=design.attention_every,
            checks=checks,
            hits_since=since,
        )
        found.append(is_due)
        checks, since = (checks + 1, 0) if is_due else (checks, since + 1)
    return found


@pytest.mark.thorough
def test_a_judge_gets_a_check_when_one_is_drawn_for_them(task: Task) -> None:
    design_change(task=task, bad_reference_rate=0.2, attention_every=3)
    judge = make_judge(task.test_set.campaign)
    wanted = drawn(judge, task, 12)
    assert 0 < sum(wanted) < 12
    for is_due in wanted:
        pool_fill(task_id=task.pk, size=10)
        (hit,) = hits_done(judge, 1)
        assert (checks(hit) > 0) == is_due
        assert hit_redraw(hit) == plans_read([hit.pk])[hit.pk]


@pytest.mark.thorough
def test_a_hit_with_a_check_holds_it_at_the_rate_and_at_least_once(task: Task) -> None:
    for row in BadReference.objects.of(task.test_set_id):
        bad_reference_review(bad_reference=row, approve=True, reviewer=None)
    for rate, held in ((0.01, {1}), (1.0, {3})):
        design_change(task=task, bad_reference_rate=rate, attention_every=2)
        hits_plan(task_id=task.pk, count=12, checks=6)
        planned = plans_read(
            HIT.objects.order_by("-number").values_list("pk", flat=True)[:12],
        )
        counts = [
            sum(bool(each.control) for each in hit.blocks) for hit in planned.values()
        ]
        assert set(counts) == {0, *held}
        assert counts.count(0) == 6


@pytest.mark.thorough
@pytest.mark.parametrize("first", ["fast", "slow"])
def test_judges_get_checks_at_the_rate_in_any_order_of_arrival(first: str) -> None:
    """Nine judges, some of whom are done before others begin: none is left with what others left."""
    task = make_long_task(make_campaign(), segments=240, systems=6, with_reference=True)
    damaged_references_approve(task)
    design_change(
        task=task,
        bad_reference_rate=0.3,
        attention_every=5,
        segments_per_hit=1,
    )
    judges = [
        make_judge(task.test_set.campaign, f"judge{number:02}") for number in range(9)
    ]
    turns = [judge for judge in judges[:3] for _hit in range(60)]
    turns += [judge for _hit in range(30) for judge in judges[3:6]]
    turns += [judge for judge in judges[6:] for _hit in range(30)]
    if first == "slow":
        turns.reverse()
    held: dict[Judge, list[bool]] = {judge: [] for judge in judges}
    for number, judge in enumerate(turns):
        if number % 5 == 0:
            pool_fill(task_id=task.pk, size=40)
        (hit,) = hits_done(judge, 1)
        held[judge].append(hit.holds_check)
    for judge, shown in held.items():
        assert shown == drawn(judge, task, len(shown))


@pytest.mark.thorough
def test_a_pool_that_was_planned_before_there_were_checks_keeps_none_from_judges(
    task: Task,
) -> None:
    pool_fill(task_id=task.pk, size=60)
    design_change(task=task, bad_reference_rate=0.1, attention_every=2)
    pool_fill(task_id=task.pk, size=60)
    judge = make_judge(task.test_set.campaign)
    assert [checks(hit) > 0 for hit in hits_done(judge, 8)] == drawn(judge, task, 8)


@pytest.mark.thorough
def test_planned_hits_are_replaced_by_hits_with_checks(
    task: Task,
) -> None:
    Task.objects.filter(pk=task.pk).update(blocks_wanted=150)
    pool_fill(task_id=task.pk, size=60)
    assert not HIT.objects.filter(holds_check=True).exists()
    design_change(task=task, bad_reference_rate=0.1, attention_every=2)
    judge = make_judge(task.test_set.campaign)
    shown = []
    for _hit in range(8):
        pool_fill(task_id=task.pk, size=60)
        shown += hits_done(judge, 1)
    # The planner begins for a judge when they have been lent a HIT.
    assert sum(checks(hit) > 0 for hit in shown) >= sum(drawn(judge, task, 8)) - 1 > 0


@pytest.mark.thorough
def test_judges_go_on_without_checks_when_they_have_seen_all_there_are(
    task: Task,
) -> None:
    for row in BadReference.objects.of(task.test_set_id).in_order()[4:]:
        bad_reference_review(bad_reference=row, approve=False, reviewer=None)
    design_change(
        task=task,
        bad_reference_rate=0.2,
        attention_every=2,
        segments_per_hit=1,
    )
    judge = make_judge(task.test_set.campaign)
    done: list[HIT] = []
    for _hit in range(20):
        pool_fill(task_id=task.pk, size=10)
        done += hits_done(judge, 1)
    held = [hit.holds_check for hit in done]
    assert sum(held) == 2
    assert not any(held[14:])
    segments = [segment for hit in done for segment in hit.segment_ids]
    assert len(set(segments)) == len(segments)


def test_a_schedule_needs_damaged_references_in_the_design(task: Task) -> None:
    with pytest.raises(
        DesignRefusedError,
        match="attention checks use damaged references",
    ):
        design_change(task=task, attention_every=5)


@pytest.mark.thorough
def test_a_reserved_hit_without_a_check_waits_while_a_check_is_due(task: Task) -> None:
    design_change(task=task, bad_reference_rate=0.2, attention_every=3)
    pool_fill(task_id=task.pk, size=150)
    judge = make_judge(task.test_set.campaign)
    wanted = drawn(judge, task, 20)
    before = next(at for at in range(20) if wanted[at] and not wanted[at + 1])
    hits_done(judge, before)
    pool = hits_for_judge(hit_request(judge, task=task))
    reserved = pool.holding_check(holds_check=False)[0]
    reserved.reserved_for = judge
    reserved.reserved_until = timezone.now() + timedelta(hours=1)
    reserved.save()
    with_check, after = hits_done(judge, 2)
    assert checks(with_check) > 0
    assert after == reserved
