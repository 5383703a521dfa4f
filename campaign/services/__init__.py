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
from campaign.services.people import (
    PersonRefusedError,
    conflict_declare,
    judge_add,
    judge_change,
    judge_invite,
    organiser_add,
    organiser_invite,
    user_language_set,
)
from campaign.services.rules import campaign_change, test_set_change

__all__ = [
    "BAD_REFERENCE_SYSTEM",
    "BadReferenceRefusedError",
    "InvitationRefusedError",
    "PersonRefusedError",
    "bad_reference_redraw",
    "bad_reference_review",
    "bad_references_make",
    "campaign_change",
    "conflict_declare",
    "invitation_create",
    "invitation_open",
    "invitation_revoke",
    "judge_add",
    "judge_change",
    "judge_invite",
    "organiser_add",
    "organiser_invite",
    "test_set_change",
    "user_language_set",
]
