"""Write work as CSV: a judge's own time, the time sheet of a campaign, and the participations of a panel."""

from collections.abc import Iterable, Iterator

from annotation.selectors.panels import participations_described, participations_of
from annotation.selectors.work_time import JudgeTime, Worked, WorkTime
from campaign.export.downloads import csv_line
from campaign.models import Judge, Panel

COLUMNS = (
    "campaign",
    "judge",
    "day",
    "time_zone",
    "sentences",
    "active_seconds",
    "active_time",
)


def clock_time(seconds: int) -> str:
    """Return a duration as hours, minutes and seconds: 1:42:05."""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def work_time_csv(*, judge: Judge, worked: WorkTime) -> str:
    """Return a header, a line for each day with work, and a line for their total."""
    lines = []
    for day, worked_on_day in worked.days.items():
        lines.append((judge, day.isoformat(), worked_on_day))
    lines.append((judge, "total", worked.total))
    return _csv(
        lines,
        worked.time_zone,
    )


def time_sheet_csv(sheet: Iterable[JudgeTime], *, time_zone: str) -> str:
    """Return a header, and a line for each judge and day with work."""
    lines = []
    for row in sheet:
        for day, worked in row.days.items():
            lines.append((row.judge, day.isoformat(), worked))
    return _csv(
        lines,
        time_zone,
    )


def _csv(lines: Iterable[tuple[Judge, str, Worked]], time_zone: str) -> str:
    rows = []
    for judge, day, worked in lines:
        rows.append(
            [
                judge.campaign.slug,
                judge.pseudonym,
                day,
                time_zone,
                worked.sentences,
                worked.active_seconds,
                clock_time(worked.active_seconds),
            ],
        )
    return "".join(map(csv_line, [COLUMNS, *rows]))


PARTICIPATION_COLUMNS = (
    "participant_id",
    "session_id",
    "study_id",
    "state",
    "code",
    "blocks_done",
    "blocks_asked",
    "started_at",
    "ended_at",
    "code_given_at",
    "service_status",
    "judge",
    "judge_status",
)


def participations_csv(*, panel: Panel) -> Iterator[str]:
    """Yield a header and a line for each participation, oldest first. Times are in ISO 8601, UTC."""
    yield csv_line(PARTICIPATION_COLUMNS)
    for row in reversed(participations_described(participations_of(panel=panel))):
        participation = row.participation
        times = (
            participation.started_at,
            participation.ended_at,
            participation.code_given_at,
        )
        yield csv_line(
            [
                participation.judge.external_id,
                participation.session_id,
                participation.study_id,
                participation.state,
                participation.code,
                row.blocks_done,
                participation.blocks_asked,
                *(
                    "" if time is None else time.isoformat(timespec="seconds")
                    for time in times
                ),
                participation.service_status,
                participation.judge.pseudonym,
                row.judge_status,
            ],
        )
