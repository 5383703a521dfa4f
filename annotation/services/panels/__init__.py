"""What becomes of the people whom recruiting services send."""

from annotation.services.panels.beginning import ParticipationRefusedError, participation_begin
from annotation.services.panels.hearing import participation_hear
from annotation.services.panels.settling import (
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
