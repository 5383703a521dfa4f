"""What the time sheet reads: the work of a page's judges on the days that are asked for."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from annotation.models import WorkedQuarterHour
from annotation.selectors import Worked, time_sheet_in_all, time_sheet_sums
from campaign.models import Judge, Task
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.filled_world import Cost, costs
from tests.integration.annotation.test_time_sheet import MONDAY, TUESDAY, at, lines_of
from tests.integration.test_cost_of_pages import AS_FOR_LARGE_TABLES

pytestmark = pytest.mark.usefixtures("as_owner", "db")

QUARTERS = 20
# Rows at the ends of an index that planning a statement may look up.
PLANNER = 40


def work_of_many(task: Task, judges: int) -> None:
    """Judges who worked twenty quarters of an hour each, half of them on Monday."""
    made = [make_judge(task.test_set.campaign, f"judge{number:03}") for number in range(judges)]
    WorkedQuarterHour.objects.bulk_create(
        WorkedQuarterHour(
            task=task,
            judge=judge,
            start=at(MONDAY if turn % 2 else TUESDAY) + timedelta(minutes=15 * turn),
            sentences=3,
            active_ms=90_500,
            untimed=0,
        )
        for judge in made
        for turn in range(QUARTERS)
    )


def quarters_read(cost: Cost) -> int:
    """Rows of worked quarters of an hour that were read, by an index or not."""
    table = "annotation_workedquarterhour"
    return sum(rows for (of, name), rows in cost.rows.items() if of == table and name != of)


def test_a_page_reads_the_work_of_its_judges_on_its_days_however_many_there_are(
    client: Client,
) -> None:
    found: list[tuple[int, int]] = []
    for judges in (60, 240):
        campaign = make_campaign(f"of-{judges}")
        work_of_many(make_task(campaign, planned=0), judges)
        client.force_login(make_organiser(campaign, f"{judges}@example.org"))
        with connection.cursor() as cursor:
            for statement in ["ANALYZE", *AS_FOR_LARGE_TABLES]:
                cursor.execute(statement)
        days = {"first": MONDAY, "last": MONDAY}
        everybody = Judge.objects.filter(campaign=campaign)
        with costs() as of_page:
            rows: Any = list(time_sheet_sums(judges=everybody, **days)[:50])
        assert {tuple(row.worked) for row in rows} == {(30, 905, 0, 1)}
        with costs() as of_all:
            in_all = time_sheet_in_all(campaign=campaign, judges=everybody, **days)
        assert in_all == Worked(30 * judges, 905 * judges)
        # Each quarter of an hour of these days once, and none of another day.
        assert quarters_read(of_all) <= WorkedQuarterHour.objects.count() // 2 + PLANNER
        address = f"/campaigns/{campaign.slug}/people/time/"
        client.get(address)
        with costs() as of_request:
            page = client.get(address, {"first": "2026-11-16", "last": "2026-11-16"})
        assert len(lines_of(page.content.decode())) == 51
        found.append((of_page.queries, of_request.queries))
        # Whether each of the fifty worked at all is one row more.
        assert quarters_read(of_page) <= 50 * (QUARTERS // 2 + 1) + PLANNER
    assert found[0] == found[1]
