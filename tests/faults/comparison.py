"""Compares the ledger with what the database holds, by SQL."""

import time
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import psycopg2

from launcher.data_directory import wait_until
from tests.faults.ledger import Ledger, Submission

JUDGMENTS = """
SELECT j.client_id::text, judge.pseudonym, b.public_id::text, j.labels, n.number,
    NOT EXISTS (SELECT FROM annotation_judgment later WHERE later.supersedes_id = j.id) AS is_current
FROM annotation_judgment j
LEFT JOIN annotation_judgmentnumber n ON n.judgment_id = j.id
JOIN annotation_block b ON b.id = j.block_id
JOIN campaign_judge judge ON judge.id = j.judge_id
WHERE j.task_id = %s
ORDER BY j.id
"""
# All judgments, numbered or not: the last number is theirs in the end.
LAST_NUMBER = (
    "SELECT count(*) FROM annotation_judgment WHERE task_id = %s HAVING count(*) > 0"
)
WATERMARK = "SELECT max(watermark) FROM ranking_latestranking WHERE task_id = %s"


@dataclass(frozen=True)
class Comparison:
    """What the database makes of a ledger; everything but the first three should be none.

    Attributes:
        sent, acknowledged, stored: ids that judges sent, that the server confirmed, that it holds.
        doubled: rows beyond one for an id.
        lost: acknowledged, and not stored as sent.
        invented: stored and never sent, or stored otherwise than sent.
        not_one_current: pairs of block and judge that have not exactly one current judgment.
        not_the_last: pairs whose current judgment is not the one acknowledged last.
        gaps: numbers missing from 1 to the last one.
        ranked_seconds: until the ranking knew all of them; None if it never did.
    """

    sent: int
    acknowledged: int
    stored: int
    doubled: int
    lost: int
    invented: int
    not_one_current: int
    not_the_last: int
    gaps: int
    ranked_seconds: float | None

    @property
    def holds(self) -> bool:
        """Whether everything acknowledged is stored, once, in order and ranked."""
        wrong = (
            self.doubled,
            self.lost,
            self.invented,
            self.not_one_current,
            self.not_the_last,
        )
        return not any((*wrong, self.gaps)) and self.ranked_seconds is not None


def compare(
    database_url: str,
    task_id: int,
    ledger: Ledger,
    *,
    seconds: float,
) -> Comparison:
    """Wait until the ranking has caught up, then compare."""
    with closing(psycopg2.connect(database_url)) as connection:
        connection.autocommit = True
        ranked = _ranked_after(connection, task_id, seconds)
        rows = _query(connection, JUDGMENTS, task_id)
        last = _query(connection, LAST_NUMBER, task_id)
    with ledger.snapshot() as submissions:
        sent = {each.client_id: each for each in submissions}
    stored = {row[0]: row for row in rows}
    current: dict[tuple[str, str], list[str]] = {}
    for client_id, judge, block, _labels, _number, is_current in rows:
        current.setdefault((judge, block), []).extend([client_id] * is_current)
    return Comparison(
        sent=len(sent),
        acknowledged=sum(each.acknowledged is not None for each in sent.values()),
        stored=len(stored),
        doubled=len(rows) - len(stored),
        lost=sum(
            not _is_as_sent(each, stored.get(each.client_id))
            for each in sent.values()
            if each.acknowledged is not None
        ),
        invented=sum(
            client_id not in sent or not _is_as_sent(sent[client_id], row)
            for client_id, row in stored.items()
        ),
        not_one_current=sum(len(ids) != 1 for ids in current.values()),
        not_the_last=_not_the_last(ledger, sent, stored, current),
        gaps=len(
            set(range(1, (last[0][0] if last else 0) + 1)) ^ {row[4] for row in rows},
        ),
        ranked_seconds=ranked,
    )


def _is_as_sent(submission: Submission, row: tuple[Any, ...] | None) -> bool:
    sent = (submission.judge, submission.block, list(submission.labels))
    return row is not None and (row[1], row[2], row[3]) == sent


def _not_the_last(
    ledger: Ledger,
    sent: dict[str, Submission],
    stored: dict[str, tuple[Any, ...]],
    current: dict[tuple[str, str], list[str]],
) -> int:
    """Return the pairs whose last acknowledged judgment is not current.

    A judgment that came after it, was stored, and whose acknowledgement did not arrive may be.
    """
    unsure = {
        (each.judge, each.block)
        for each in sent.values()
        if each.acknowledged is None and each.client_id in stored
    }
    return sum(
        current.get(pair) != [client_id]
        for pair, client_id in ledger.last_acknowledged().items()
        if pair not in unsure
    )


def _ranked_after(connection: Any, task_id: int, seconds: float) -> float | None:
    began = time.monotonic()

    def is_ranked() -> bool:
        last = _query(connection, LAST_NUMBER, task_id)
        return not last or _query(connection, WATERMARK, task_id) == last

    return time.monotonic() - began if wait_until(is_ranked, seconds=seconds) else None


def _query(connection: Any, sql: str, task_id: int) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, [task_id])
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
