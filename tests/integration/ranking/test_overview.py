"""The overview of a campaign: its numbers, its forecasts, and what it says needs somebody."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models.judge_measures import JudgeMeasure
from campaign.models import Campaign, Protocol
from campaign.services.campaigns import task_close as close
from desk.selectors.alerts import alerts_of_campaigns
from ranking.models import JudgeMeasures
from ranking.pages.overview import overview_rows, totals_of
from ranking.selectors.dashboards import TaskOverview, campaign_overview
from ranking.tasks import rank_task
from tests.criteria import criterion
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 20, 12, 0, tzinfo=UTC)
LESS = "has low agreement with the others."
WEEK = [4, 6, 5, 3, 7, 5, 5]


def judged_by_day(writer: TestSetWriter, days: list[int], *, last: int = 0) -> None:
    """Let a judge judge so many blocks a day; the last of these is `last` days before NOON."""
    segment = 0
    with writer.at_once():
        for back, blocks in enumerate(reversed(days)):
            for _block in range(blocks):
                segment += 1
                at = NOON - timedelta(days=last + back, minutes=segment % 5)
                writer.judgment("ada", writer.block(segment, ["A", "B"]), [1, 2], at=at)


def overview_of(writer: TestSetWriter, *, wanted: int | None = None) -> TaskOverview:
    writer.task.blocks_wanted = wanted
    writer.task.save()
    (found,) = campaign_overview(campaign=writer.campaign, now=NOON)
    return found


def test_days_pace_and_who_is_at_work(writer: TestSetWriter) -> None:
    judged_by_day(writer, [9, *WEEK, 2])
    found = overview_of(writer)
    assert [day.judged for day in found.days] == [0] * 5 + [9, *WEEK, 2]
    assert found.days[-1].start == datetime(2026, 3, 20, tzinfo=UTC)
    # Of whole days, a week at most: neither the present one nor what was before the week.
    assert found.pace == pytest.approx(sum(WEEK) / 7)
    assert (found.at_work, found.judged, found.judged_by) == (1, 46, 1)
    assert (found.days_of_work, found.days_idle, found.end) == (8, 0, None)


def test_the_end_is_forecast_from_a_week_and_not_from_less(
    writer: TestSetWriter,
) -> None:
    judged_by_day(writer, [*WEEK[1:], 0])
    assert overview_of(writer, wanted=100).end is None
    judged_by_day_before = writer.block(999, ["A", "B"])
    writer.judgment("ada", judged_by_day_before, [1, 2], at=NOON - timedelta(days=7))
    # What is judged today is part of the days to come.
    writer.judgment("ada", writer.block(998, ["A", "B"]), [1, 2], at=NOON)
    found = overview_of(writer, wanted=100)
    assert (found.days_of_work, found.judged) == (7, 33)
    assert found.end is not None
    assert found.end.days == pytest.approx((100 - 32) / (32 / 7))
    (row,) = overview_rows([found], today=date(2026, 3, 20))
    assert row.end == "April 3, 2026"
    assert row.end_range == "March 29, 2026 – April 16, 2026"
    assert row.end_plot is not None
    close(task=writer.task)
    writer.task.refresh_from_db()
    closed = overview_of(writer, wanted=100)
    assert closed.end is None


def needs(campaign: Campaign) -> list[str]:
    found = alerts_of_campaigns(campaigns=[campaign], now=NOON)[campaign.pk]
    return [
        f"{need.what} → {need.address.removeprefix('/campaigns/museum/')}"
        for need in found
    ]


def test_attention_items_are_listed(writer: TestSetWriter) -> None:
    own = f"tasks/{writer.task.pk}/"
    assert needs(writer.campaign) == ["No judgments yet. → invitations/"]
    judged_by_day(writer, [3], last=2)
    assert needs(writer.campaign) == []
    stands = timezone.localtime(NOON) + timedelta(days=1)
    found = alerts_of_campaigns(campaigns=[writer.campaign], now=stands)
    (need,) = found[writer.campaign.pk]
    assert (need.what, need.why) == ("one has stalled.", "No judgments for 3 days.")
    JudgeMeasures.objects.create(
        task=writer.task,
        judge=writer.judge("ada"),
        measures={JudgeMeasure.DISAGREES: {"value": 0.001, "number": 9}},
    )
    overview_of(writer, wanted=3)
    assert needs(writer.campaign) == [
        f"one has reached its target. → {own}close/",
        f"1 judge in one {LESS} → {own}judges/?sort=agreement",
    ]
    close(task=writer.task)
    assert needs(writer.campaign) == []


def test_totals_are_of_what_is_wanted(
    write_test_set: WriteTestSet,
    campaign: Campaign,
) -> None:
    for name, blocks, wanted in [("one", 3, 2), ("two", 2, 8), ("three", 4, None)]:
        writer = write_test_set(name=name)
        judged_by_day(writer, [blocks])
        overview_of_all = writer.task
        overview_of_all.blocks_wanted = wanted
        overview_of_all.save()
    totals = totals_of(campaign_overview(campaign=campaign, now=NOON))
    assert (totals.judged, totals.tasks, totals.running) == (9, 3, 3)
    # More than is wanted of one test set makes up for nothing of another.
    assert totals.share == pytest.approx(4 / 10)


@pytest.mark.thorough
def test_twenty_tasks_cost_as_many_queries_as_two(
    as_organiser: Client,
    write_test_set: WriteTestSet,
    campaign: Campaign,
) -> None:
    counts = []
    for names in (range(2), range(2, 20)):
        for number in names:
            writer = write_test_set(name=f"set {number}")
            judged_by_day(writer, [2])
            rank_task(writer.task.pk)
        as_organiser.get("/campaigns/museum/")
        for address in ("", "test-sets/"):
            with CaptureQueriesContext(connection) as queries:
                page = as_organiser.get(f"/campaigns/museum/{address}")
            assert f"set {names[-1]}" in text_of(page)
            counts.append(len(queries))
    assert counts[:2] == counts[2:]
    assert max(counts) <= 21


def test_a_judge_at_work_on_two_tasks_is_counted_once(writer: TestSetWriter) -> None:
    judged_by_day(writer, [2])
    found = overview_of(writer)
    assert found.at_work == 1
    assert totals_of([found, found]).at_work == 1


def test_ratings_without_weights_are_not_called_tied(writer: TestSetWriter) -> None:
    judged_by_day(writer, [2])
    found = overview_of(writer)
    found.task.protocol = Protocol.RATING
    criteria = [criterion("style"), criterion("content")]
    found.task.rules = {"criteria": criteria, "all_at_once": True}
    standing: Any = {"systems": [{"system": "amber"}, {"system": "birch"}]}
    [row] = overview_rows([replace(found, standing=standing)], today=NOON.date())
    assert (row.headline, row.plot) == ("Ratings", None)
