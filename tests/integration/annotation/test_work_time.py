"""What a judge has worked, as the selector counts it, and over page, file and API."""

import csv
from datetime import UTC, date, datetime
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from annotation.models import Judgment, Skip
from annotation.protocols.submissions import AssignedBlock
from annotation.selectors import work_time as work_times
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.progress import judge_work
from annotation.selectors.work_time import Worked, WorkTime
from annotation.services.numbers import waiting_judgments_number
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Judge, Task
from tests.at_work import lend
from tests.counters import counters_by_row, counters_stored
from tests.factories import make_campaign, make_judge, make_task

pytestmark = pytest.mark.django_db
API = "/api/v1/judging/work-time/?campaign=museum"


def work_time(judge: Judge) -> WorkTime:
    waiting_judgments_number()
    for task in Task.objects.of(judge.campaign).all():
        assert counters_stored(task_id=task.pk) == counters_by_row(task_id=task.pk)
    return work_times.work_time(judge)


@pytest.fixture
def judge() -> Judge:
    task = make_task(make_campaign(), documents=(9, 9), identical=())
    return make_judge(task.test_set.campaign)


@pytest.fixture
def client_of_judge(judge: Judge, client: Client) -> Client:
    assert judge.user is not None
    client.force_login(judge.user)
    return client


@pytest.fixture
def blocks(judge: Judge) -> list[AssignedBlock]:
    first = lend(judge)
    return [*assigned_blocks(first), *assigned_blocks(lend(judge, after=first))]


def judged(
    block: AssignedBlock,
    seconds: float | None,
    at: datetime | None = None,
) -> Judgment:
    """Store a judgment of the block that took so long, as if it had come at that moment."""
    mine = Judgment.objects.filter(block=block.block_id, judge=block.judge_id)
    when: dict[str, Any] = {} if at is None else {"submitted_at": at}
    milliseconds = None if seconds is None else int(seconds * 1000)
    return Judgment.objects.create(
        task_id=block.task_id,
        client_id=uuid4(),
        judge_id=block.judge_id,
        block_id=block.block_id,
        assignment_id=block.assignment_id,
        labels=[1] * len(block.candidates),
        duration_ms=milliseconds,
        active_ms=milliseconds,
        supersedes=mine.order_by("pk").last(),
        **when,
    )


def skipped(block: AssignedBlock, seconds: float, at: datetime) -> Skip:
    return Skip.objects.create(
        task_id=block.task_id,
        client_id=uuid4(),
        judge_id=block.judge_id,
        block_id=block.block_id,
        assignment_id=block.assignment_id,
        reason="other",
        duration_ms=int(seconds * 1000),
        active_ms=int(seconds * 1000),
        created_at=at,
    )


def test_sentences_and_time_are_counted_by_day_and_in_all(
    judge: Judge,
    blocks: list[AssignedBlock],
) -> None:
    monday, tuesday = (
        datetime(2026, 11, 16, 9, tzinfo=UTC),
        datetime(2026, 11, 17, 9, tzinfo=UTC),
    )
    judged(blocks[0], 30.4, monday)
    judged(blocks[1], 20.3, monday)
    judged(blocks[2], 60, tuesday)
    worked = work_time(judge)
    assert worked.days == {
        date(2026, 11, 16): Worked(2, 51),
        date(2026, 11, 17): Worked(1, 60),
    }
    assert worked.total == Worked(3, 111)
    assert worked.worked_today == Worked()


