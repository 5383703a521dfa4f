"""Bytes of a judged block in the database: what planning, lending and judging it leave behind.

    python -m tests.benchmarks.table_bytes [--blocks 6000]

HITs of three blocks with five outputs of twenty systems are planned by the worker's own service, a
few dozen at a time, lent to judges and judged through the services that answer their browsers. A
first third is judged, then the rest; what the tables grew by between the two, each time after
VACUUM, is divided by the blocks judged in between: pages half full and all that is there once do
not count. Heap (with TOAST) and indexes apart. Below: how often each index was used meanwhile.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from typing import Any
from uuid import UUID

from tests.benchmarks.web_server import prepare_django, with_services

WANTED_BYTES = 1500
JUDGES = 24
SYSTEMS = 20
# HITs available when the worker has been there, and how many are lent before it comes again.
POOL, LENT_BETWEEN = 60, 40
VACUUM_EVERY = 1000

SIZES = """
    SELECT relname, pg_table_size(oid), pg_indexes_size(oid)
    FROM pg_class WHERE relkind = 'r' AND relname ~ '^(annotation|campaign)_'
"""
INDEXES = """
    SELECT relname, indexrelname, idx_scan, pg_relation_size(indexrelid)
    FROM pg_stat_user_indexes WHERE relname = ANY (%s) ORDER BY relname, indexrelname
"""

Sizes = dict[str, tuple[int, int]]


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Campaign:
    """A campaign whose judges take turns, a HIT each."""

    def __init__(self, blocks: int) -> None:
        from annotation.services import design_ensure
        from tests import factories

        campaign = factories.make_campaign(blocks_per_judge=1_000_000)
        # Nobody is shown a segment twice: enough of them that no judge runs out.
        segments = 10 * (2 * blocks // JUDGES // 10 + 6)
        self.task = factories.make_long_task(campaign, segments=segments, systems=SYSTEMS)
        design_ensure(task=self.task)
        self._judges = [factories.make_judge(campaign, f"judge{n:02}") for n in range(JUDGES)]
        self._random = random.Random(14)
        self._lent = 0
        self.judged = 0

    def judge(self, blocks: int) -> None:
        """Judge until so many blocks are judged, and fill the pool."""
        while self.judged < blocks:
            before = self.judged
            for judge in self._judges:
                self._judge_hit(judge)
            if self.judged // VACUUM_EVERY > before // VACUUM_EVERY:
                vacuum()
        self._fill()

    def _judge_hit(self, judge: Any) -> None:
        from annotation.selectors import assigned_blocks
        from annotation.services import assignment_lend, judgment_submit, work_request

        if self._lent % LENT_BETWEEN == 0:
            self._fill()
        lent = assignment_lend(judge=judge)
        if lent is None:
            work_request(judge=judge)
            self._fill()
            lent = assignment_lend(judge=judge)
        assert lent is not None, "the segments are not enough"
        self._lent += 1
        for block in assigned_blocks(lent.assignment):
            labels = [self._random.randint(1, 5) for _candidate in block.candidates]
            judgment_submit(
                assigned=block,
                client_id=UUID(int=self._random.getrandbits(128), version=4),
                labels=labels,
                duration_ms=41_000,
                active_ms=38_000,
            )
            self.judged += 1

    def _fill(self) -> None:
        from annotation.services import pool_fill

        pool_fill(task_id=self.task.pk, size=POOL)


def vacuum() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE)")


def sizes() -> Sizes:
    """Bytes of heap and of indexes by table."""
    from django.db import connection

    vacuum()
    with connection.cursor() as cursor:
        cursor.execute(SIZES)
        return {table: (heap, indexes) for table, heap, indexes in cursor}


def report(before: Sizes, after: Sizes, blocks: int) -> None:
    grown = {
        table: (heap - before[table][0], indexes - before[table][1])
        for table, (heap, indexes) in after.items()
        if (heap, indexes) != before[table]
    }
    say(f"{'bytes a judged block':34} {'heap':>7} {'indexes':>8} {'sum':>7}")
    total: Counter[str] = Counter()
    for table, (heap, indexes) in sorted(grown.items(), key=lambda each: -sum(each[1])):
        say(
            f"{table:34} {heap / blocks:7.0f} {indexes / blocks:8.0f} {(heap + indexes) / blocks:7.0f}"
        )
        total.update(heap=heap, indexes=indexes)
    heap_each, indexes_each = total["heap"] / blocks, total["indexes"] / blocks
    say(
        f"{'all':34} {heap_each:7.0f} {indexes_each:8.0f} {heap_each + indexes_each:7.0f}"
        f"   (wanted: at most {WANTED_BYTES:,})"
    )
    say_indexes(list(grown), blocks)


def say_indexes(tables: list[str], blocks: int) -> None:
    from django.db import connection

    say(f"\n{'index':66} {'scans':>8} {'bytes a block':>14}")
    with connection.cursor() as cursor:
        cursor.execute(INDEXES, [tables])
        for _table, index, scans, size in cursor:
            say(f"{index:66} {scans:8,} {size / blocks:14.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=6000)
    options = parser.parse_args()
    with_services("tests.benchmarks.table_bytes")
    prepare_django(STATIC_HASHED="0")
    campaign = Campaign(options.blocks)
    campaign.judge(options.blocks // 3)
    first, before = campaign.judged, sizes()
    campaign.judge(options.blocks)
    say(
        f"{campaign.judged - first:,} blocks judged by {JUDGES} judges, after {first:,} before them"
    )
    report(before, sizes(), campaign.judged - first)


if __name__ == "__main__":
    main()
