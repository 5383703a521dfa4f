"""What closed campaigns cost the open one, and what partitions by test set would change.

    python -m tests.benchmarks.closed_campaigns [--closed 10] [--blocks 30000] [--judged 600]

An open campaign is judged through the services that answer browsers, numbered, and its pages are asked for: alone,
and then another one like it, beside ten closed campaigns of 30,000 blocks. Processor time of Python and of PostgreSQL, pages of
tables and indexes that PostgreSQL looked at, and what it logged. Then a table like that of judgments, whole and in partitions by test set
with the keys that partitions need: what a row costs and takes, and how one test set leaves.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import psutil

from tests.benchmarks.web_server import (
    postgresql_process,
    prepare_django,
    processor_seconds,
    with_services,
)

JUDGES = 24
PAGES_ASKED = 20
REPEATS = 3

TOUCHED = """
    SELECT coalesce(sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read), 0),
        pg_current_wal_insert_lsn() - '0/0'
    FROM pg_statio_user_tables
"""


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def execute(sql: str, *parameters: str) -> list[tuple[Any, ...]]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(sql, parameters or None)
        return cursor.fetchall() if cursor.description else []


@dataclass(frozen=True)
class Cost:
    """Of one of many: milliseconds of processor time, pages looked at, bytes of write-ahead log."""

    python: float
    postgresql: float
    pages: float
    logged: float

    def __str__(self) -> str:
        return f"{self.python:9.2f} {self.postgresql:10.2f} {self.pages:9.1f} {self.logged:9.0f}"


def measured(work: Callable[[], object], times: int) -> Cost:
    """Return what one of `times` costs that `work` does."""
    own, database = psutil.Process(), postgresql_process()
    execute("SELECT pg_stat_force_next_flush()")
    [(pages, logged)] = execute(TOUCHED)
    before = processor_seconds(own), processor_seconds(database)
    work()
    after = processor_seconds(own), processor_seconds(database)
    execute("SELECT pg_stat_force_next_flush()")
    [(touched, written)] = execute(TOUCHED)
    python, postgresql = (1000 * (b - a) / times for a, b in zip(before, after, strict=True))
    return Cost(python, postgresql, float(touched - pages) / times, float(written - logged) / times)


class Open:
    """A campaign at work."""

    def __init__(self, slug: str, judged: int) -> None:
        from annotation.services import design_ensure, pool_fill
        from tests import factories

        campaign = factories.make_campaign(slug, blocks_per_judge=1_000_000)
        self.task = factories.make_long_task(campaign, segments=600, systems=20)
        design_ensure(task=self.task)
        self.organiser = factories.make_organiser(campaign, f"{slug}@example.org")
        self._judges = [factories.make_judge(campaign, f"{slug}-{n}") for n in range(JUDGES)]
        self._random = random.Random(14)
        self.judged = judged
        pool_fill(task_id=self.task.pk, size=judged)

    def judge(self) -> None:
        """Lend and judge so many blocks, HIT by HIT, a judge after the other."""
        from annotation.selectors import assigned_blocks
        from annotation.services import assignment_lend, judgment_submit

        done = 0
        while done < self.judged:
            for judge in self._judges:
                lent = assignment_lend(judge=judge)
                assert lent is not None, "the pool is empty"
                for block in assigned_blocks(lent.assignment):
                    judgment_submit(
                        assigned=block,
                        client_id=uuid4(),
                        labels=[self._random.randint(1, 5) for _each in block.candidates],
                        duration_ms=41_000,
                        active_ms=38_000,
                    )
                    done += 1
        self.judged = done

    def number(self) -> None:
        from annotation.services import judgments_number

        judgments_number(task_id=self.task.pk)

    def rank(self) -> None:
        from ranking.tasks import rank_task

        rank_task(self.task.pk)

    def pages(self) -> None:
        from django.test import Client

        client = Client()
        client.force_login(self.organiser)
        slug = self.task.test_set.campaign.slug
        for _time in range(PAGES_ASKED):
            for path in ("", "judges/", "live/"):
                page = client.get(f"/campaigns/{slug}/tasks/{self.task.pk}/{path}")
                assert page.status_code in {200, 204, 286}, page.status_code

    def measure(self) -> dict[str, Cost]:
        costs = {}
        began, pages = self.judged, PAGES_ASKED * 3
        costs["a judged block, with its share of a HIT lent"] = measured(self.judge, began)
        costs["a judgment numbered"] = measured(self.number, self.judged)
        self.rank()
        costs["a ranking asked for again"] = measured(self.rank, 1)
        self.pages()
        costs["a page of the organiser's"] = measured(self.pages, pages)
        return costs


def closed_make(number: int, blocks: int) -> None:
    """Store a closed campaign that was judged."""
    from django.db.models.functions import Now

    from campaign.models import Task
    from tests import factories
    from tests.filling import Filling, filled_task

    campaign = factories.make_campaign(f"closed-{number}")
    task = filled_task(campaign, Filling(blocks=blocks, seed=number))
    Task.objects.filter(pk=task.pk).update(closed_at=Now())


def report(alone: dict[str, Cost], beside: dict[str, Cost], closed: int, blocks: int) -> None:
    say(f"{'':46} {'Python ms':>9} {'PostgreSQL':>10} {'pages':>9} {'WAL bytes':>9}")
    for name, cost in alone.items():
        say(f"{name + ', alone':46} {cost}")
        say(f"{f'  beside {closed} of {blocks:,} blocks':46} {beside[name]}")


# --- Partitions -----------------------------------------------------------------------------------

_COLUMNS = """
    id bigint NOT NULL, client_id uuid NOT NULL, labels smallint[] NOT NULL, duration_ms int, active_ms int,
    comment text NOT NULL, submitted_at timestamptz NOT NULL DEFAULT now(), assignment_id bigint,
    block_id bigint NOT NULL, judge_id bigint NOT NULL, supersedes_id bigint, task_id bigint NOT NULL