def test_today_is_by_the_database_and_holds_what_was_just_stored(
    judge: Judge,
    blocks: list[AssignedBlock],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judgment_submit(
        assigned=blocks[0],
        client_id=uuid4(),
        sent=SentJudgment(
            labels=[1] * len(blocks[0].candidates),
            duration_ms=90_000,
            active_ms=61_000,
        ),
    )
    monkeypatch.setattr(timezone, "now", lambda: datetime(2020, 1, 1, tzinfo=UTC))
    assert work_time(judge).worked_today == Worked(1, 61)


def test_a_revision_adds_its_time_on_its_day_and_no_sentence(
    judge: Judge,
    blocks: list[AssignedBlock],
) -> None:
    judged(blocks[0], 30, datetime(2026, 11, 16, 9, tzinfo=UTC))
    judged(blocks[0], 12, datetime(2026, 11, 18, 9, tzinfo=UTC))
    worked = work_time(judge)
    assert worked.days == {
        date(2026, 11, 16): Worked(1, 30),
        date(2026, 11, 18): Worked(0, 12),
    }
    assert worked.total == Worked(1, 42)


def test_a_skip_counts_with_its_time_and_once_if_judged_later(
    judge: Judge,
    blocks: list[AssignedBlock],
) -> None:
    skipped(blocks[0], 15, datetime(2026, 11, 16, 9, tzinfo=UTC))
    judged(blocks[0], 40, datetime(2026, 11, 17, 9, tzinfo=UTC))
    skipped(blocks[1], 5, datetime(2026, 11, 17, 9, tzinfo=UTC))
    worked = work_time(judge)
    assert worked.days == {
        date(2026, 11, 16): Worked(1, 15),
        date(2026, 11, 17): Worked(1, 45),
    }
    assert worked.total.sentences == judge_work(judge).blocks_done == 2


def test_untimed_judgments_are_counted_separately(
    judge: Judge,
    blocks: list[AssignedBlock],
) -> None:
    judged(blocks[0], None)
    judged(blocks[1], 7)
    assert work_time(judge).total == Worked(2, 7, untimed=1)


@pytest.mark.parametrize(
    ("zone", "day"),
    [("UTC", 16), ("Asia/Tokyo", 17), ("America/New_York", 16)],
)
@pytest.mark.parametrize("is_of_campaign", [True, False])
def test_days_are_those_of_the_campaigns_time_zone(
    judge: Judge,
    blocks: list[AssignedBlock],
    settings: Settings,
    zone: str,
    day: int,
    is_of_campaign: bool,
) -> None:
    """te-online/timemanager 205: the time sheet was in UTC, whichever time zone was chosen."""
    if is_of_campaign:
        judge.campaign.time_zone = zone
    else:
        settings.TIME_ZONE = zone
    judged(blocks[0], 10, datetime(2026, 11, 16, 23, 30, tzinfo=UTC))
    worked = work_time(judge)
    assert worked.time_zone == zone
    assert list(worked.days) == [date(2026, 11, day)]


def test_another_judge_and_imported_judgments_do_not_count(
    judge: Judge,
    blocks: list[AssignedBlock],
) -> None:
    other = make_judge(judge.campaign, "other")
    judged(blocks[0], 10)
    imported = judged(blocks[1], 10)
    assert work_time(other).total == Worked()
    assert imported.assignment is not None
    Judgment.objects.create(
        task_id=blocks[2].task_id,
        client_id=uuid4(),
        judge=judge,
        block_id=blocks[2].block_id,
        labels=[1] * len(blocks[2].candidates),
        active_ms=5,
        duration_ms=5,
    )
    assert work_time(judge).total == Worked(2, 20)


class TestOverTheAPI:
    def test_a_skip_is_stored_with_its_time(
        self,
        client_of_judge: Client,
        judge: Judge,
        blocks: list[AssignedBlock],
    ) -> None:
        body = {"block": blocks[0].public_id, "reason": "other"}
        times = {"duration_ms": 9000, "active_ms": 8000}
        answer = client_of_judge.put(
            f"/api/v1/judging/skips/{uuid4()}/",
            body | times,
            content_type="application/json",
        )
        assert answer.status_code == 200
        assert {name: answer.json()[name] for name in times} == times
        assert work_time(judge).total == Worked(1, 8)


class TestTheReceipt:
    def test_the_page_shows_days_total_and_what_counts(
        self,
        client_of_judge: Client,
        blocks: list[AssignedBlock],
    ) -> None:
        judged(blocks[0], 30, datetime(2026, 11, 16, 9, tzinfo=UTC))
        judged(blocks[1], 3700, datetime(2026, 11, 17, 9, tzinfo=UTC))
        page = " ".join(
            client_of_judge.get("/judge/museum/time/").content.decode().split(),
        )
        for words in (
            "Nov. 16, 2026",
            "0:00:30",
            "1:01:40",
            "1:02:10",
            "judge01",
            "time zone UTC",
        ):
            assert words in page
        assert page.index("Counted") < page.index("Not counted")
        assert "without a time" not in page

    def test_the_file_has_a_line_a_day_and_the_total(
        self,
        client_of_judge: Client,
        blocks: list[AssignedBlock],
    ) -> None:
        judged(blocks[0], 30, datetime(2026, 11, 16, 9, tzinfo=UTC))
        judged(blocks[1], 3700, datetime(2026, 11, 17, 9, tzinfo=UTC))
        response = client_of_judge.get("/judge/museum/time.csv")
        assert (
            response["Content-Disposition"]
            == 'attachment; filename="museum-my-time.csv"'
        )
        rows = list(csv.DictReader(response.content.decode("utf-8-sig").splitlines()))
        assert [
            (row["day"], row["sentences"], row["active_seconds"], row["active_time"])
            for row in rows
        ] == [
            ("2026-11-16", "1", "30", "0:00:30"),
            ("2026-11-17", "1", "3700", "1:01:40"),
            ("total", "2", "3730", "1:02:10"),
        ]
        assert {(row["campaign"], row["judge"], row["time_zone"]) for row in rows} == {
            ("museum", "judge01", "UTC"),
        }
