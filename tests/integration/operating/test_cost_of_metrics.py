"""What the metrics of the database cost: as many rows read with ten times the blocks, and whatever was sent before."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from annotation.models import JudgeAccount
from campaign.models import Job, Mail, Task, WebhookDelivery
from config.metrics import _SQL
from ranking.services.runs import ranking_compute
from tests.factories import make_campaign
from tests.filled_world import costs
from tests.filling import Filling, filled_task
from tests.integration.test_cost_of_pages import AS_FOR_LARGE_TABLES
from tests.outboxes import outboxes_fill
from tests.roles import owner_cursor

pytestmark = [
    pytest.mark.usefixtures("no_dead_rows", "as_owner", "db"),
    pytest.mark.thorough,
]

FEW, MANY = 300, 3_000
#: A metric of what waits may read so many rows: here hardly anything does.
ROWS = 60
_NODE = "Node Type"


@pytest.fixture
def no_dead_rows(django_db_setup: None) -> None:
    """Without what earlier tests rolled back: scans pass it."""
    with owner_cursor() as cursor:
        cursor.execute("VACUUM")


def task_at_work(blocks: int) -> Task:
    """A ranked task with so many blocks, of whose judges one waits; and long outboxes of its campaign."""
    campaign = make_campaign(f"blocks-{blocks}")
    task = filled_task(campaign, Filling(blocks=blocks, judges=12))
    assert ranking_compute(task_id=task.pk) is not None
    account = JudgeAccount.objects.filter(task=task).earliest("judge_id")
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE annotation_judgeaccount SET requested_at = now() WHERE judge_id = %s",
            [account.judge_id],
        )
    outboxes_fill(campaign, blocks)
    with connection.cursor() as cursor:
        for statement in ["ANALYZE", *AS_FOR_LARGE_TABLES]:
            cursor.execute(statement)
    return task


def read() -> dict[str, int]:
    """Rows that the statement reads, by table, with those of its indexes."""
    with connection.cursor() as cursor:
        # The first time PostgreSQL looks up what the statement speaks of.
        cursor.execute(_SQL)
        with costs() as cost:
            cursor.execute(_SQL)
            names = {name for name, _labels, _value in cursor.fetchall()}
    assert "quintet_pool_hits" in names
    rows: dict[str, int] = {}
    for (table, _name), count in cost.rows.items():
        rows[table] = rows.get(table, 0) + count
    return rows


def test_the_metrics_read_as_few_rows_with_many_blocks_as_with_few() -> None:
    task_at_work(FEW)
    few = read()
    task = task_at_work(MANY)
    # Whoever waited before waits no more, so that there is one such task again.
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE annotation_judgeaccount SET requested_at = NULL WHERE task_id <> %s",
            [task.pk],
        )
    many = read()
    assert WebhookDelivery.objects.count() == Job.objects.count() == FEW + MANY
    assert Mail.objects.count() == FEW + MANY
    assert {
        table: rows for table, rows in many.items() if rows > few[table] + ROWS
    } == {}


def test_no_table_that_grows_is_read_whole() -> None:
    task_at_work(FEW)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {_SQL}")
        plan = cursor.fetchone()[0]
    [root] = json.loads(plan) if isinstance(plan, str) else plan
    scanned = {
        node["Relation Name"]
        for node in nodes(root["Plan"])
        if node[_NODE] == "Seq Scan"
    }
    # Addresses of webhooks are ten a campaign, and the other is what waits.
    assert scanned <= {"campaign_webhookendpoint", "annotation_uncountedanswer"}


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every node of a plan."""
    yield plan
    for inner in plan.get("Plans", []):
        yield from nodes(inner)
