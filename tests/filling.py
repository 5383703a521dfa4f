"""Store a test set with many judgments in seconds, as the rows of judged blocks.

One INSERT … SELECT a table, with ids and values that are arithmetic of the block's number. Of the blocks, 3 %
were skipped, 1 % are attention checks, in 5 % the first candidate stands for two outputs; 2 % of the
judgments were revised, 1 % have a blank label, 1 % a comment; in 1 % of blocks a problem was reported. HITs of three segments go round: in each round every judge has
others, and a twentieth of the HITs is judged twice by the same judge before it goes on.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection, transaction

from annotation.models import (
    HIT,
    Assignment,
    Block,
    Exposure,
    HITSequence,
    Judgment,
    Skip,
)
from annotation.services.numbers import counters_rebuild
from annotation.services.planning.designs import design_ensure
from campaign.models import (
    Campaign,
    Document,
    Judge,
    Output,
    Segment,
    System,
    SystemKind,
    Task,
    User,
)
from tests.factories import empty_task

BLOCKS_A_HIT, SEGMENTS_A_DOCUMENT, SHOWN = 3, 12, 5
_ORDERS = 4096


@dataclass(frozen=True, kw_only=True)
class Filling:
    """Contents of a test set.

    Attributes
    ----------
    blocks : int
        Blocks lent to a judge, skipped ones included.
    systems, segments, judges : int
        Of the test set; segments a multiple of twelve.
    seed : int
        Of the shown orders and labels.
    is_checked : bool
        With triggers and foreign keys on, which takes a hundred times as long.
    """

    blocks: int
    systems: int = 20
    segments: int = 3000
    judges: int = 60
    seed: int = 7
    is_checked: bool = False


def filled_task(campaign: Campaign, filling: Filling, *, name: str = "filled") -> Task:
    """Store a test set in a campaign without judges, as the owner of the tables; return it."""
    with transaction.atomic():
        task = _texts(campaign, filling, name)
        values = _values(task, filling)
        with connection.cursor() as cursor:
            if not filling.is_checked:
                cursor.execute("SET LOCAL session_replication_role = replica")
            for statement in _statements(filling):
                cursor.execute(statement, values)
            cursor.execute("DROP TABLE filled, filled_placed")
            for table in _TABLES:
                cursor.execute(_SEQUENCE.format(table=table._meta.db_table))
            cursor.execute("SET LOCAL session_replication_role = origin")
        counters_rebuild(task_id=task.pk)
    if not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM (FREEZE, ANALYZE)")
    return task


def _texts(campaign: Campaign, filling: Filling, name: str) -> Task:
    task = empty_task(
        campaign=campaign,
        name=name,
        source_language="en",
        target_language="de",
    )
    documents = Document.objects.bulk_create(
        Document(test_set=task.test_set, name=f"document {position}", position=position)
        for position in range(1, filling.segments // SEGMENTS_A_DOCUMENT + 1)
    )
    Segment.objects.bulk_create(
        Segment(
            test_set=task.test_set,
            document=documents[number // SEGMENTS_A_DOCUMENT],
            number=number + 1,
            position=number % SEGMENTS_A_DOCUMENT + 1,
            source_text=f"Source sentence {number + 1}.",
        )
        for number in range(filling.segments)
    )
    # The last but one is the reference, ranked like a system; the last is shown in checks only.
    kinds = [SystemKind.SYSTEM] * filling.systems + [
        SystemKind.REFERENCE,
        SystemKind.BAD_REFERENCE,
    ]
    System.objects.bulk_create(
        System(test_set=task.test_set, name=f"system-{index:02}", kind=kind)
        for index, kind in enumerate(kinds)
    )
    users = User.objects.bulk_create(
        User(name=f"judge{index:04}", password="!") for index in range(filling.judges)
    )
    Judge.objects.bulk_create(
        Judge(campaign=campaign, user=user, pseudonym=user.name) for user in users
    )
    design_ensure(task=task, seed=filling.seed)
    HITSequence.objects.get_or_create(task=task)
    return task


def _values(task: Task, filling: Filling) -> dict[str, Any]:
    ranked = filling.systems + 1
    random = np.random.default_rng(filling.seed)
    orders = [random.permutation(ranked)[: SHOWN + 1].tolist() for _ in range(_ORDERS)]
    found: dict[str, Any] = {
        "task": task.pk,
        "design": design_ensure(task=task).pk,
        "blocks": filling.blocks,
        "hits": -(-filling.blocks // BLOCKS_A_HIT),
        "segments": filling.segments,
        "groups": filling.segments // BLOCKS_A_HIT,
        "ranked": ranked,
        "seed": filling.seed,
        "orders": orders,
        "systems": list(
            task.test_set.systems.order_by("name").values_list("pk", flat=True),
        ),
        "segment": list(
            task.test_set.segments.order_by("number").values_list("pk", flat=True),
        ),
        "judges": list(
            task.test_set.campaign.judges.order_by("pk").values_list("pk", flat=True),
        ),
    }
    with connection.cursor() as cursor:
        for table in _TABLES:
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, 'id'))",
                [table._meta.db_table],
            )
            found[table.__name__] = cursor.fetchone()[0]
    return found


_TABLES = (Output, HIT, Block, Assignment, Exposure, Judgment, Skip)
_SEQUENCE = (
    "SELECT setval(pg_get_serial_sequence('{table}', 'id'),"
    " (SELECT coalesce(max(id), 1) FROM {table}))"
)

_OUTPUTS = """
INSERT INTO campaign_output (id, segment_id, system_id, text)
SELECT %(Output)s + s * (%(ranked)s + 1) + n, (%(segment)s::bigint[])[s + 1],
    (%(systems)s::bigint[])[n + 1], 'Ausgabe ' || s || ' ' || n
