"""What preparing a query, and writing a statement by hand, saves a judged block.

    python -m tests.benchmarks.statements [--rounds 30] [--stored 10000]

Each is done in turns with what the ORM alone does for the same, in one process and on one connection.
Processor time of Python and of the PostgreSQL backend, a call; times how often a judged block calls it (a HIT has
three blocks) that is what a block saves. Statements that write are rolled back to a savepoint, in both forms.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.benchmarks.judging_server import BLOCKS_A_HIT, make_campaign, prepare, say, store
from tests.benchmarks.web_server import prepare_django, with_services

CALLS = 10
A_HIT = 1 / BLOCKS_A_HIT


@dataclass(frozen=True)
class Pair:
    """One thing done in two ways; `often`: how many times for each judged block."""

    name: str
    often: float
    ours: Callable[[], object]
    orm: Callable[[], object]


def backend_seconds(pid: int) -> float:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def measure(work: Callable[[], object], pid: int) -> tuple[float, float]:
    """Milliseconds of this process and of the backend for each call."""
    own, backend = time.process_time(), backend_seconds(pid)
    for _call in range(CALLS):
        work()
    spent = time.process_time() - own, backend_seconds(pid) - backend
    return 1000 * spent[0] / CALLS, 1000 * spent[1] / CALLS


def compare(pair: Pair, rounds: int, pid: int) -> None:
    pair.ours(), pair.orm()
    totals = [0.0] * 4
    for _round in range(rounds):
        for place, work in enumerate((pair.ours, pair.orm)):
            for part, spent in enumerate(measure(work, pid)):
                totals[2 * place + part] += spent / rounds
    python, database, orm_python, orm_database = totals
    saved = (orm_python + orm_database - python - database) * pair.often
    say(
        f"{pair.name:22} {python:6.2f} + {database:5.2f}   ORM {orm_python:6.2f} + {orm_database:5.2f}"
        f"   {(orm_python + orm_database) / (python + database):5.1f} times   a block {saved:6.2f}"
    )


def rolled_back(work: Callable[[], object]) -> Callable[[], None]:
    from django.db import transaction

    def attempt() -> None:
        with transaction.atomic():
            work()
            transaction.set_rollback(True)

    return attempt


def session_key(judge: Any) -> str:
    """Return the key of a new session of this judge."""
    from django.conf import settings
    from django.test import Client

    client = Client()
    client.force_login(judge.user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def reads(judge: Any, assignment: Any, block: Any) -> Iterator[Pair]:
    """Every prepared query beside the same queryset, not prepared."""
    from annotation.selectors import judging, pool, progress, shown
    from annotation.services.lending import claim, context
    from campaign.accounts import sessions

    asks = {
        "judge_id": judge.pk,
        "task_id": assignment.hit.task_id,
        "conflicts": list(judge.conflicts.values_list("system", flat=True)),
        "apart": "",
    }
    known = {"judge_id": judge.pk}
    hit = {"hit_id": assignment.hit_id, "judge_id": judge.pk}
    for query, often, values in [
        (sessions._READ, 1, {"session_key": session_key(judge)}),
        (judging._ASSIGNED_TO, 1, {"user_id": judge.user_id, "public_id": str(block.public_id)}),
        (judging._JUDGE, A_HIT, known),
        (context._CONTEXT, A_HIT, known),
        (claim._FROM_POOL[None, False], A_HIT, asks),
        (shown._OF_HIT, A_HIT, hit),
        (claim._RESERVED, 0, asks),
        (pool._IS_AVAILABLE, 0, asks),
        (progress._WORK, 0, known),
    ]:

        def orm(query: Any = query, values: Any = values) -> object:
            if query._first is not None:
                list(query._first.queryset(**values))
            return list(query.queryset(**values))

        def ours(query: Any = query, values: Any = values) -> object:
            return query.rows(**values)

        yield Pair(query.name, often, ours, orm)


def lend_by_orm(hit: Any, judge: Any, lease: Any) -> None:
    from django.db.models import F

    from annotation.models import HIT, Assignment, Exposure, JudgeAccount

    HIT.objects.filter(pk=hit.pk).update(available_at=lease.upper)
    accounts = JudgeAccount.objects.filter(judge=judge, task=hit.task_id)
    updated = accounts.update(
        hits_lent=F("hits_lent") + 1,
        hits_since_check=F("hits_since_check") + 1,
        hits_since_repeat=F("hits_since_repeat") + 1,
        last_lent_at=lease.lower,
        requested_at=None,
        none_left_at=None,
    )
    if not updated:
        JudgeAccount.objects.create(judge=judge, task_id=hit.task_id, hits_lent=1)
    ordinal = accounts.values_list("hits_lent", flat=True).get()
    assignment = Assignment.objects.create(hit=hit, judge=judge, lease=lease, ordinal=ordinal)
    Exposure.objects.bulk_create(
        Exposure(judge=judge, segment_id=segment, assignment=assignment)
        for segment in hit.segment_ids
    )


def blocks_by_orm(hits: Any) -> None:
    from annotation.models import HIT, Block, BlockControl
    from annotation.models.block import stands_for

    shown = [(hit, place, plan) for hit in hits for place, plan in enumerate(hit.plan, start=1)]
    Block.objects.bulk_create(
        Block(
            hit=hit,
            segment_id=hit.segment_ids[place - 1],
            position=place,
            outputs=[output for outputs in plan["candidates"] for output in outputs],
            stands_for=stands_for([len(outputs) for outputs in plan["candidates"]]),
            control=BlockControl.ATTENTION if "expected" in plan else "",
            expected=plan.get("expected"),
        )
        for hit, place, plan in shown
    )
    HIT.objects.filter(pk__in=[hit.pk for hit in hits]).update(plan=None)


def store_by_orm(judgment: Any) -> None:
    from django.db import transaction
    from django.db.models.functions import Now

    from annotation.models import Assignment, Judgment, RankingRequest

    with transaction.atomic():
        Assignment.objects.select_for_update().get(pk=judgment.assignment_id)
        if Judgment.objects.filter(client_id=judgment.client_id).exists():
            return
        RankingRequest.objects.select_for_update().filter(
            task=judgment.task_id, requested_at=None
        ).update(requested_at=Now())
        last = Judgment.objects.filter(block=judgment.block_id, judge=judgment.judge_id)
        judgment.supersedes = last.order_by("-pk").first()
        judgment.save(force_insert=True)
        close_by_orm(judgment.assignment_id, judgment.block_id)


def close_by_orm(assignment_id: int, done: int) -> None:
    from django.db.models import Exists, F, OuterRef
    from django.db.models.functions import Now

    from annotation.models import HIT, Assignment, Block, JudgeAccount, Judgment, Skip

    mine = {"block": OuterRef("pk"), "judge": OuterRef("hit__assignments__judge")}
    blocks = Block.objects.filter(hit__assignments=assignment_id)
    undone = blocks.exclude(pk=done).exclude(
        Exists(Judgment.objects.filter(**mine)) | Exists(Skip.objects.filter(**mine))
    )
    if undone.exists():
        return
    open_ = Assignment.objects.filter(pk=assignment_id, completed_at__isnull=True)
    if open_.update(completed_at=Now()):
        assignment = Assignment.objects.select_related("hit").get(pk=assignment_id)
        HIT.objects.filter(pk=assignment.hit_id, completed_at=None).update(completed_at=Now())
        JudgeAccount.objects.filter(judge=assignment.judge_id, task=assignment.hit.task_id).update(
            blocks_closed=F("blocks_closed") + blocks.count()
        )


def number_by_orm(judgment: Any) -> None:
    """Give the one judgment that waits its number, and count it."""
    from django.db import transaction
    from django.db.models import F

    from annotation.models import (
        JudgedQuarterHour,
        JudgeTally,
        JudgmentNumber,
        JudgmentSequence,
        UnnumberedJudgment,
    )

    task = judgment.task_id
    with transaction.atomic():
        sequence = JudgmentSequence.objects.select_for_update().get(pk=task)
        for waiting in UnnumberedJudgment.objects.filter(task=task).order_by("judgment"):
            sequence.last_number += 1
            JudgmentNumber.objects.create(
                judgment_id=waiting.judgment_id, task_id=task, number=sequence.last_number
            )
            waiting.delete()
        tally, _is_new = JudgeTally.objects.get_or_create(
            task_id=task,
            judge=judgment.judge,
            defaults={"judged": 0, "last_at": judgment.submitted_at},
        )
        JudgeTally.objects.filter(pk=tally.pk).update(judged=F("judged") + 1)
        start = judgment.submitted_at.replace(minute=0, second=0, microsecond=0)
        hour, _is_new = JudgedQuarterHour.objects.get_or_create(
            task_id=task, start=start, defaults={"judged": 0}
        )
        JudgedQuarterHour.objects.filter(pk=hour.pk).update(judged=F("judged") + 1)
        sequence.judged += 1
        sequence.changes += 1
        sequence.save()


def writes(judge: Any, assignment: Any, block: Any) -> Iterator[Pair]:
    """Every statement written by hand beside the queries that would do the same."""
    from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
    from django.utils import timezone

    from annotation.models import HIT, Judgment
    from annotation.services import hits_plan
    from annotation.services.judging.storage import judgment_store
    from annotation.sql.assignment_close import ASSIGNMENT_CLOSE
    from annotation.sql.hit_blocks_write import HIT_BLOCKS_WRITE
    from annotation.sql.hit_lend import HIT_LEND
    from annotation.sql.judgments_number import JUDGMENTS_NUMBER
    from campaign.database.copy import pgtrigger_ignore_preset

    # As many as the worker writes at once.
    hits_plan(task_id=assignment.hit.task_id, count=10)
    unwritten = list(HIT.objects.order_by("-pk")[:10])
    hit = HIT.objects.filter(assignments__isnull=True, blocks__isnull=False).first()
    assert hit is not None
    now = timezone.now()
    lease = DateTimeTZRange(now, now + timedelta(hours=1))

    def lend() -> None:
        HIT_LEND.rows(
            *(hit.pk, judge.pk, hit.task_id, lease.lower, lease.upper),
            *(str(uuid4()), hit.segment_ids, False, 0, 0, 1, ""),
        )

    labels: list[int | None] = [
        1 + place % 5 for place in range(len(block.stands_for or block.outputs))
    ]

    def judgment() -> Judgment:
        return Judgment(
            task_id=hit.task_id,
            client_id=uuid4(),
            judge=judge,
            block=block,
            assignment=assignment,
            labels=labels,
        )

    yield Pair(
        "hit_lend", A_HIT, rolled_back(lend), rolled_back(lambda: lend_by_orm(hit, judge, lease))
    )
    yield Pair(
        "judgment_store",
        1,
        rolled_back(lambda: judgment_store(judgment())),
        rolled_back(lambda: store_by_orm(judgment())),
    )
    waiting = judgment()
    assert judgment_store(waiting)
    here = waiting.task_id
    yield Pair(
        "judgments_number",
        # The worker ranks about once a second, and judges judge some blocks a second.
        0.25,
        rolled_back(lambda: JUDGMENTS_NUMBER.rows(here, here, 5000)),
        rolled_back(lambda: number_by_orm(waiting)),
    )
    pgtrigger_ignore_preset()
    yield Pair(
        "hit_blocks_write",
        A_HIT / len(unwritten),
        rolled_back(lambda: HIT_BLOCKS_WRITE.rows([each.pk for each in unwritten])),
        rolled_back(lambda: blocks_by_orm(unwritten)),
    )
    yield Pair(
        "assignment_close",
        0,
        rolled_back(lambda: ASSIGNMENT_CLOSE.rows(assignment.pk, block.pk)),
        rolled_back(lambda: close_by_orm(assignment.pk, block.pk)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--stored", type=int, default=10_000)
    options = parser.parse_args()
    with_services("tests.benchmarks.statements")
    prepare_django(STATIC_HASHED="0")
    from django.db import connection, transaction

    from annotation.services import assignment_lend
    from campaign.models import Judge

    task_id, _tokens = make_campaign()
    store(task_id, options.stored)
    prepare(task_id, 300)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE)")
        cursor.execute("SELECT pg_backend_pid()")
        pid = cursor.fetchone()[0]
    judge = Judge.objects.select_related("campaign").get(pseudonym="judge00")
    lent = assignment_lend(judge=judge)
    assert lent is not None
    block = lent.assignment.hit.blocks.first()
    say(f"Milliseconds of Python + PostgreSQL a call, {options.stored:,} judgments stored")
    with transaction.atomic():
        for pair in [*reads(judge, lent.assignment, block), *writes(judge, lent.assignment, block)]:
            compare(pair, options.rounds, pid)
        transaction.set_rollback(True)


if __name__ == "__main__":
    main()
