"""Writes of the campaign app; each is one atomic business action."""

from campaign.services.invitations import (
    InvitationRefusedError,
    invitation_create,
    invitation_open,
    invitation_revoke,
)
from campaign.services.people import conflict_declare, judge_add, organiser_add

__all__ = [
    "InvitationRefusedError",
    "conflict_declare",
    "invitation_create",
    "invitation_open",
    "invitation_revoke",
    "judge_add",
    "organiser_add",
]