FROM generate_series(0, %(segments)s - 1) s, generate_series(0, %(ranked)s) n
"""

# A row a block: where it stands in its round, who judges it, and the order its systems are shown in.
_PLACED = """
CREATE TEMPORARY TABLE filled_placed ON COMMIT DROP AS
WITH orders AS MATERIALIZED (SELECT %(orders)s::int[] AS shown)
SELECT b, h, round, systems, hashes, (%(segment)s::bigint[])[b %% %(segments)s + 1] AS segment_id,
    %(Output)s + b %% %(segments)s * (%(ranked)s + 1) AS output,
    (%(judges)s::bigint[])[
        (groups * 7919 + turn) %% cardinality(%(judges)s::bigint[]) + 1
    ] AS judge_id,
    turn >= cardinality(%(judges)s::bigint[]) OR turn < round AND round %% 2 = 1 AS is_repeat,
    CASE WHEN b %% 100 = 50 THEN 'attention' ELSE '' END AS control,
    b %% 20 = 7 AS is_shared, b %% 100 = 13 AS is_blank, b %% 33 = 5 AS is_skipped,
    b %% 33 <> 5 AND b %% 50 = 3 AS is_revised,
    now() - interval '30 days' + b * (interval '29 days' / %(blocks)s) AS at
FROM (
    SELECT b, b / 3 AS h, b / 3 %% %(groups)s AS groups, b / 3 / %(groups)s AS round,
        CASE WHEN b / 3 %% %(groups)s %% 20 = 0 THEN b / 3 / %(groups)s / 2
            ELSE b / 3 / %(groups)s END AS turn,
        hashint8extended(b, %(seed)s) AS hashes
    FROM generate_series(0, %(blocks)s - 1) b
) each, LATERAL (
    SELECT ARRAY[{shown}] AS systems FROM orders
) order_of
"""

# What each block shows and the labels it got, in the first judgment and in its revision.
_FILLED = """
CREATE TEMPORARY TABLE filled ON COMMIT DROP AS
SELECT filled_placed.*,
    CASE WHEN control <> '' THEN ARRAY[{first}, output + %(ranked)s]
        WHEN is_shared THEN ARRAY[{first}, {fifth}, {sixth}]
        ELSE ARRAY[{first}, {fifth}] END::bigint[] AS outputs,
    CASE WHEN control = '' AND is_shared THEN ARRAY[2, 1, 1, 1, 1] END::smallint[] AS stands_for,
    ARRAY[{labels}]::smallint[] AS labels,
    ARRAY[{revised}]::smallint[] AS revised
FROM filled_placed
"""

_HITS = """
INSERT INTO annotation_hit (id, task_id, design_id, number, available_at, completed_at, why)
SELECT %(HIT)s + h, %(task)s, %(design)s, h + 1, now(), now(), '{}'
FROM generate_series(0, %(hits)s - 1) h
"""
_BLOCKS = """
INSERT INTO annotation_block
    (id, hit_id, segment_id, position, outputs, stands_for, control, expected)
SELECT %(Block)s + b, %(HIT)s + h, segment_id, b %% 3 + 1, outputs, stands_for, control,
    CASE WHEN control <> '' THEN ARRAY[1, 1, 1, 1, 2] END::smallint[]
FROM filled ORDER BY b
"""
_ASSIGNMENTS = """
INSERT INTO annotation_assignment (id, hit_id, judge_id, public_id, lease, ordinal, completed_at)
SELECT %(Assignment)s + h, %(HIT)s + h, judge_id, gen_random_uuid(),
    tstzrange(at - interval '1 hour', at), row_number() OVER (PARTITION BY judge_id ORDER BY h), at
FROM filled WHERE b %% 3 = 0
"""
_EXPOSURES = """
INSERT INTO annotation_exposure (id, judge_id, segment_id, assignment_id, is_repeat)
SELECT %(Exposure)s + b, judge_id, segment_id, %(Assignment)s + h, is_repeat FROM filled
"""
_JUDGMENTS = """
INSERT INTO annotation_judgment
    (id, task_id, client_id, judge_id, block_id, assignment_id, labels,
     duration_ms, active_ms, comment, supersedes_id, submitted_at)
