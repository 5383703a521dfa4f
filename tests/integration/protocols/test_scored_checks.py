"""Attention checks where judges score outputs one at a time: in ratings, and in ESA of one output."""

from collections import Counter
from uuid import uuid4

import pytest

from annotation.models import HIT, Block, Judgment
from annotation.protocols.submissions import AssignedBlock
from annotation.selectors.hits import plans_read
from annotation.selectors.judges_needed import judges_needed
from annotation.selectors.judging import assigned_blocks
from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import pool_fill
from annotation.services.simulation import lend_prepared
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Judge, Protocol, Task
from ranking.selectors.judges import measures_by_judge, scored_checks
from ranking.tasks import rank_task
from tests.damaged_references import damaged_references_approve
from tests.factories import make_judge
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import plans_delete, said_about
from tests.redrawn_hits import hit_redraw

pytestmark = pytest.mark.django_db

RATE = 0.5


@pytest.fixture(params=[Protocol.RATING, Protocol.SPANS])
def task(request: pytest.FixtureRequest, make_task_of: MakeTask) -> Task:
    task = make_task_of(request.param)
    damaged_references_approve(task)
    plans_delete(task)
    design_change(task=task, bad_reference_rate=RATE, reference_rate=0)
    return task


def is_check(block: AssignedBlock) -> bool:
    return Block.objects.get(pk=block.block_id).control == "attention"


def judge_all(judge: Judge, task: Task, *, damaged: float, others: float) -> None:
    """Let a judge who gives damaged texts this quality judge all they are lent."""
    for _time in range(12):
        pool_fill(task_id=task.pk)
        lent = lend_prepared(judge)
        if lent is None:
            continue
        for place, block in enumerate(assigned_blocks(lent.assignment)):
            quality = damaged if is_check(block) else others + place % 3
            judgment_submit(
                assigned=block,
                client_id=uuid4(),
                sent=SentJudgment(**said_about(block, [quality])),
            )


@pytest.mark.thorough
def test_careful_judges_reject_damaged_texts(task: Task) -> None:
    careful, careless = (
        make_judge(task.test_set.campaign, name) for name in ("ada", "bob")
    )
    judge_all(careful, task, damaged=5, others=75)
    judge_all(careless, task, damaged=95, others=40)
    checks = Judgment.objects.filter(task=task, block__control="attention")
    for judge in (careful, careless):
        assert checks.filter(judge=judge).exists()
    rank_task(task.pk)
    measures = measures_by_judge(task_id=task.pk)
    assert measures["ada"]["bad_reference"]["value"] == 1
    assert measures["bob"]["bad_reference"]["value"] == 0
    p_value = measures["ada"]["bad_reference"]["p_value"]
    assert p_value is not None
    assert p_value < 0.5
    assert measures["bob"]["bad_reference"]["p_value"] == pytest.approx(1)
    # Missed damage is only known for outputs of one sentence.
    assert all("damage_ignored" not in found for found in measures.values())


@pytest.mark.thorough
def test_a_check_is_set_beside_what_its_judge_said_in_the_same_hit(task: Task) -> None:
    judge = make_judge(task.test_set.campaign, "ada")
    judge_all(judge, task, damaged=5, others=75)
    watermark = judgments_number(task_id=task.pk)
    found = scored_checks(task=task, watermark=watermark)
    stored = Judgment.objects.filter(task=task, block__control="attention").order_by(
        "pk",
    )
    assert [each.segment for each in found] == [
        judgment.block.segment.number
        for judgment in stored.select_related("block__segment")
    ]
    for each, judgment in zip(found, stored.select_related("block"), strict=True):
        beside = judgment.block.hit.blocks.filter(control="")
        assert len(each.others) == beside.count() > 0
        assert all(each.score < other.score for other in each.others)


@pytest.mark.thorough
def test_hits_with_checks_are_drawn_again_bit_for_bit(task: Task) -> None:
    judge_all(make_judge(task.test_set.campaign, "ada"), task, damaged=5, others=75)
    hits = HIT.objects.filter(task=task).select_related("design", "batch", "task")
    plans = plans_read(hits.values_list("pk", flat=True))
    assert any(plan.holds_check for plan in plans.values())
    for hit in hits:
        assert hit_redraw(hit) == plans[hit.pk]


def test_ratings_have_their_judges_beside_the_checks(task: Task) -> None:
    if task.protocol != Protocol.RATING:
        pytest.skip("Of ratings alone each text has so many judges.")
    [needed] = judges_needed([task])
    pool_fill(task_id=task.pk, size=1000)
    hits = HIT.objects.filter(task=task)
    plans = plans_read(hits.values_list("pk", flat=True)).values()
    blocks = [block for plan in plans for block in plan.blocks]
    counted = Counter(block.candidates for block in blocks)
    assert set(counted.values()) == {2}
    checks = {block.segment for block in blocks if block.control}
    assert checks
    # Judges meet a segment once in a pass, so its texts and the damaged one need two judges each.
    texts = Counter(
        segment
        for segment, _candidates in {
            (block.segment, block.candidates) for block in blocks
        }
    )
    most = 2 * max(texts.values())
    assert f"At least {most} judges" in " ".join(needed.words) or not needed.is_feasible
