"""The participations of a panel as CSV: whom to pay, and for what."""

from collections.abc import Iterator

from annotation.selectors.panels import participations_described, participations_of
from campaign.formats.formulas import csv_row
from campaign.models import Panel

COLUMNS = (
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
    """Yield a header and a line for each participation, the oldest first. Times in ISO 8601, UTC."""
    yield csv_row(COLUMNS)
    for row in reversed(participations_described(participations_of(panel=panel))):
        each = row.participation
        times = (each.started_at, each.ended_at, each.code_given_at)
        yield csv_row(
            [
                *(each.member.external_id, each.session_id, each.study_id, each.state, each.code),
                *(row.done, each.blocks_asked),
                *("" if time is None else time.isoformat(timespec="seconds") for time in times),
                *(each.service_status, each.member.judge.pseudonym, row.judge_status),
            ]
        )
