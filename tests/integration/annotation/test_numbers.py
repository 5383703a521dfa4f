"""Judgments are numbered after their commit: without gaps, in the order of the commits, seen in order."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from threading import Event, Lock
from time import monotonic
from uuid import uuid4

import psycopg2
import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from annotation.models import (
    Block,
    Judgment,
    JudgmentNumber,
    JudgmentSequence,
    UncountedAnswer,
)
from annotation.protocols.submissions import AssignedBlock
from annotation.selectors.judging import assigned_blocks
from annotation.services import numbers as numbering
from annotation.services.numbers import (
    judgments_number,
    ranking_request_clear,
    waiting_judgments_number,
)
from annotation.services.submission import SentJudgment, judgment_submit
from annotation.tasks import fill_pools
from campaign.models import Judge
from tests.at_work import lend
from tests.counters import counters_by_row, counters_stored
from tests.factories import make_campaign, make_judge, make_task
from tests.integration.ranking.writing import TestSetWriter
from tests.some_now import some_now

JUDGES, STEPS, BLOCKS = 9, 10, 5

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def writer(transactional_db: None) -> TestSetWriter:
    return TestSetWriter(make_campaign(), "numbered", ["A", "B"])


@dataclass
class Stored:
    """When the submission of a judgment began, and when its commit was acknowledged."""

    judgment: int
    began: float
    acknowledged: float


@dataclass
class Ledger:
    """What judges were told, and until when the others go on."""

    task: int
    stored: list[Stored] = field(default_factory=list)
    is_done: Event = field(default_factory=Event)
    lock: Lock = field(default_factory=Lock)

    def note(self, judgment: Judgment, began: float) -> None:
        with self.lock:
            self.stored.append(Stored(judgment.pk, began, monotonic()))


class RolledBackError(Exception):
    """The request failed after the judgment was inserted."""


def insert(
    judge: Judge,
    block: Block,
    task: int,
    supersedes: Judgment | None,
) -> Judgment:
    return Judgment.objects.create(
        task_id=task,
        client_id=uuid4(),
        judge=judge,
        block=block,
        labels=[1, 2],
        supersedes=supersedes,
    )


def submits(ledger: Ledger, judge: Judge, blocks: list[Block], draw: Random) -> None:
    """Judge, revise, and fail now and then."""
    latest: dict[int, Judgment] = {}
    for _step in range(STEPS):
        block, fails = draw.choice(blocks), draw.random() < 0.25
        began = monotonic()
        try:
            with transaction.atomic():
                judgment = insert(judge, block, ledger.task, latest.get(block.pk))
                if fails:
                    raise RolledBackError
        except RolledBackError:
            continue
        ledger.note(judgment, began)
        latest[block.pk] = judgment


def stays_open(ledger: Ledger, judge: Judge, blocks: list[Block]) -> None:
    """Commit a judgment when all later ones have long had their numbers."""
    began = monotonic()
    with transaction.atomic():
        judgment = insert(judge, blocks[0], ledger.task, None)
        assert ledger.is_done.wait()
    ledger.note(judgment, began)


def numbers(ledger: Ledger) -> None:
    while not ledger.is_done.is_set():
        judgments_number(task_id=ledger.task)


def is_killed(ledger: Ledger) -> None:
    """Give numbers, and lose the connection before the commit."""
    while not ledger.is_done.is_set():
        try:
            with transaction.atomic():
                judgments_number(task_id=ledger.task)
                kill_own_backend()
                UncountedAnswer.objects.exists()
        except DatabaseError:
            connection.close()
        else:
            raise AssertionError("the backend lives")


def kill_own_backend() -> None:
    parameters = connection.get_connection_params()
    pid = connection.connection.info.backend_pid
    with closing(psycopg2.connect(**parameters)) as other, other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [pid])


def reads(ledger: Ledger) -> None:
    """See numbers without a gap, which never change, and one current judgment of each judge and block."""
    seen: list[int] = []
    while not ledger.is_done.is_set():
        last = JudgmentSequence.objects.filter(pk=ledger.task).values_list(
            "last_number",
        )
        [(watermark,)] = last or [(0,)]
        rows = list(
            JudgmentNumber.objects.filter(task=ledger.task, number__lte=watermark)
            .order_by("number")
            .values_list("number", "judgment"),
        )
        assert [number for number, _judgment in rows] == list(range(1, watermark + 1))
        ids = [judgment for _number, judgment in rows]
        assert ids[: len(seen)] == seen
        seen = ids
        of_task = Judgment.objects.of(ledger.task)
        current = of_task.until(watermark).current(watermark=watermark)
        pairs = of_task.until(watermark).values_list("judge", "block").distinct()
        assert sorted(current.values_list("judge", "block")) == sorted(pairs)


@pytest.mark.parametrize("seed", some_now([1, 2, 3]))
def test_numbers_follow_the_commits_whatever_happens(
    writer: TestSetWriter,
    seed: int,
) -> None:
    ledger, draw = Ledger(writer.task.pk), Random(seed)
    blocks = [writer.block(number, ["A", "B"]) for number in range(1, BLOCKS + 1)]
    judges = [writer.judge(f"judge{number}") for number in range(JUDGES + 1)]

    def alone(work: Callable[..., None], *arguments: object) -> None:
        try:
            work(ledger, *arguments)
        except BaseException:
            ledger.is_done.set()
            raise
        finally:
            connection.close()

    others = [(numbers,), (numbers,), (is_killed,), (reads,), (reads,)]
    with ThreadPoolExecutor(JUDGES + 1 + len(others)) as pool:
        open_one = pool.submit(alone, stays_open, judges[-1], blocks)
        beside = [pool.submit(alone, *work) for work in others]
        drawn = [Random(draw.random()) for _ in judges[:-1]]
        at_work = [
            pool.submit(alone, submits, judge, blocks, each)
            for judge, each in zip(judges[:-1], drawn, strict=True)
        ]
        wait(at_work)
        ledger.is_done.set()
        for future in (*at_work, *beside, open_one):
            future.result()

    last = judgments_number(task_id=ledger.task)
    number_of = dict(JudgmentNumber.objects.values_list("judgment", "number"))
    assert sorted(number_of.values()) == list(range(1, last + 1))
    assert set(number_of) == {each.judgment for each in ledger.stored}
    assert not UncountedAnswer.objects.exists()
    for one, other in combinations(
        sorted(ledger.stored, key=lambda each: each.began),
        2,
    ):
        if one.acknowledged < other.began:
            assert number_of[one.judgment] < number_of[other.judgment]
    assert counters_stored(task_id=ledger.task) == counters_by_row(task_id=ledger.task)


@pytest.fixture
def waited_for(writer: TestSetWriter) -> Iterator[TestSetWriter]:
    """A test set where nobody waits longer than two seconds for a lock."""
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '2s'")
    yield writer
    with connection.cursor() as cursor:
        cursor.execute("RESET lock_timeout")


@pytest.mark.usefixtures("waited_for")
def test_lending_does_not_wait_for_a_judgment_being_stored() -> None:
    """Nor for who requests the ranking, nor for who gives numbers."""
    task = make_task(make_campaign("busy"))
    first, second = (
        make_judge(task.test_set.campaign, name) for name in ("first", "second")
    )
    mine, theirs = (assigned_blocks(lend(judge)) for judge in (first, second))

    def submit(block: AssignedBlock) -> None:
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(labels=[1] * len(block.candidates)),
        )

    submit(mine[0])
    ranking_request_clear(task_id=task.pk)
    is_stored, goes_on = Event(), Event()

    def store_and_wait() -> None:
        try:
            with transaction.atomic():
                submit(mine[1])
                judgments_number(task_id=task.pk)
                is_stored.set()
                assert goes_on.wait()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        stored = pool.submit(store_and_wait)
        assert is_stored.wait()
        try:
            submit(theirs[0])
        finally:
            goes_on.set()
        stored.result()
    assert Judgment.objects.count() == 3


def test_judgments_are_numbered_without_a_ranking(writer: TestSetWriter) -> None:
    block = writer.block(1, ["A", "B"])
    for name in ("ann", "ben"):
        writer.judgment(name, block, [1, 2], is_numbered=False)
    assert UncountedAnswer.objects.count() == 2
    fill_pools()
    assert JudgmentSequence.objects.get().last_number == 2
    assert not UncountedAnswer.objects.exists()


def test_more_than_a_batch_is_numbered_at_once(
    writer: TestSetWriter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("annotation.services.numbers._BATCH", 2)
    block = writer.block(1, ["A", "B"])
    judgments = [
        writer.judgment(f"j{each}", block, [1, 2], is_numbered=False)
        for each in range(5)
    ]
    assert judgments_number(task_id=writer.task.pk) == 5
    assert [judgment.numbered.number for judgment in judgments] == [1, 2, 3, 4, 5]


def test_numbers_cost_a_query_where_none_is_to_be_given(writer: TestSetWriter) -> None:
    task_id = writer.task.pk
    with CaptureQueriesContext(connection) as asked:
        assert judgments_number(task_id=task_id) == 0
    assert len(asked) == 1


def test_a_test_set_that_cannot_be_numbered_holds_up_no_other(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    campaign = make_campaign()
    tasks = []
    for name in ("one", "two"):
        each = TestSetWriter(campaign, name, ["A", "B"])
        each.judgment("ann", each.block(1, ["A", "B"]), [1, 2], is_numbered=False)
        tasks.append(each.task.pk)
    numbered = numbering.judgments_number

    def broken(*, task_id: int) -> int:
        if task_id == tasks[0]:
            raise DatabaseError
        return numbered(task_id=task_id)

    monkeypatch.setattr(numbering, "judgments_number", broken)
    waiting_judgments_number()
    assert list(UncountedAnswer.objects.values_list("task", flat=True)) == tasks[:1]
    assert str(tasks[0]) in caplog.text
