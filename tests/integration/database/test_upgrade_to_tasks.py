"""A running campaign that was stored before there were tasks goes on after the upgrade.

`tests/data/before_tasks.sql.gz` was written by the code of then: 120 judged blocks of six judges, a HIT that is lent,
rankings, an analysis, a published result, a panel, problem reports; `COPY` by table.
"""

import gzip
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.executor import MigrationExecutor

from annotation.models import JudgmentNumber, JudgmentSequence
from annotation.selectors import assigned_blocks
from annotation.services import judgment_submit, judgments_number, pool_fill
from campaign.models import Judge, Protocol, Task, TestSet
from campaign.selectors.tasks import ranking_task
from cells.databases import asked_by_default
from ranking.models import RankingRun
from ranking.services import ranking_run_reproduce
from tests.at_work import lend
from tests.migration_steps import steps_executor
from tests.second_database import second_database

pytestmark = pytest.mark.django_db(transaction=True)

STORED = Path(__file__).parents[2] / "data" / "before_tasks.sql.gz"
BEFORE = {
    "campaign": "0024_campaign_copies",
    "annotation": "0024_what_notes_are_for",
    "ranking": "0019_reworded_reasons",
}
# A test set's quotas moved to its task.
MOVED = {"blocks_wanted", "blocks_per_segment", "closed_at"}


@dataclass(frozen=True)
class StoredTable:
    """Rows of a table as they were: lines of `COPY`, their columns in order."""

    name: str
    columns: list[str]
    lines: list[str]

    def values(self, column: str) -> list[str]:
        place = self.columns.index(column)
        return [line.split("\t")[place] for line in self.lines]


def stored_tables() -> Iterator[StoredTable]:
    for part in gzip.decompress(STORED.read_bytes()).decode().split("\n\\.\n"):
        if not part.strip():
            continue
        head, *lines = part.strip("\n").split("\n")
        name, columns = head.removeprefix("COPY ").removesuffix(") FROM STDIN;").split(" (")
        yield StoredTable(name, columns.replace('"', "").split(", "), lines)


@pytest.fixture
def upgraded(transactional_db: None) -> Iterator[list[StoredTable]]:
    """Ask everything of a database that was filled before the upgrade; give what was in it."""
    tables = list(stored_tables())
    with second_database("upgraded", is_copy=False) as other, asked_by_default(other):
        # Rows of prepared statements are of the database their connection is called.
        other.alias = DEFAULT_DB_ALIAS
        executor = steps_executor()
        leaves = executor.loader.graph.leaf_nodes()
        # Answers of protocols came with tasks.
        later = {
            each.label for each in apps.get_app_configs() if each.name.startswith("protocols.")
        }
        others = [(app, name) for app, name in leaves if app not in {*BEFORE, *later}]
        executor.migrate([*others, *BEFORE.items()])
        load(tables)
        executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
        executor.migrate(executor.loader.graph.leaf_nodes())
        yield tables


def load(tables: list[StoredTable]) -> None:
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        for table in tables:
            columns = ", ".join(f'"{each}"' for each in table.columns)
            rows = io.StringIO("".join(f"{line}\n" for line in table.lines))
            cursor.execute(f"DELETE FROM {table.name}")
            cursor.copy_expert(f"COPY {table.name} ({columns}) FROM STDIN", rows)
            if "id" in table.columns and table.values("id")[0].isdigit():
                sequence = "SELECT setval(pg_get_serial_sequence(%s, 'id'), max(id)) FROM "
                cursor.execute(sequence + table.name, [table.name])
        cursor.execute("SET session_replication_role = origin")


def lines_now(table: StoredTable) -> list[str]:
    """Return the same columns of a table as they are now, a test set's id being its ranking's."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(
            "SELECT array_agg(attname) FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0",
            [table.name],
        )
        there = set(cursor.fetchone()[0])
        names = [
            each if each in there else each.replace("test_set", "task") for each in table.columns
        ]
        rows = io.StringIO()
        cursor.copy_expert(f"COPY {table.name} ({', '.join(map(quoted, names))}) TO STDOUT", rows)
    return rows.getvalue().splitlines()


def quoted(name: str) -> str:
    return f'"{name}"'


@pytest.mark.thorough
def test_a_running_campaign_goes_on(upgraded: list[StoredTable]) -> None:
    each_row_stays(upgraded)
    tasks_have_what_test_sets_had(upgraded)
    [run] = RankingRun.objects.order_by("pk")
    assert nearly(ranking_run_reproduce(run)) == nearly(run.result)
    task = Task.objects.get(pk=run.task_id)
    judging_goes_on(task)
    new = TestSet.objects.create(
        campaign=task.test_set.campaign, name="new", source_language="cs", target_language="de"
    )
    assert not Task.objects.filter(test_set=new).exists()


def nearly(value: Any) -> Any:
    """Return a result with twelve digits of each number: the last ones are those of the processor it was computed on."""
    if isinstance(value, dict):
        return {name: nearly(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [nearly(each) for each in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value


def each_row_stays(tables: list[StoredTable]) -> None:
    changed = [
        table.name
        for table in tables
        if table.name != "campaign_testset" and sorted(lines_now(table)) != sorted(table.lines)
    ]
    assert changed == []


def tasks_have_what_test_sets_had(tables: list[StoredTable]) -> None:
    [before] = [table for table in tables if table.name == "campaign_testset"]
    assert set(before.columns) >= MOVED
    assert len(before.lines) == TestSet.objects.count() == Task.objects.count() == 2
    for line, identity in zip(before.lines, before.values("id"), strict=True):
        was = dict(zip(before.columns, line.split("\t"), strict=True))
        task = Task.objects.get(pk=identity)
        assert task == ranking_task(test_set=TestSet.objects.get(pk=identity))
        assert (task.test_set_id, task.protocol) == (int(identity), Protocol.RANKING)
        for name in MOVED:
            value: Any = getattr(task, name)
            assert was[name] == ("\\N" if value is None else str(value))


def judging_goes_on(task: Task) -> None:
    """Who was lent a HIT judges it, and then one that was planned after the upgrade."""
    before = JudgmentSequence.objects.get(task=task).last_number
    judge = Judge.objects.filter(
        assignments__completed_at=None, assignments__hit__task=task
    ).earliest("pk")
    pool_fill(task_id=task.pk, size=5)
    done = 0
    for _hit in range(2):
        for block in assigned_blocks(lend(judge)):
            judgment_submit(assigned=block, client_id=uuid4(), labels=[1] * len(block.candidates))
            done += 1
    judgments_number(task_id=task.pk)
    numbers = JudgmentNumber.objects.filter(task=task).order_by("number")
    assert list(numbers.values_list("number", flat=True)) == list(range(1, before + done + 1))
