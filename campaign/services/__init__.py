"""Writes of the campaign app; each is one atomic business action."""

from campaign.services.bad_references import (
    BAD_REFERENCE_SYSTEM,
    BadReferenceRefusedError,
    bad_reference_redraw,
    bad_reference_review,
    bad_references_make,
)
from campaign.services.invitations import (
    InvitationRefusedError,
    invitation_create,
    invitation_open,
    invitation_revoke,
)
from campaign.services.people import conflict_declare, judge_add, organiser_add

__all__ = [
    "BAD_REFERENCE_SYSTEM",
    "BadReferenceRefusedError",
    "InvitationRefusedError",
    "bad_reference_redraw",
    "bad_reference_review",
    "bad_references_make",
    "conflict_declare",
    "invitation_create",
    "invitation_open",
    "invitation_revoke",
    "judge_add",
    "organiser_add",
]
