"""A judge's receipt as CSV: sentences and active time of each day, and in all."""

import csv
import io

from annotation.selectors import WorkTime
from campaign.models import Judge

COLUMNS = ("campaign", "judge", "day", "time_zone", "sentences", "active_seconds", "active_time")


def clock_time(seconds: int) -> str:
    """Return a length of time as hours, minutes and seconds: 1:42:05."""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def work_time_csv(*, judge: Judge, worked: WorkTime) -> str:
    """Return a header, a line for each day with work, and one for all of them, its day “total”."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    days = [(day.isoformat(), each) for day, each in worked.days.items()]
    for day, each in [*days, ("total", worked.total)]:
        writer.writerow(
            [
                *(judge.campaign.slug, judge.pseudonym, day, worked.time_zone),
                *(each.sentences, each.active_seconds, clock_time(each.active_seconds)),
            ]
        )
    return buffer.getvalue()
