"""Writes of the campaign app; each is one atomic business action."""

from campaign.services.invitations import (
    InvitationRefusedError,
    invitation_create,
    invitation_open,
    invitation_revoke,
)
from campaign.services.people import judge_add, organiser_add

__all__ = [
    "InvitationRefusedError",
    "invitation_create",
    "invitation_open",
    "invitation_revoke",
    "judge_add",
    "organiser_add",
]
