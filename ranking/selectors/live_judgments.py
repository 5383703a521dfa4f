"""Changes in a task's judgments between two watermarks, by segment, and in the names that tallies refer to."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db import connection

from annotation.models import BlockControl
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.coded_blocks import CodedJudgments, blocks_of_parts
from ranking.core.live.state import ChangedJudgments
from ranking.selectors.judged_columns import (
    columns_of_segments,
    new_judgments,
    seconds_by_judge,
)

#: Judgments to be counted at a time, about; they bound memory.
_AT_A_TIME = 250_000


def changed_judgments(
    *, task_id: int, start: int, stop: int, systems: Sequence[str]
) -> Iterator[ChangedJudgments]:
    """Yield the changes between two watermarks, in pieces of different segments.

    From `start` = 0 these are all judgments. Documents are numbered by their positions, which stay
    the same. Reading takes time in proportion to the judgments of the segments that were
    judged, however many others there are.

    Parameters
    ----------
    task_id, start, stop : int
    systems : sequence of str
        All systems of the test set.
    """
    new = new_judgments(task_id=task_id, start=start, stop=stop)
    counted, checked = (
        np.unique(new["segment"][new[kind]]).tolist() for kind in ("counts", "checks")
    )
    timed = new["milliseconds"] >= 0
    seconds = seconds_by_judge(new["judge_id"][timed], new["milliseconds"][timed])
    del new
    at_a_time = max(1, _AT_A_TIME * max(1, len(counted)) // max(1, stop))
    for piece in range(0, max(1, len(counted), len(checked)), at_a_time):
        some = slice(piece, piece + at_a_time)
        span = task_id, start, stop
        before, after = _blocks(counted[some], *span, BlockControl.NONE, systems)
        checks = _blocks(checked[some], *span, BlockControl.ATTENTION, systems)
        yield ChangedJudgments(before, after, *checks, seconds=seconds if piece == 0 else {})


def _blocks(
    segments: Collection[int],
    task_id: int,
    start: int,
    stop: int,
    control: str,
    systems: Sequence[str],
) -> tuple[Blocks, Blocks]:
    if not segments:
        nothing = _nothing(systems)
        return nothing, nothing
    read = columns_of_segments(
        task_id=task_id, segments=segments, start=start, stop=stop, control=control
    )
    before, after = blocks_of_parts(
        read.coded,
        [read.is_before, read.is_after],
        systems,
        document=_documents(read.coded, read.documents),
    )
    return before, after


def _documents(coded: CodedJudgments, documents: dict[int, int]) -> npt.NDArray[np.int32]:
    """Return the position of each judgment's document."""
    numbers, own = np.unique(coded.segment, return_inverse=True)
    return np.array([documents[one] for one in numbers.tolist()], dtype=np.int32)[own]


def _nothing(systems: Sequence[str]) -> Blocks:
    size = len(systems)
    nothing = np.empty(0, dtype=np.int32)
    return Blocks(
        systems=tuple(sorted(systems)),
        labels=np.empty((0, size), dtype=np.int8),
        candidates=np.empty((0, size), dtype=np.int8),
        judge=nothing,
        judges=(),
        segment=nothing,
        key=np.empty(0, dtype=np.uint64),
        document=nothing,
    )


#: By kind of rows: the largest primary key, and the combined hash of the rows up to it.
NamesSeen = dict[str, Sequence[Any]]

# By hand: it is read before each ranking, and the ORM takes ten times as long to write it. At 30,000 segments
# `bit_xor` of hashed columns takes 6 ms, `sum` of hashed records 16: it adds as decimals.
_ONE_KIND = """
    SELECT '{kind}', coalesce(max(id), 0), coalesce(bit_xor(hashed), 0)::text,
        coalesce(bit_xor(hashed) FILTER (WHERE id <= %({kind})s), 0)::text
    FROM (SELECT id, {hashed} AS hashed FROM {table} WHERE {of}) {kind}
"""
_OF_CAMPAIGN = (
    "campaign_id = (SELECT t.campaign_id FROM campaign_testset t JOIN campaign_task k"
    " ON k.test_set_id = t.id WHERE k.id = %(task)s)"
)
_OF_TEST_SET = "test_set_id = (SELECT test_set_id FROM campaign_task WHERE id = %(task)s)"
_KINDS = {
    "judges": {
        "table": "campaign_judge",
        "hashed": "hashtextextended(pseudonym, id)",
        "of": _OF_CAMPAIGN,
    },
    "segments": {
        "table": "campaign_segment",
        "hashed": "hashint8extended(number, hashint8extended(coalesce(document_id, 0), id))",
        "of": _OF_TEST_SET,
    },
    "systems": {
        "table": "campaign_system",
        "hashed": "hashtextextended(name, hashtextextended(kind, id))",
        "of": _OF_TEST_SET,
    },
}
_SQL = " UNION ALL ".join(_ONE_KIND.format(kind=kind, **parts) for kind, parts in _KINDS.items())


def names_seen(*, task_id: int, before: Mapping[str, Sequence[Any]]) -> tuple[NamesSeen, bool]:
    """Return fingerprints of a task's judges, segments and systems, and whether `before` is still valid.

    A fingerprint changes if a judge is renamed, a segment changes its number or document, a system
    changes its name or kind, or one of them is deleted. Those that were added since `before` change
    none. One query.
    """
    last = {kind: before[kind][0] if before else 0 for kind in _KINDS}
    with connection.cursor() as cursor:
        cursor.execute(_SQL, {**last, "task": task_id})
        rows = cursor.fetchall()
    found: NamesSeen = {kind: (newest, everything) for kind, newest, everything, _seen in rows}
    holds = all(not before or seen == before[kind][1] for kind, _newest, _all, seen in rows)
    return found, holds
