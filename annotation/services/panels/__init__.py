"""What becomes of the people whom recruiting services send."""

from annotation.services.panels.apply_event import participation_hear
from annotation.services.panels.begin import ParticipationRefusedError, participation_begin
from annotation.services.panels.update_state import (
    participation_settle,
    participations_settle_due,
    settle_if_of_a_panel,
)

__all__ = [
    "ParticipationRefusedError",
    "participation_begin",
    "participation_hear",
    "participation_settle",
    "participations_settle_due",
    "settle_if_of_a_panel",
]
