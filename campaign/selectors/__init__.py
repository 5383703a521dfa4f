"""Reads of the campaign app."""

from campaign.selectors.bad_references import ReviewPage, bad_references_to_review
from campaign.selectors.credentials import (
    Access,
    MemberAccess,
    OpenSession,
    judge_access,
    link_may_be_made,
    links_valid,
    links_withdrawn,
    member_access,
    members_access,
    sessions_open,
    takes_part_elsewhere,
    tokens_valid,
)
from campaign.selectors.instructions import (
    instructions_history,
    instructions_in_force,
    instructions_to_read,
)
from campaign.selectors.invitations import (
    InvitedJudge,
    campaign_languages,
    links_for_anybody,
    own_link_of,
    people_invited,
)
from campaign.selectors.reference_use import reference_use_in_words

__all__ = [
    "Access",
    "InvitedJudge",
    "MemberAccess",
    "OpenSession",
    "ReviewPage",
    "bad_references_to_review",
    "campaign_languages",
    "instructions_history",
    "instructions_in_force",
    "instructions_to_read",
    "judge_access",
    "link_may_be_made",
    "links_for_anybody",
    "links_valid",
    "links_withdrawn",
    "member_access",
    "members_access",
    "own_link_of",
    "people_invited",
    "reference_use_in_words",
    "sessions_open",
    "takes_part_elsewhere",
    "tokens_valid",
]
