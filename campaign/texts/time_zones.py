"""Time zones with names that readers anywhere understand."""

import re
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from django.utils.translation import gettext as _

#: The last place on Earth where a day ends, in which conferences state deadlines.
ANYWHERE_ON_EARTH: Final = "Etc/GMT+12"
#: Years of the times that organisers enter. The first and the last day of Python's calendar lack hours in some time zones.
YEARS: Final = range(2000, 3000)
_FIXED: Final = re.compile(r"Etc/GMT([+-])(\d{1,2})")


class NamedZone(ZoneInfo):
    """A time zone that calls itself "UTC+5:30", because abbreviations such as IST and CST mean several zones."""

    def tzname(self, moment: datetime | None, /) -> str | None:
        """Return the offset from UTC at that time, such as "UTC+1"; "AoE" anywhere on Earth.

        Without a time, return None, because Django would name the zone so in queries; it uses `__str__` then.
        """
        if moment is None:
            return None
        if self.key == ANYWHERE_ON_EARTH:
            return "AoE"
        offset = self.utcoffset(moment)
        if offset is None:
            return None
        return _offset_name(offset)

    @property
    def title(self) -> str:
        """Name beside a field in which a time is entered."""
        if self.key == ANYWHERE_ON_EARTH:
            return "AoE"
        return self.key

    def __str__(self) -> str:
        """Return the name for the database. Django would read the offset in "Etc/GMT+12", whose sign is reversed."""
        fixed = _FIXED.fullmatch(self.key)
        if fixed is None:
            return self.key
        sign = "-" if fixed[1] == "+" else "+"
        return f"UTC{sign}{int(fixed[2]):02}:00"


def _offset_name(offset: timedelta) -> str:
    minutes = round(offset.total_seconds() / 60)
    if not minutes:
        return "UTC"
    sign = "−" if minutes < 0 else "+"
    hours, rest = divmod(abs(minutes), 60)
    if rest:
        return f"UTC{sign}{hours}:{rest:02}"
    return f"UTC{sign}{hours}"


@cache
def time_zone_names() -> frozenset[str]:
    """Return the names that are accepted: places, UTC and offsets, but no names of a machine or file."""
    names = {"UTC"}
    for name in available_timezones():
        if "/" in name and not name.startswith("SystemV/"):
            names.add(name)
    return frozenset(names)


@cache
def offered_time_zones() -> tuple[str, ...]:
    """Return the names of places, in alphabetical order, that a reader chooses from."""
    names = []
    for name in sorted(time_zone_names()):
        if not name.startswith(("Etc/", "US/")):
            names.append(name)
    return tuple(names)


def year_refusal(day: date) -> str:
    """Return why an entered date is refused for its year; empty if it is not."""
    if day.year in YEARS:
        return ""
    return _("Enter a year between %(first)d and %(last)d.") % {
        "first": YEARS[0],
        "last": YEARS[-1],
    }


class SkippedTimeError(ValueError):
    """Clocks skip this time, because daylight-saving time begins."""


def moment_at(clock: datetime, zone: ZoneInfo) -> datetime:
    """Return the moment at which clocks in a zone show this time; the later one if they show it twice.

    Raises SkippedTimeError if they never do.
    """
    moment = clock.replace(tzinfo=zone, fold=1)
    if moment.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != clock:
        raise SkippedTimeError(clock)
    return moment


@cache
def named_zone(name: str) -> NamedZone:
    """Return a time zone by its name."""
    return NamedZone(name)
