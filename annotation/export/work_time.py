"""Work as CSV, sentences and active time of each day: a judge's receipt, and the time sheet of a campaign."""

import csv
import io
from collections.abc import Iterable

from annotation.selectors import JudgeTime, Worked, WorkTime
from campaign.models import Judge

COLUMNS = ("campaign", "judge", "day", "time_zone", "sentences", "active_seconds", "active_time")


def clock_time(seconds: int) -> str:
    """Return a length of time as hours, minutes and seconds: 1:42:05."""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def work_time_csv(*, judge: Judge, worked: WorkTime) -> str:
    """Return a header, a line for each day with work, and one for all of them, its day “total”."""
    days = [(day.isoformat(), each) for day, each in worked.days.items()]
    return _csv(
        ((judge, day, each) for day, each in [*days, ("total", worked.total)]), worked.time_zone
    )


def time_sheet_csv(sheet: Iterable[JudgeTime], *, time_zone: str) -> str:
    """Return a header, and a line for each judge and day with work."""
    return _csv(
        (
            (each.judge, day.isoformat(), worked)
            for each in sheet
            for day, worked in each.days.items()
        ),
        time_zone,
    )


def _csv(lines: Iterable[tuple[Judge, str, Worked]], time_zone: str) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    for judge, day, each in lines:
        writer.writerow(
            [
                *(judge.campaign.slug, judge.pseudonym, day, time_zone),
                *(each.sentences, each.active_seconds, clock_time(each.active_seconds)),
            ]
        )
    return buffer.getvalue()