"""
_INDEXES = (
    "CREATE UNIQUE INDEX ON {0} ({1} judge_id, block_id) WHERE supersedes_id IS NULL",
    "CREATE UNIQUE INDEX ON {0} ({1} supersedes_id)",
    "CREATE INDEX ON {0} (block_id)",
    "CREATE INDEX ON {0} (judge_id, submitted_at DESC)",
    "CREATE UNIQUE INDEX ON {0} ({1} client_id)",
)
_ROW = """
    INSERT INTO {0} (id, client_id, labels, duration_ms, active_ms, comment, assignment_id, block_id, judge_id, task_id)
    SELECT n, gen_random_uuid(), '{{1,2,3,4,5}}', 41000, 38000, '', n / 3, n, n % 60, t
    FROM (SELECT t * 10000000::bigint + n AS n, t FROM generate_series(1, {1}) n, generate_series(1, {2}) t) each
"""
_LOOP = """
    PREPARE {0}_put (bigint) AS
    WITH earlier AS (
        SELECT count(*) AS times, max(id) AS latest FROM {0}
        WHERE block_id = $1 AND judge_id = $1 % 60 AND task_id = 1
    )
    INSERT INTO {0} (id, client_id, labels, duration_ms, active_ms, comment, assignment_id, block_id, judge_id, task_id, supersedes_id)
    SELECT $1, gen_random_uuid(), '{{1,2,3,4,5}}', 41000, 38000, '', $1 / 3, $1, $1 % 60, 1, latest
    FROM earlier
