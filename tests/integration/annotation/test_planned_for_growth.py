"""What every submission asks costs the same however much is stored, also with plans made for small tables.

PostgreSQL plans a prepared statement anew when a table's statistics change, and then as it likes: so the text of a
statement must leave it no plan that grows. Each test analyzes small tables, lets them grow, and counts rows:
"empty" prepares its statement after that, as a connection of a new campaign does, "small" before, so that
PostgreSQL plans it anew. (What other tests left in the statistics of a table that was not analyzed here is chance.)
"""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotation.models import HIT, Assignment, Block, Exposure, Judgment, Skip
from annotation.selectors.judging import assigned_blocks
from annotation.services.lending.choose import lending_context_lock
from annotation.services.planning.pool import hits_plan
from annotation.services.submission import JUDGMENT_STORE, judgment_submit
from campaign.database import prepared
from campaign.models import Judge, Segment, Task
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_long_task, make_seen, make_task
from tests.prepared_queries import prepared_queries

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]

FEW, MANY = 40, 1_000


@pytest.fixture(autouse=True)
def nothing_prepared(db: None) -> None:
    """Let statements be prepared here: plans made anew for tables of which all rows are dead, are another matter."""
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")
    prepared._prepared.pop(connection.connection, None)


def explained(name: str, *values: str | int | list[int]) -> list[dict[str, Any]]:
    """Execute a prepared statement, and return the nodes of its plan."""
    with connection.cursor() as cursor:
        marks = ", ".join(["%s"] * len(values))
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE {name} ({marks})", values)
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
        rows = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Join Filter", 0)
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
        judgment_submit(assigned=block, client_id=uuid4(), labels=[1] * len(block.candidates))
    if analyzed == "small":
        analyze()
    done_by(judges, task, like, MANY)
    nodes = explained(
        JUDGMENT_STORE.name,
        *(assignment.pk, last.block_id, task.pk, str(uuid4()), judge.pk),
        *([1] * len(last.candidates), 41_000, 38_000, "", "60 seconds", 50, 30),
    )
    assert Assignment.objects.get().completed_at is not None
    assert "hashed SubPlan" not in str(nodes)
    # Few HITs are there, and may be read; many judgments and skips, of this judge and of another.
    assert rows_compared(nodes) <= FEW + 30


def seen_by(judge: Judge, segments: Sequence[Segment]) -> None:
    make_seen(judge, segments, task=Task.objects.get())


@pytest.mark.parametrize("analyzed", ["empty", "small"])
def test_lending_looks_up_what_a_judge_has_seen_of_a_hit_by_its_segments(analyzed: str) -> None:
    if analyzed == "empty":
        analyze()
    task = make_long_task(make_campaign(), segments=MANY + 200, systems=3)
    judge = make_judge(task.test_set.campaign, "ann")
    hits_plan(task_id=task.pk, count=20)
    planned = {each for hit in HIT.objects.all() for each in hit.segment_ids}
    others = list(Segment.objects.exclude(pk__in=planned))
    values: dict[str, Any] = {
        "judge_id": judge.pk,
        "task_id": task.pk,
        "conflicts": [],
        "apart": "",
    }
    asking = [
        (query, {name: values[name] for name in query.fields})
        for query in prepared_queries("annotation.")
        # Judges have seen what they are shown again.
        if "apart" in query.fields and "repeats" not in query.name
    ]
    assert len(asking) >= 10

    seen_by(judge, others[:FEW])
    if analyzed == "small":
        with transaction.atomic():
            for query, asked in asking:
                query.rows(**asked)
        analyze()
    seen_by(judge, others[FEW:MANY])
    for query, asked in asking:
        with transaction.atomic():
            lending_context_lock(judge)
            query.rows(**asked)
            nodes = explained(query.name, *asked.values())
        looked_up = [node for node in nodes if node.get("Relation Name") == Exposure._meta.db_table]
        assert looked_up, query.name
        assert rows_compared(looked_up) == 0, query.name