SELECT %(Judgment)s + n, %(task)s, gen_random_uuid(), judge_id, %(Block)s + b,
    %(Assignment)s + h, CASE WHEN is_revision THEN revised ELSE labels END,
    30000 + b %% 40000 * 7919 %% 40000, 20000 + b %% 40000 * 7919 %% 40000 * 2 / 3,
    CASE WHEN b %% 100 = 21 THEN 'hard to say' ELSE '' END,
    CASE WHEN is_revision THEN %(Judgment)s + n - 1 END, at
FROM (
    SELECT filled.*, is_revision, row_number() OVER (ORDER BY b, is_revision) AS n
    FROM filled, (VALUES (false), (true)) kinds (is_revision)
    WHERE NOT is_skipped AND (is_revised OR NOT is_revision)
) numbered
ORDER BY n
"""
_NUMBERS = """
INSERT INTO annotation_judgmentnumber (judgment_id, task_id, number)
SELECT id, task_id, id - %(Judgment)s FROM annotation_judgment
WHERE task_id = %(task)s ORDER BY id
"""
# Where triggers are on, they have entered judgments and skips here.
_NONE_UNCOUNTED = "DELETE FROM annotation_uncountedanswer WHERE task_id = %(task)s"
_SKIPS = """
INSERT INTO annotation_skip
    (id, task_id, client_id, judge_id, block_id, assignment_id, reason, active_ms, duration_ms,
     comment, created_at)
SELECT %(Skip)s + b, %(task)s, gen_random_uuid(), judge_id, %(Block)s + b, %(Assignment)s + h,
    'cannot_judge', 5000, 9000, CASE WHEN b %% 66 = 5 THEN 'too long' ELSE '' END, at
FROM filled WHERE is_skipped
"""
_REPORTS = """
INSERT INTO annotation_problemreport
    (client_id, judge_id, block_id, task_id, kind, comment, created_at)
SELECT gen_random_uuid(), judge_id, %(Block)s + b, %(task)s, 'source', 'cut off', at
FROM filled WHERE b %% 100 = 31
"""
# Where triggers are on, they have counted the reports.
_REPORTS_COUNTED = """
INSERT INTO annotation_pagechanges (task_id, changes, problem_reports)
SELECT task_id, 1, count(*) FROM annotation_problemreport
WHERE task_id = %(task)s GROUP BY 1
ON CONFLICT (task_id) DO UPDATE SET problem_reports = EXCLUDED.problem_reports
"""
_ACCOUNTS = """
INSERT INTO annotation_judgeaccount
    (judge_id, task_id, hits_lent, intra_lent, blocks_closed, last_lent_at)
SELECT judge_id, %(task)s, count(*) FILTER (WHERE b %% 3 = 0), 0, count(*), max(at)
FROM filled GROUP BY judge_id
"""
_SEQUENCES = """
INSERT INTO annotation_judgmentsequence (task_id, last_number)
SELECT %(task)s, count(*) + count(*) FILTER (WHERE is_revised) FROM filled WHERE NOT is_skipped
ON CONFLICT (task_id) DO UPDATE SET last_number = EXCLUDED.last_number
"""
_HIT_SEQUENCE = """
UPDATE annotation_hitsequence SET last_number = %(hits)s, blocks_planned = %(blocks)s
WHERE task_id = %(task)s
"""


def _statements(filling: Filling) -> list[str]:
    placed = _PLACED.format(
        shown=", ".join(
            f"shown[(hashes & {_ORDERS - 1}) + 1][{i}]" for i in range(1, SHOWN + 2)
        ),
    )
    filled = _FILLED.format(
        first=", ".join(f"output + systems[{place}]" for place in range(1, SHOWN)),
        fifth="output + systems[5]",
        sixth="output + systems[6]",
        labels=", ".join(_label(place, 0) for place in range(1, SHOWN + 1)),
        revised=", ".join(_label(place, 100) for place in range(1, SHOWN + 1)),
    )
    return [
        *[_OUTPUTS, placed, filled, _HITS, _BLOCKS, _ASSIGNMENTS, _EXPOSURES],
        *[_JUDGMENTS, _NUMBERS, _SKIPS, _NONE_UNCOUNTED, _ACCOUNTS],
        *[_REPORTS, _REPORTS_COUNTED, _SEQUENCES, _HIT_SEQUENCE],
    ]


def _label(place: int, salt: int) -> str:
    """Draw a label that is worse on average for higher numbers of systems."""
    perceived = f"(hashint8extended(b, %(seed)s + {salt + place}) & 1023) + 512 * systems[{place}] / %(ranked)s"
    label = f"1 + ({perceived}) * 5 / 1536"
    return f"CASE WHEN NOT is_blank THEN {label} END" if place == 3 else label
