"""The worker and PostgreSQL are killed while judges work: no HIT is lost, no judgment doubled."""

import signal
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from subprocess import Popen
from threading import Event
from uuid import UUID, uuid4

import pytest
from django.db import Error, connection

from annotation.models import HIT, Assignment, Exposure, Judgment
from annotation.protocols.submissions import AssignedBlock
from annotation.selectors.judging import assigned_blocks
from annotation.services.lending.work_requests import work_request
from annotation.services.planning.designs import design_change
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Judge
from launcher.services import Postgres, Services
from tests.at_work import assignment_lend
from tests.factories import make_campaign, make_judge, make_long_task
from tests.roles import owner_cursor

Eventually = Callable[[Callable[[], bool]], None]
StartWorker = Callable[[], "Popen[bytes]"]
WANTED = 150


@pytest.fixture
def postgres(services: Services, transactional_db: None) -> Iterator[Postgres]:
    """The PostgreSQL of this run, which keeps what is committed even when it is killed."""
    if services.postgres is None:
        pytest.skip("DATABASE_URL names a PostgreSQL that is not ours to kill")
    name = connection.ops.quote_name(str(connection.settings_dict["NAME"]))
    with owner_cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {name} SET synchronous_commit = on")
    connection.close()
    yield services.postgres
    connection.close()
    with owner_cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {name} RESET synchronous_commit")
    connection.close()


class AtWork:
    """A judge whose browser keeps each judgment and sends it until the server has taken it."""

    def __init__(self, judge: Judge, finished: Event) -> None:
        self._judge, self._finished = judge, finished
        self._kept: dict[UUID, AssignedBlock] = {}
        self._judged: set[int] = set()
        self.taken: list[UUID] = []

    def work(self) -> None:
        while not self._finished.is_set():
            try:
                self._send_kept()
                self._judge_one_hit()
            except Error:
                # A request of its own, which gets a connection of its own.
                connection.close()
        connection.close()

    def _judge_one_hit(self) -> None:
        assignment = assignment_lend(judge=self._judge)
        if assignment is None:
            work_request(judge=self._judge)
            self._finished.wait(0.1)
            return
        for block in assigned_blocks(assignment):
            if block.block_id not in self._judged:
                self._judged.add(block.block_id)
                self._kept[uuid4()] = block
                self._send_kept()

    def _send_kept(self) -> None:
        """Send what no answer has confirmed; the server may have stored it and died."""
        for client_id, block in list(self._kept.items()):
            labels = list(range(1, len(block.candidates) + 1))
            judgment_submit(
                assigned=block,
                client_id=client_id,
                sent=SentJudgment(labels=labels),
            )
            self.taken.append(client_id)
            del self._kept[client_id]


def kill(worker: "Popen[bytes]") -> None:
    worker.send_signal(signal.SIGKILL)
    worker.wait()


def test_killing_the_worker_and_postgresql_loses_and_doubles_nothing(
    postgres: Postgres,
    start_worker: StartWorker,
    eventually: Eventually,
) -> None:
    task = make_long_task(
        make_campaign(),
        segments=200,
        systems=3,
        blocks_wanted=WANTED,
    )
    design_change(task=task, redundancy=2)
    finished = Event()
    at_work = [
        AtWork(make_judge(task.test_set.campaign, f"judge{n}"), finished)
        for n in range(8)
    ]

    def judged(count: int) -> Callable[[], bool]:
        return lambda: sum(len(each.taken) for each in at_work) >= count

    worker = start_worker()
    with ThreadPoolExecutor(len(at_work)) as pool:
        working = [pool.submit(each.work) for each in at_work]
        try:
            eventually(judged(10))
            kill(worker)
            worker = start_worker()
            eventually(judged(40))
            connection.close()
            postgres.send(signal.SIGKILL)
            assert postgres.wait(60)
            postgres.start()
            eventually(judged(80))
            kill(worker)
            start_worker()
            eventually(judged(WANTED))
        finally:
            finished.set()
        for each in working:
            each.result()
    taken = [client_id for each in at_work for client_id in each.taken]
    assert set(Judgment.objects.values_list("client_id", flat=True)) == set(taken)
    assert set(Counter(Judgment.objects.values_list("block", flat=True)).values()) == {
        1,
    }
    assert set(Counter(Assignment.objects.values_list("hit", flat=True)).values()) == {
        1,
    }
    assert set(Counter(Exposure.objects.values_list("judge", "segment")).values()) == {
        1,
    }
    assert not HIT.objects.incomplete().exists()
