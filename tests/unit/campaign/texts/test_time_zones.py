"""Names of time zones, and times as clocks show them."""

from datetime import UTC, datetime

import pytest
from django.conf import settings
from django.utils import translation
from django.utils.formats import date_format, get_format

from campaign.texts.time_zones import (
    ANYWHERE_ON_EARTH,
    SkippedTimeError,
    moment_at,
    named_zone,
    offered_time_zones,
    time_zone_names,
)

SUMMER = datetime(2026, 7, 1, 12, tzinfo=UTC)
WINTER = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "summer", "winter"),
    [
        ("UTC", "UTC", "UTC"),
        ("Europe/Prague", "UTC+2", "UTC+1"),
        ("America/Los_Angeles", "UTC−7", "UTC−8"),
        # “IST” is used in India, Ireland and Israel; “CST” in China and America.
        ("Asia/Kolkata", "UTC+5:30", "UTC+5:30"),
        ("Asia/Shanghai", "UTC+8", "UTC+8"),
        ("Asia/Kathmandu", "UTC+5:45", "UTC+5:45"),
        ("America/St_Johns", "UTC−2:30", "UTC−3:30"),
        (ANYWHERE_ON_EARTH, "AoE", "AoE"),
    ],
)
def test_time_zone_is_named_by_its_offset_at_that_time(
    zone: str,
    summer: str,
    winter: str,
) -> None:
    names = [each.astimezone(named_zone(zone)).tzname() for each in (SUMMER, WINTER)]
    assert names == [summer, winter]


def test_fixed_offsets_have_names_whose_sign_the_database_reads_rightly() -> None:
    assert str(named_zone(ANYWHERE_ON_EARTH)) == "UTC-12:00"
    assert str(named_zone("Etc/GMT-3")) == "UTC+03:00"
    assert str(named_zone("Europe/Prague")) == "Europe/Prague"
    assert named_zone(ANYWHERE_ON_EARTH).tzname(None) is None


def test_every_zone_that_is_offered_is_accepted_and_none_is_a_file_of_the_machine() -> (
    None
):
    assert set(offered_time_zones()) < time_zone_names()
    assert {"Europe/Prague", "UTC", ANYWHERE_ON_EARTH} <= time_zone_names()
    assert not {"localtime", "Factory", "../etc/passwd", ""} & time_zone_names()


@pytest.mark.parametrize(
    ("zone", "clock", "utc"),
    [
        ("Europe/Prague", "2026-12-12T18:00", "2026-12-12T17:00Z"),
        ("America/Los_Angeles", "2026-12-12T18:00", "2026-12-13T02:00Z"),
        (ANYWHERE_ON_EARTH, "2026-12-12T23:59", "2026-12-13T11:59Z"),
        # Clocks go back from 3:00 to 2:00: the later of two times that read 2:30.
        ("Europe/Prague", "2026-10-25T02:30", "2026-10-25T01:30Z"),
        ("Europe/Prague", "2026-10-25T01:59", "2026-10-24T23:59Z"),
        # On a leap day, and across the end of a year.
        ("Pacific/Kiritimati", "2028-02-29T06:00", "2028-02-28T16:00Z"),
        (ANYWHERE_ON_EARTH, "2028-02-29T23:59", "2028-03-01T11:59Z"),
        ("America/Los_Angeles", "2027-12-31T18:00", "2028-01-01T02:00Z"),
    ],
)
def test_time_of_a_clock_is_one_moment(zone: str, clock: str, utc: str) -> None:
    moment = moment_at(datetime.fromisoformat(clock), named_zone(zone))
    assert moment.astimezone(UTC) == datetime.fromisoformat(utc)


@pytest.mark.parametrize("minute", ["00", "30", "59"])
def test_time_that_clocks_skip_is_no_moment(minute: str) -> None:
    skipped = datetime.fromisoformat(f"2026-03-29T02:{minute}")
    with pytest.raises(SkippedTimeError):
        moment_at(skipped, named_zone("Europe/Prague"))
    assert moment_at(skipped, named_zone("Europe/London")).hour == 2


@pytest.mark.parametrize("language", dict(settings.LANGUAGES))
def test_time_formats_include_the_zone_in_every_language(language: str) -> None:
    moment = SUMMER.astimezone(named_zone("Asia/Kolkata"))
    with translation.override(language):
        for name in ("TIME_FORMAT", "DATETIME_FORMAT", "SHORT_DATETIME_FORMAT"):
            assert date_format(moment, name).endswith(" UTC+5:30"), get_format(name)
