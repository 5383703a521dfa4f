"""Writes of the campaign app; each is one atomic business action."""

from campaign.services.arriving import (
    ArrivalRefusedError,
    InvitationFullError,
    judge_admit,
    judge_arrive,
    judge_arrived,
    languages_offered,
    sighting_note,
    test_set_choose,
)
from campaign.services.bad_references import (
    BAD_REFERENCE_SYSTEM,
    BadReferenceRefusedError,
    bad_reference_redraw,
    bad_reference_review,
    bad_references_make,
)
from campaign.services.instructions import (
    InstructionsRefusedError,
    instructions_accept,
    instructions_write,
)
from campaign.services.invitations import (
    InvitationRefusedError,
    invitation_create,
    invitation_create_for_anybody,
    invitation_open,
    invitation_revoke,
    judge_links_revoke,
    own_link_create,
    own_link_revoke,
)
from campaign.services.mails import (
    AddressesRefusedError,
    Invited,
    addresses_read,
    judges_invite_by_mail,
    mail_send_again,
    mails_send_due,
)
from campaign.services.people import (
    PersonRefusedError,
    conflict_declare,
    judge_add,
    judge_change,
    judge_invite,
    organiser_add,
    organiser_invite,
)
from campaign.services.rules import campaign_change, test_set_change

__all__ = [
    "BAD_REFERENCE_SYSTEM",
    "AddressesRefusedError",
    "ArrivalRefusedError",
    "BadReferenceRefusedError",
    "InstructionsRefusedError",
    "InvitationFullError",
    "InvitationRefusedError",
    "Invited",
    "PersonRefusedError",
    "addresses_read",
    "bad_reference_redraw",
    "bad_reference_review",
    "bad_references_make",
    "campaign_change",
    "conflict_declare",
    "instructions_accept",
    "instructions_write",
    "invitation_create",
    "invitation_create_for_anybody",
    "invitation_open",
    "invitation_revoke",
    "judge_add",
    "judge_admit",
    "judge_arrive",
    "judge_arrived",
    "judge_change",
    "judge_invite",
    "judge_links_revoke",
    "judges_invite_by_mail",
    "languages_offered",
    "mail_send_again",
    "mails_send_due",
    "organiser_add",
    "organiser_invite",
    "own_link_create",
    "own_link_revoke",
    "sighting_note",
    "test_set_change",
    "test_set_choose",
]
