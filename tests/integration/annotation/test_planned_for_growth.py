"""The cost of a submission does not grow with what is stored, even if statistics are of small tables.

Each test analyzes small tables, lets them grow, and counts the rows that queries read.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import HIT, Assignment, Block, Exposure, Judgment, Skip
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.pool import (
    HITRequest,
    hits_for_judge,
    hits_near,
    hits_reserved,
    hits_standby,
    hits_standby_near,
)
from annotation.services.lending.choose import lending_context_lock
from annotation.services.planning.pool import hits_plan
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Judge, Segment, Task
from tests.at_work import lend
from tests.factories import (
    make_campaign,
    make_judge,
    make_long_task,
    make_seen,
    make_task,
)

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]

FEW, MANY = 40, 1_000


def explained(query: str) -> list[dict[str, Any]]:
    """Execute a query, and return the nodes of its plan."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {query}")
        [[plan]] = cursor.fetchone()
    return list(_each(plan["Plan"]))


def _each(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", []):
        yield from _each(child)


def rows_compared(nodes: list[dict[str, Any]]) -> float:
    """Return how many rows were read from tables, or thrown away after they were joined."""
    total = 0.0
    for node in nodes:
        rows = node.get("Rows Removed by Filter", 0) + node.get(
            "Rows Removed by Join Filter",
            0,
        )
        if "Relation Name" in node and "Scan" in node["Node Type"]:
            rows += node["Actual Rows"]
        total += rows * node["Actual Loops"]
    return total


def analyze() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def judged_by(judge: Judge, blocks: list[Block], task: Task) -> None:
    Judgment.objects.bulk_create(
        Judgment(
            task=task,
            client_id=uuid4(),
            judge=judge,
            block=block,
            labels=[1] * len(block.outputs),
            duration_ms=9_000,
            active_ms=9_000,
            submitted_at=timezone.now(),
        )
        for block in blocks
    )


def shown(task: Task, like: Block, count: int) -> list[Block]:
    """Show as many more blocks, in a HIT of their own."""
    hit = like.hit
    hit.pk, hit.number, hit.family = None, 1_000_000 + Block.objects.count(), None
    hit.save()
    return Block.objects.bulk_create(
        Block(hit=hit, segment=like.segment, position=each + 1, outputs=like.outputs)
        for each in range(count)
    )


def done_by(judges: Sequence[Judge], task: Task, like: Block, count: int) -> None:
    """Let each judge have judged as many more blocks, and skipped as many others."""
    for judge in judges:
        judged_by(judge, shown(task, like, count), task)
        Skip.objects.bulk_create(
            Skip(task=task, client_id=uuid4(), judge=judge, block=block, reason="other")
            for block in shown(task, like, count)
        )


@pytest.mark.parametrize("analyzed", ["empty", "small"])
def test_storing_reads_the_same_few_rows_whatever_is_stored(analyzed: str) -> None:
    if analyzed == "empty":
        analyze()
    task = make_task(make_campaign(), identical=())
    judges = [make_judge(task.test_set.campaign, name) for name in ("ann", "ben")]
    judge = judges[0]
    assignment = lend(judge)
    *first, last = assigned_blocks(assignment)
    like = Block.objects.get(pk=last.block_id)

    done_by(judges, task, like, FEW)
    for block in first:
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(labels=[1] * len(block.candidates)),
        )
    if analyzed == "small":
        analyze()
    done_by(judges, task, like, MANY)
    with CaptureQueriesContext(connection) as sent:
        judgment_submit(
            assigned=last,
            client_id=uuid4(),
            sent=SentJudgment(labels=[1] * len(last.candidates)),
        )
    reads = [query["sql"] for query in sent if query["sql"].startswith("SELECT ")]
    assert len(reads) >= 4
    nodes = [node for read in reads for node in explained(read)]
    assert Assignment.objects.get().completed_at is not None
    assert "hashed SubPlan" not in str(nodes)
    # Few HITs are there, and may be read; many judgments and skips, of this judge and of another.
    assert rows_compared(nodes) <= FEW + 30


def seen_by(judge: Judge, segments: Sequence[Segment]) -> None:
    make_seen(judge, segments, task=Task.objects.get())


@pytest.mark.parametrize("analyzed", ["empty", "small"])
def test_lending_looks_up_what_a_judge_has_seen_of_a_hit_by_its_segments(
    analyzed: str,
) -> None:
    if analyzed == "empty":
        analyze()
    task = make_long_task(make_campaign(), segments=MANY + 200, systems=3)
    judge = make_judge(task.test_set.campaign, "ann")
    hits_plan(task_id=task.pk, count=20)
    planned = {each for hit in HIT.objects.all() for each in hit.segment_ids}
    others = list(Segment.objects.exclude(pk__in=planned))
    request = HITRequest(judge_id=judge.pk, task_id=task.pk, conflicts=[], apart="")
    # Judges have seen what they are shown again.
    sources = [
        hits_near,
        hits_for_judge,
        hits_standby_near,
        hits_standby,
        hits_reserved,
    ]

    seen_by(judge, others[:FEW])
    if analyzed == "small":
        analyze()
    seen_by(judge, others[FEW:MANY])
    for hits, holds_check in product(sources, (None, True, False)):
        query = hits(request).available().holding_check(holds_check)[:1]
        with transaction.atomic():
            lending_context_lock(judge)
            [plan] = json.loads(query.explain(analyze=True, format="json"))
        nodes = _each(plan["Plan"])
        looked_up = [
            node
            for node in nodes
            if node.get("Relation Name") == Exposure._meta.db_table
        ]
        assert looked_up, hits.__name__
        assert rows_compared(looked_up) == 0, hits.__name__