"""


def tables_make(tasks: int, blocks: int) -> None:
    """Make the same judgments twice: in one table, and in a partition for each test set."""
    execute(f"CREATE TABLE whole ({_COLUMNS}, PRIMARY KEY (id))")
    execute(
        f"CREATE TABLE parted ({_COLUMNS}, PRIMARY KEY (task_id, id)) PARTITION BY LIST (task_id)"
    )
    for number in range(1, tasks + 1):
        execute(f"CREATE TABLE parted_{number} PARTITION OF parted FOR VALUES IN ({number})")
    for table, key in (("whole", ""), ("parted", "task_id,")):
        for index in _INDEXES:
            execute(index.format(table, key))
        execute(_ROW.format(table, blocks, tasks))
    execute("VACUUM (ANALYZE)")


def put(table: str, first: int, rows: int) -> None:
    """Store rows one by one, as judgments come."""
    from django.db import connection

    with connection.cursor() as cursor:
        for number in range(first, first + rows):
            cursor.execute(f"EXECUTE {table}_put ({number})")


def partitions_measure(tasks: int, blocks: int) -> None:
    execute("SET plan_cache_mode = force_generic_plan")
    tables_make(tasks, blocks)
    say(f"\n{tasks} test sets of {blocks:,} judgments, one table and partitions by test set:")
    count = tasks * blocks
    for table in ("whole", "parted"):
        stored, (heap, indexes) = storing_cost(table, blocks), sizes(table)
        say(f"a judgment stored ({table}):{'':>20} {stored}")
        say(f"bytes of one, heap and indexes ({table}): {heap / count:.0f} {indexes / count:.0f}")
        plan = execute(f"EXPLAIN (ANALYZE) SELECT FROM {table} WHERE client_id = '{UUID(int=1)}'")
        said = " ".join(line for (line,) in plan if "Time" in line)
        say(f"looked up by its id alone ({table}): {said}")
    for name, statements in _LEAVES.items():
        cost = measured(partial(list, map(execute, statements)), 1)
        say(f"a test set {name}:{'':>20} {cost}")


_ROWS = 2000
_SIZES = """
    SELECT coalesce(sum(pg_table_size(c.oid)), 0), coalesce(sum(pg_indexes_size(c.oid)), 0)
    FROM pg_class c WHERE c.relkind = 'r' AND (c.relname = %s OR c.relname LIKE %s)
"""
_LEAVES = {
    "deleted and vacuumed": ("DELETE FROM whole WHERE task_id = 2", "VACUUM whole"),
    "detached": ("ALTER TABLE parted DETACH PARTITION parted_2",),
}


def storing_cost(table: str, blocks: int) -> Cost:
    """Return the cheapest of the repeats, of one row."""
    execute(_LOOP.format(table))
    first = 10_000_000 + blocks + 1
    costs = [
        measured(partial(put, table, first + turn * _ROWS, _ROWS), _ROWS) for turn in range(REPEATS)
    ]
    return min(costs, key=lambda cost: cost.postgresql)


def sizes(table: str) -> tuple[int, int]:
    """Return the bytes of a table, or of its partitions: heap and indexes."""
    [(heap, indexes)] = execute(_SIZES, table, f"{table}\\_%")
    return heap, indexes


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--closed", type=int, default=10)
    parser.add_argument("--blocks", type=int, default=30_000)
    parser.add_argument("--judged", type=int, default=600)
    options = parser.parse_args()
    with_services("tests.benchmarks.closed_campaigns")
    prepare_django(STATIC_HASHED="0", ALLOWED_HOSTS="testserver")
    Open("warm", options.judged).measure()
    alone = [Open(f"alone-{turn}", options.judged).measure() for turn in range(REPEATS)]
    for number in range(options.closed):
        closed_make(number, options.blocks)
    execute("VACUUM (ANALYZE)")
    beside = [Open(f"beside-{turn}", options.judged).measure() for turn in range(REPEATS)]
    report(least(alone), least(beside), options.closed, options.blocks)
    partitions_measure(options.closed + 1, options.blocks)


def least(costs: list[dict[str, Cost]]) -> dict[str, Cost]:
    """Return the cheapest of the repeats: what others on the machine cost is in the others."""
    return {
        name: min((each[name] for each in costs), key=lambda cost: cost.python + cost.postgresql)
        for name in costs[0]
    }


if __name__ == "__main__":
    main()
