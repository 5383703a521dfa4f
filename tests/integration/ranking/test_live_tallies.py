"""Where a ranking's tallies come from: memory, the row, the background; and that they are checked."""

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from annotation.models import Judgment
from ranking.core.live.state import LiveTallies
from ranking.models import RankingRun, StoredTallies
from ranking.selectors import judged_columns
from ranking.selectors.runs import latest_run, system_kinds
from ranking.services import live_tallies as services
from ranking.services.reproduced_runs import ranking_run_reproduce, tallies_check
from ranking.services.runs import ranking_run_compute
from ranking.tasks import check_tallies
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The watermarks at which all judgments were counted, by one worker with a memory of its own."""
    monkeypatch.setattr(services, "CACHE", {})
    found: list[int] = []
    count_all = services._count_tallies

    def counted(run: RankingRun, *arguments: Any) -> LiveTallies:
        found.append(run.watermark)
        return count_all(run, *arguments)

    monkeypatch.setattr(services, "_count_tallies", counted)
    return found


Capture = Callable[..., Any]


@pytest.fixture
def rank(django_capture_on_commit_callbacks: Capture) -> Callable[..., RankingRun]:
    def rank(writer: TestSetWriter, watermark: int | None = None) -> RankingRun:
        with django_capture_on_commit_callbacks(execute=True):
            run = ranking_run_compute(task_id=writer.task.pk, watermark=watermark)
        assert run is not None
        assert ranking_run_reproduce(run) == run.result
        return run

    return rank


def judge_more(writer: TestSetWriter, segment: int = 1) -> None:
    writer.judgment("j1", writer.block(segment, ["C", "A", "B"]), [2, 1, 3])


Rank = Callable[..., RankingRun]


def test_counted_judgments_are_not_counted_again(
    judged: TestSetWriter,
    counted: list[int],
    rank: Rank,
) -> None:
    StoredTallies.objects.all().delete()
    for _ in range(3):
        judge_more(judged)
        rank(judged)

    assert counted == [11]


@pytest.mark.parametrize("at_a_time", [1, 5])
def test_counting_piece_by_piece_is_counting_at_once(
    judged: TestSetWriter,
    at_a_time: int,
    rank: Rank,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for segment in (4, 2, 2, 1, 4, 4):
        judge_more(judged, segment)
    StoredTallies.objects.all().delete()
    run = rank(judged)
    monkeypatch.setattr(judged_columns, "_AT_A_TIME", at_a_time)
    definition = services.live_definition(run, system_kinds(task_id=judged.task.pk))
    pieces = list(
        judged_columns.changed_judgments(
            task=judged.task,
            start=0,
            stop=16,
            systems=definition.systems,
        ),
    )
    tallies = LiveTallies(definition)
    for piece in pieces:
        tallies.apply(piece)
    segments = [
        segment for piece in pieces for segment in set(piece.after.segment.tolist())
    ]

    assert tallies.packed() == bytes(StoredTallies.objects.get().packed)
    assert len(segments) == len(set(segments))
    # As many judgments as wanted, and the rest of the segment they end in.
    rest = max(np.bincount(np.concatenate([piece.after.segment for piece in pieces])))
    assert all(0 < len(piece.after) < at_a_time + rest for piece in pieces)
    assert len(pieces) > 1 or at_a_time == 1000


def test_a_worker_that_begins_reads_the_row_and_what_came_since(
    judged: TestSetWriter,
    counted: list[int],
    rank: Rank,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for _ in range(3):
        judge_more(judged)
        rank(judged)
        monkeypatch.setattr(services, "CACHE", {})

    assert counted == []
    assert StoredTallies.objects.get().watermark == 10


def test_tallies_are_stored_after_so_many_judgments(
    judged: TestSetWriter,
    rank: Rank,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(services, "STORED_AFTER_JUDGMENTS", 2)
    stored = []
    for _ in range(4):
        judge_more(judged)
        rank(judged)
        stored.append(StoredTallies.objects.get().watermark)

    assert stored == [10, 12, 12, 14]


def test_damaged_tallies_are_counted_anew_and_logged(
    judged: TestSetWriter,
    counted: list[int],
    rank: Rank,
    caplog: pytest.LogCaptureFixture,
) -> None:
    row = StoredTallies.objects.get()
    row.packed = bytes(row.packed)[:-1] + b"?"
    row.save()
    judge_more(judged)
    run = rank(judged)

    assert counted == [11]
    assert f"Recounting the tallies of task {run.task_id}." in caplog.text
    assert StoredTallies.objects.get().build != row.build


def test_tallies_that_hold_other_judgments_are_counted_anew(
    judged: TestSetWriter,
    counted: list[int],
    rank: Rank,
    caplog: pytest.LogCaptureFixture,
) -> None:
    row = StoredTallies.objects.get()
    run = latest_run(task_id=row.pk)
    assert run is not None
    definition = services.live_definition(run, system_kinds(task_id=row.pk))
    # As if no judgment had ever been counted.
    StoredTallies.objects.update(packed=LiveTallies(definition).packed())
    first = Judgment.objects.order_by("pk")[0]
    judged.judgment("j1", first.block, [3, 2, 1], supersedes=first)
    with caplog.at_level(logging.ERROR):
        rank(judged)

    assert counted == [11]
    assert "these judgments were never added" in caplog.text


def forge_tallies(writer: TestSetWriter) -> None:
    """Store tallies in which one pair has one win more."""
    row = StoredTallies.objects.get()
    run = latest_run(task_id=row.pk)
    assert run is not None
    definition = services.live_definition(run, system_kinds(task_id=row.pk))
    tallies = LiveTallies.unpacked(bytes(row.packed), definition)
    tallies.ranking._cells[0] += 1
    StoredTallies.objects.update(packed=tallies.packed())


@pytest.mark.django_db(transaction=True)
def test_tallies_that_went_wrong_are_found_logged_and_counted_anew(
    judged: TestSetWriter,
    rank: Rank,
    counted: list[int],
    caplog: pytest.LogCaptureFixture,
) -> None:
    forge_tallies(judged)
    check_tallies()

    assert (
        f"of task {judged.task.pk} differed from its judgments (cells)" in caplog.text
    )
    assert counted == [10]
    assert tallies_check(task_id=judged.task.pk) == []


def test_a_ranking_that_went_wrong_is_computed_anew(
    judged: TestSetWriter,
    rank: Rank,
) -> None:
    forge_tallies(judged)
    judge_more(judged)
    run = ranking_run_compute(task_id=judged.task.pk)
    assert run is not None
    assert ranking_run_reproduce(run) != run.result
    assert tallies_check(task_id=judged.task.pk) == ["result", "cells"]

    now = latest_run(task_id=judged.task.pk)
    assert now is not None
    assert ranking_run_reproduce(now) == now.result != run.result
