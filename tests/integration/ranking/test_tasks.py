"""The worker ranks what it is told, and finds what it was not told."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
import redis
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import PageChanges
from annotation.services.numbers import ranking_request, ranking_request_clear
from campaign.models import Task
from ranking import tasks
from ranking.models import RankingRun
from ranking.selectors.judges import quality_due
from ranking.selectors.runs import due_tasks, latest_run, ranking_is_due
from ranking.services.runs import ComputedRun, ranking_compute
from ranking.tasks import rank_task, rank_what_is_due
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


@pytest.fixture
def broker() -> Iterator["redis.Redis"]:
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        yield client


@pytest.fixture
def judged(writer: TestSetWriter) -> TestSetWriter:
    writer.judgment("j", writer.block(1, ["A", "B", "C"]), [1, 2, 3])
    return writer


def test_the_mark_of_the_message_is_gone_before_judgments_are_read(
    judged: TestSetWriter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ranking_request(task_id=judged.task.pk)
    request = PageChanges.objects.filter(ranking_requested_at__isnull=False)
    assert request.exists()
    seen = []
    monkeypatch.setattr(
        tasks,
        "ranking_compute",
        lambda **_: seen.append(request.exists()),
    )

    rank_task(judged.task.pk)

    assert seen == [False]


def test_a_task_run_twice_is_one_run(judged: TestSetWriter) -> None:
    rank_task(judged.task.pk)
    rank_task(judged.task.pk)

    assert RankingRun.objects.count() == 1


def test_a_judgment_that_came_in_while_ranking_is_requested_again(
    judged: TestSetWriter,
    monkeypatch: pytest.MonkeyPatch,
    broker: "redis.Redis",
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    compute = ranking_compute

    def compute_and_judge(*, task_id: int, **_: bool) -> ComputedRun | None:
        computed = compute(task_id=task_id)
        judged.judgment("k", judged.block(2, ["B", "C"]), [1, 2])
        return computed

    monkeypatch.setattr(tasks, "ranking_compute", compute_and_judge)
    before = broker.llen("ranking")

    with django_capture_on_commit_callbacks(execute=True):
        rank_task(judged.task.pk)

    assert broker.llen("ranking") == before + 1
    assert PageChanges.objects.get().ranking_requested_at is not None


def waits_until(broker: "redis.Redis") -> datetime | None:
    """Return when the ranking that was requested last may begin; None if at once."""
    sent = broker.lindex("ranking", 0)
    assert sent is not None
    message = json.loads(sent)
    eta = message["headers"]["eta"]
    return None if eta is None else datetime.fromisoformat(eta)


def test_rankings_begin_a_second_apart(
    judged: TestSetWriter,
    write_test_set: WriteTestSet,
    broker: "redis.Redis",
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    """However many judge: dashboards ask no more often."""
    task_id = judged.task.pk
    began = timezone.now()
    rank_task(task_id)
    with django_capture_on_commit_callbacks(execute=True):
        ranking_request(task_id=task_id)
    until = waits_until(broker)
    assert until is not None
    assert (
        began + timedelta(seconds=0.9) <= until <= timezone.now() + timedelta(seconds=1)
    )
    with django_capture_on_commit_callbacks(execute=True):
        ranking_request(task_id=write_test_set(name="two").task.pk)
    assert waits_until(broker) is None
    # As when the second is over.
    broker.delete(f"ranking-begun:{task_id}")
    ranking_request_clear(task_id=task_id)
    with django_capture_on_commit_callbacks(execute=True):
        ranking_request(task_id=task_id)
    assert waits_until(broker) is None


def test_a_broker_that_lost_everything_delays_nothing(judged: TestSetWriter) -> None:
    ranking_request(task_id=judged.task.pk)

    rank_what_is_due()

    run = latest_run(task_id=judged.task.pk)
    assert run is not None
    assert run.watermark == 1
    assert not ranking_is_due(task_id=judged.task.pk)
    # What comes next is told of at once again, although nobody heard of the last.
    assert PageChanges.objects.get().ranking_requested_at is None


def test_a_dead_broker_does_not_stop_the_ranking(
    judged: TestSetWriter,
    monkeypatch: pytest.MonkeyPatch,
    dead_broker: None,
    caplog: pytest.LogCaptureFixture,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    # As if more had come in meanwhile: that has to be told.
    monkeypatch.setattr(tasks, "ranking_is_due", lambda **_: True)

    with django_capture_on_commit_callbacks(execute=True):
        rank_task(judged.task.pk)

    assert RankingRun.objects.count() == 1
    assert "Broker unreachable" in caplog.text


def test_only_what_is_behind_is_due(write_test_set: WriteTestSet) -> None:
    behind, ranked, empty = (
        write_test_set(name=name) for name in ("behind", "ranked", "empty")
    )
    for writer in (behind, ranked):
        writer.judgment("j", writer.block(1, ["A", "B"]), [1, 2])
        rank_task(writer.task.pk)
    behind.judgment("j", behind.block(2, ["A", "B"]), [1, 2])

    assert due_tasks() == [behind.task.pk]
    assert ranking_is_due(task_id=behind.task.pk)
    assert not ranking_is_due(task_id=empty.task.pk)


def test_finding_what_is_due_costs_a_fixed_number_of_queries(
    write_test_set: WriteTestSet,
) -> None:
    for name in ("one", "two"):
        writer = write_test_set(name=name)
        writer.judgment("j", writer.block(1, ["A", "B"]), [1, 2])
        rank_task(writer.task.pk)
    Task.objects.update(closed_at=timezone.now())

    with CaptureQueriesContext(connection) as queries:
        assert due_tasks() == []
        assert quality_due() == []

    assert len(queries) == 5


@pytest.mark.thorough
@pytest.mark.parametrize("judges", [3, 30])
def test_one_more_judgment_costs_as_many_queries_however_many_judge(
    writer: TestSetWriter,
    judges: int,
) -> None:
    with writer.at_once():
        for number in range(judges):
            writer.judgment(f"j{number}", writer.block(number + 1, ["A", "B"]), [1, 2])
    rank_task(writer.task.pk)
    writer.judgment("j0", writer.block(99, ["A", "C"]), [1, 2])

    with CaptureQueriesContext(connection) as queries:
        rank_task(writer.task.pk)

    about_transactions = ("SAVEPOINT", "RELEASE SAVEPOINT")
    asked = [each for each in queries if not each["sql"].startswith(about_transactions)]
    # One of them gives numbers, two look whether more came in meanwhile, two what corrections leave out.
    assert len(asked) == 32


def test_one_task_in_trouble_does_not_hold_up_the_others(
    write_test_set: WriteTestSet,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    first, second = write_test_set(name="first"), write_test_set(name="second")
    for writer in (first, second):
        writer.judgment("j", writer.block(1, ["A", "B"]), [1, 2])
    compute = ranking_compute

    def fail_first(*, task_id: int, **_: bool) -> ComputedRun | None:
        if task_id == first.task.pk:
            raise ValueError("damaged")
        return compute(task_id=task_id)

    monkeypatch.setattr(tasks, "ranking_compute", fail_first)

    rank_what_is_due()

    assert latest_run(task_id=second.task.pk) is not None
    assert f"Ranking task {first.task.pk} failed." in caplog.text
