"""Participations of the people whom recruiting services send."""

from annotation.services.panels.apply_event import participation_event_apply
from annotation.services.panels.begin import ParticipationRefusedError, participation_begin
from annotation.services.panels.update_state import (
    panel_participation_refresh,
    participation_refresh,
    participations_refresh_due,
)

__all__ = [
    "ParticipationRefusedError",
    "panel_participation_refresh",
    "participation_begin",
    "participation_event_apply",
    "participation_refresh",
    "participations_refresh_due",
]
