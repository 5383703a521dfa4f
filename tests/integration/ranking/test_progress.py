"""Counts of a test set and of its judges."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

from ranking.models import RankingRun
from ranking.selectors.dashboards import judging_progress
from ranking.selectors.judges import JudgeQuality, judges_listed, judges_quality
from ranking.services.quality import quality_evaluate
from ranking.services.runs import ranking_run_compute
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 10, 12, 30, tzinfo=UTC)


def test_a_revised_block_is_one_block(writer: TestSetWriter) -> None:
    block = writer.block(1, ["A", "B"])
    first = writer.judgment("j", block, [1, 2], at=NOON - timedelta(days=1))
    writer.judgment("j", block, [2, 1], at=NOON, supersedes=first)
    writer.judgment("k", block, [1, 2], at=NOON)

    progress = judging_progress(task=writer.task, now=NOON)

    assert (progress.judged, progress.today, progress.judges) == (2, 1, 2)


def test_a_skip_judged_after_all_is_no_longer_one(writer: TestSetWriter) -> None:
    kept, judged_after_all = writer.block(1, ["A", "B"]), writer.block(2, ["A", "B"])
    writer.skip("j", kept)
    writer.skip("j", judged_after_all)
    writer.judgment("j", judged_after_all, [1, 2])
    writer.judgment("k", kept, [1, 2])

    assert judging_progress(task=writer.task).skipped == 1


def test_the_share_is_of_the_blocks_wanted(writer: TestSetWriter) -> None:
    assert judging_progress(task=writer.task).share is None
    writer.task.blocks_wanted = 4
    writer.judgment("j", writer.block(1, ["A", "B"]), [1, 2])
    assert judging_progress(task=writer.task).share == 0.25
    writer.task.blocks_wanted = 1
    writer.judgment("k", writer.block(2, ["A", "B"]), [1, 2])
    assert judging_progress(task=writer.task).share == 1.0


def test_a_judge_is_at_work_for_ten_minutes(writer: TestSetWriter) -> None:
    writer.judgment(
        "recent",
        writer.block(1, ["A", "B"]),
        [1, 2],
        at=NOON - timedelta(minutes=9),
    )
    writer.judgment(
        "gone",
        writer.block(2, ["A", "B"]),
        [1, 2],
        at=NOON - timedelta(minutes=11),
    )

    assert judging_progress(task=writer.task, now=NOON).at_work == 1


@pytest.mark.parametrize("origin", ["imported", "simulated"])
def test_imported_judgments_count_without_work_time(
    writer: TestSetWriter,
    origin: str,
) -> None:
    writer.judge("file", origin=origin)
    writer.judgment("file", writer.block(1, ["A", "B"]), [1, 2], at=NOON)
    writer.skip("file", writer.block(2, ["A", "B"]))

    progress = judging_progress(task=writer.task, now=NOON)

    assert (progress.judged, progress.skipped, progress.judges) == (1, 1, 1)
    assert (progress.today, progress.at_work) == (0, 0)
    assert {period.judged for period in progress.periods} == {0}


def test_a_young_task_is_shown_by_the_hour(writer: TestSetWriter) -> None:
    for minutes in (5, 10, 35):
        block = writer.block(minutes, ["A", "B"])
        writer.judgment("j", block, [1, 2], at=NOON - timedelta(minutes=minutes))

    progress = judging_progress(task=writer.task, now=NOON)

    assert progress.hourly
    assert [period.judged for period in progress.periods] == [0] * 22 + [1, 2]
    assert progress.periods[-1].start == NOON.replace(minute=0)


def test_an_older_one_by_the_day_of_the_calendar(writer: TestSetWriter) -> None:
    # Half past midnight in Prague, the day clocks went forward; still the day before in UTC.
    night = datetime(2026, 3, 28, 23, 30, tzinfo=UTC)
    for days in (0, 1, 3):
        block = writer.block(days + 1, ["A", "B"])
        writer.judgment("j", block, [1, 2], at=night - timedelta(days=days))

    writer.task.test_set.campaign.time_zone = "Europe/Prague"
    progress = judging_progress(task=writer.task, now=night + timedelta(hours=12))

    assert not progress.hourly
    assert [period.judged for period in progress.periods][-4:] == [1, 0, 1, 1]
    assert [period.start.day for period in progress.periods][-4:] == [26, 27, 28, 29]
    assert progress.today == 1


def of_judges(writer: TestSetWriter, run: RankingRun | None) -> list[JudgeQuality]:
    listed: QuerySet[Any, Any] = judges_listed(task=writer.task)
    return judges_quality(
        task=writer.task,
        run=run,
        tallies=list(listed.order_by("pseudonym")),
    )


def test_judges_with_their_counts_and_times(writer: TestSetWriter) -> None:
    one, two = writer.block(1, ["A", "B"]), writer.block(2, ["A", "B"])
    writer.judge("robot", origin="simulated")
    writer.judge("idle")
    first = writer.judgment("robot", one, [1, 2], at=NOON, active_ms=30_000)
    writer.judgment("robot", two, [1, 2], at=NOON, active_ms=50_000)
    late = NOON + timedelta(hours=1)
    writer.judgment("robot", one, [2, 1], at=late, active_ms=1_000, supersedes=first)
    writer.skip("shy", one)

    run = ranking_run_compute(task_id=writer.task.pk)
    assert run is not None
    quality_evaluate(run=run)

    robot, shy = of_judges(writer, run)

    assert (robot["pseudonym"], robot["judged"], robot["skipped"]) == ("robot", 2, 0)
    assert robot["origin"] == "simulated"
    assert robot["measures"]["seconds"]["value"] == 40.0
    assert (shy["pseudonym"], shy["judged"], shy["skipped"], shy["measures"]) == (
        "shy",
        0,
        1,
        {},
    )


def test_agreement_is_that_of_the_run(writer: TestSetWriter) -> None:
    for segment in range(1, 4):
        block = writer.block(segment, ["A", "B"])
        writer.judgment("j", block, [1, 2])
        writer.judgment("k", block, [1, 2] if segment != 2 else [2, 1])
    writer.judgment("alone", writer.block(9, ["A", "B"]), [1, 2])
    run = ranking_run_compute(task_id=writer.task.pk)

    rows = {row["pseudonym"]: row["agreement"] for row in of_judges(writer, run)}

    shared, alone = rows["j"], rows["alone"]
    assert (shared["agreeing"], shared["comparable"]) == (2, 3)
    # Of two judges there is no interval, and without one no κ.
    assert (shared["kappa"], shared["reason"]) == (None, "no_interval")
    assert (alone["kappa"], alone["comparable"]) == (None, 0)


@pytest.mark.thorough
def test_queries_do_not_grow_with_the_judges(writer: TestSetWriter) -> None:
    asked = []
    for judges in (range(3), range(3, 50)):
        with writer.at_once():
            for number in judges:
                writer.judgment(
                    f"j{number}",
                    writer.block(number + 1, ["A", "B"]),
                    [1, 2],
                )
        run = ranking_run_compute(task_id=writer.task.pk)
        with CaptureQueriesContext(connection) as queries:
            judging_progress(task=writer.task)
            assert len(of_judges(writer, run)) == judges.stop
        asked.append(len(queries))
    assert asked[0] == asked[1]
