"""The organisers' time sheet: what each judge worked, as they see it themselves."""

from datetime import UTC, date, datetime

import pytest
from django.test import Client

from annotation.selectors import Worked, assigned_blocks, time_sheet, work_time
from annotation.services import judgments_number
from campaign.models import Campaign, Judge
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_organiser, make_test_set
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
    make_test_set(campaign, documents=(9, 9, 9), identical=())
    ada, ben, _cyd = (make_judge(campaign, name) for name in ("ada", "ben", "cyd"))
    first, second, third = assigned_blocks(lend(ada))
    judged(first, 30, at(MONDAY))
    judged(second, 40, at(TUESDAY))
    skipped(third, 5, at(TUESDAY))
    of_ben, *_others = assigned_blocks(lend(ben))
    judged(of_ben, 3600, at(TUESDAY))
    elsewhere = make_test_set(make_campaign("elsewhere"), documents=(9,), identical=())
    block, *_others = assigned_blocks(lend(make_judge(elsewhere.campaign, "dan")))
    judged(block, 50, at(MONDAY))
    return campaign


@pytest.fixture
def organiser(campaign: Campaign, client: Client) -> Client:
    client.force_login(make_organiser(campaign))
    return client


@pytest.mark.parametrize("is_counted", [False, True], ids=["while it waits", "counted"])
def test_each_judge_has_the_work_of_their_own_page(campaign: Campaign, is_counted: bool) -> None:
    if is_counted:
        judgments_number(test_set_id=campaign.test_sets.get().pk)
    sheet = time_sheet(campaign=campaign)
    assert [each.judge.pseudonym for each in sheet] == ["ada", "ben"]
    for each in sheet:
        assert each.days == work_time(each.judge).days
    assert sheet[0].days == {MONDAY: Worked(1, 30), TUESDAY: Worked(2, 45)}
    assert [each.total for each in sheet] == [Worked(3, 75), Worked(1, 3600)]


@pytest.mark.parametrize(
    ("first", "last", "days"),
    [
        (None, MONDAY, {"ada": [MONDAY]}),
        (MONDAY, MONDAY, {"ada": [MONDAY]}),
        (TUESDAY, None, {"ada": [TUESDAY], "ben": [TUESDAY]}),
        (MONDAY, TUESDAY, {"ada": [MONDAY, TUESDAY], "ben": [TUESDAY]}),
        (None, date(2026, 11, 15), {}),
    ],
)
def test_both_days_are_included(
    campaign: Campaign, first: date | None, last: date | None, days: dict[str, list[date]]
) -> None:
    sheet = time_sheet(campaign=campaign, first=first, last=last)
    assert {each.judge.pseudonym: list(each.days) for each in sheet} == days


def test_the_file_has_a_line_for_each_judge_and_day(organiser: Client) -> None:
    assert organiser.get(FILE, {"first": "2026-11-17"}).content.decode() == (
        "campaign,judge,day,time_zone,sentences,active_seconds,active_time\n"
        "museum,ada,2026-11-17,UTC,2,45,0:00:45\n"
        "museum,ben,2026-11-17,UTC,1,3600,1:00:00\n"
    )


def test_the_page_shows_sums_and_leads_to_the_same_days_in_the_file(organiser: Client) -> None:
    page = organiser.get(PAGE, {"first": "2026-11-17", "last": ""}).content.decode()
    for cell in ('<th scope="row">ada</th>', "0:00:45", "1:00:00", "1:00:45"):
        assert cell in page
    assert f'href="{FILE}?first=2026-11-17' in page
    empty = organiser.get(PAGE, {"last": "2026-11-15"}).content.decode()
    assert "Nobody worked on these days." in empty
    assert "time.csv" not in empty


@pytest.mark.parametrize(
    ("days", "said"),
    [
        ({"first": "yesterday"}, "Enter a valid date."),
        ({"last": "2026-02-30"}, "Enter a valid date."),
        ({"first": "2026-11-17", "last": "2026-11-16"}, "This day is before the first one."),
    ],
)
def test_a_day_that_is_none_is_said(organiser: Client, days: dict[str, str], said: str) -> None:
    for address in (PAGE, FILE):
        response = organiser.get(address, days)
        assert response.status_code == 400
        assert said in response.content.decode()


def test_many_judges_have_pages_that_keep_the_days(
    campaign: Campaign, organiser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.views.time_sheet.JUDGES_ON_A_PAGE", 1)
    page = organiser.get(PAGE, {"first": "2026-11-16"}).content.decode()
    assert "1 to 1 of 2 judges" in page
    assert 'rel="next" href="?first=2026-11-16&amp;page=2"' in page
    second = organiser.get(PAGE, {"first": "2026-11-16", "page": "2"}).content.decode()
    assert '<th scope="row">ben</th>' in second
    assert "1:01:15" in second  # of all judges
    assert Judge.objects.filter(campaign=campaign).count() == 3
