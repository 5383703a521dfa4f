"""The organisers' time sheet: what each judge worked, as they see it themselves."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.export.work_time import clock_time
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.work_time import (
    Worked,
    time_sheet,
    time_sheet_sums,
    work_time,
)
from annotation.services.numbers import waiting_judgments_number
from campaign.models import Campaign
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.integration.annotation.test_work_time import judged, skipped

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/museum/people/time/"
FILE = "/campaigns/museum/people/time.csv"
MONDAY, TUESDAY = date(2026, 11, 16), date(2026, 11, 17)


def at(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 9, tzinfo=UTC)


@pytest.fixture
def campaign() -> Campaign:
    """Ada worked on Monday and Tuesday, Ben on Tuesday, Cyd never; somebody else elsewhere."""
    campaign = make_campaign()
    make_task(campaign, documents=(9, 9, 9), identical=())
    ada, ben, _cyd = (make_judge(campaign, name) for name in ("ada", "ben", "cyd"))
    first, second, third = assigned_blocks(lend(ada))
    judged(first, 30, at(MONDAY))
    judged(second, 40, at(TUESDAY))
    skipped(third, 5, at(TUESDAY))
    of_ben, *_others = assigned_blocks(lend(ben))
    judged(of_ben, 3600, at(TUESDAY))
    elsewhere = make_task(make_campaign("elsewhere"), documents=(9,), identical=())
    block, *_others = assigned_blocks(
        lend(make_judge(elsewhere.test_set.campaign, "dan")),
    )
    judged(block, 50, at(MONDAY))
    waiting_judgments_number()
    return campaign


@pytest.fixture
def organiser(campaign: Campaign, client: Client) -> Client:
    client.force_login(make_organiser(campaign))
    return client


@pytest.mark.thorough
def test_time_sheet_equals_the_judges_own_pages(campaign: Campaign) -> None:
    sheet = time_sheet(campaign=campaign)
    assert [each.judge.pseudonym for each in sheet] == ["ada", "ben"]
    for each in sheet:
        assert each.days == work_time(each.judge).days
    assert sheet[0].days == {MONDAY: Worked(1, 30), TUESDAY: Worked(2, 45)}
    assert [each.total for each in sheet] == [Worked(3, 75), Worked(1, 3600)]


DAYS: list[tuple[date | None, date | None, dict[str, list[date]]]] = [
    (None, MONDAY, {"ada": [MONDAY]}),
    (MONDAY, MONDAY, {"ada": [MONDAY]}),
    (TUESDAY, None, {"ada": [TUESDAY], "ben": [TUESDAY]}),
    (MONDAY, TUESDAY, {"ada": [MONDAY, TUESDAY], "ben": [TUESDAY]}),
    (None, date(2026, 11, 15), {}),
]


def test_both_days_are_included(campaign: Campaign, subtests: pytest.Subtests) -> None:
    for first, last, days in DAYS:
        with subtests.test(first=first, last=last, days=days):
            sheet = time_sheet(campaign=campaign, first=first, last=last)
            assert {each.judge.pseudonym: list(each.days) for each in sheet} == days


def test_time_sheet_includes_judges_who_only_skipped(
    campaign: Campaign,
) -> None:
    cyd = campaign.judges.get(pseudonym="cyd")
    midnight = datetime(2026, 11, 18, tzinfo=UTC)
    first, second, _third = assigned_blocks(lend(cyd))
    skipped(first, 7, midnight)
    skipped(second, 8, midnight - timedelta(milliseconds=1))
    waiting_judgments_number()
    for day, seconds in ((TUESDAY, 8), (TUESDAY + timedelta(days=1), 7)):
        sheet = time_sheet(campaign=campaign, first=day, last=day)
        assert {each.judge.pseudonym: each.days for each in sheet}["cyd"] == {
            day: Worked(1, seconds),
        }
        sums: Any = time_sheet_sums(
            campaign=campaign,
            judges=campaign.judges.filter(pk=cyd.pk),
            first=day,
            last=day,
        )
        assert [tuple(each.worked) for each in sums] == [(1, seconds, 0, 1)]


def test_the_file_has_a_line_for_each_judge_and_day(organiser: Client) -> None:
    assert organiser.get(FILE, {"first": "2026-11-17"}).content.decode("utf-8-sig") == (
        "campaign,judge,day,time_zone,sentences,active_seconds,active_time\n"
        "museum,ada,2026-11-17,UTC,2,45,0:00:45\n"
        "museum,ben,2026-11-17,UTC,1,3600,1:00:00\n"
    )


def test_days_begin_at_midnight_of_the_campaign(
    campaign: Campaign,
    organiser: Client,
) -> None:
    campaign.time_zone = (
        "Pacific/Auckland"  # 13 hours ahead, so Monday 9:00 UTC is 22:00
    )
    campaign.save()
    ben = campaign.judges.get(pseudonym="ben")
    _first, second, *_others = assigned_blocks(lend(ben))
    judged(second, 5, at(MONDAY) + timedelta(hours=2))
    file = organiser.get(FILE, {"first": "0001-01-01", "last": "2026-11-17"})
    assert file.content.decode("utf-8-sig").splitlines()[1:] == [
        "museum,ada,2026-11-16,Pacific/Auckland,1,30,0:00:30",
        "museum,ada,2026-11-17,Pacific/Auckland,2,45,0:00:45",
        "museum,ben,2026-11-17,Pacific/Auckland,2,3605,1:00:05",
    ]
    assert "Pacific/Auckland" in organiser.get(PAGE).content.decode()


@pytest.mark.thorough
def test_the_page_shows_sums_and_leads_to_the_same_days_in_the_file(
    organiser: Client,
) -> None:
    page = organiser.get(PAGE, {"first": "2026-11-17", "last": ""}).content.decode()
    assert lines_of(page) == [
        ["ada", "2", "0:00:45", "1"],
        ["ben", "1", "1:00:00", "1"],
        ["All judges", "3", "1:00:45", ""],
    ]
    assert f'href="{FILE}?first=2026-11-17' in page
    empty = organiser.get(PAGE, {"last": "2026-11-15"}).content.decode()
    assert "No work in this period." in empty
    assert "time.csv" not in empty


def lines_of(page: str) -> list[list[str]]:
    """What stands in the lines of the table, without its head."""
    lines = re.findall(r'<tr role="row">(.*?)</tr>', page, re.DOTALL)[1:]
    cells = (re.findall(r"<t[hd].*?>(.*?)</t[hd]>", line, re.DOTALL) for line in lines)
    return [[re.sub(r"<[^>]+>", "", cell) for cell in line] for line in cells]


@pytest.mark.parametrize("seconds", [40, 3_000, 20_000])
def test_time_is_same_in_sheet_list_and_progress_and_leaves_out_simulated_judges(
    client: Client,
    seconds: int,
) -> None:
    campaign = make_campaign()
    task = make_task(campaign, documents=(9, 9, 9), identical=())
    for name, origin, active in (
        ("ada", "person", seconds),
        ("bot", "simulated", 9_000),
    ):
        block, *_others = assigned_blocks(
            lend(make_judge(campaign, name, origin=origin)),
        )
        judged(block, active, at(MONDAY))
    waiting_judgments_number()
    client.force_login(make_organiser(campaign))
    sheet = client.get(reverse("time-sheet", args=[campaign.slug])).content.decode()
    progress = client.get(reverse("test-set-progress", args=[campaign.slug, task.pk]))
    listed = client.get(reverse("campaign-list")).content.decode()
    assert "bot" not in sheet
    assert clock_time(seconds) in sheet
    assert clock_time(seconds) in progress.content.decode()
    assert f"{seconds / 3600:.1f} h" in listed
