"""Reads of the campaign app."""

from campaign.selectors.bad_references import ReviewPage, bad_references_to_review
from campaign.selectors.instructions import (
    instructions_history,
    instructions_in_force,
    instructions_to_read,
)
from campaign.selectors.invitations import (
    InvitedJudge,
    campaign_languages,
    links_for_anybody,
    links_that_open,
    own_link_of,
    people_invited,
)

__all__ = [
    "InvitedJudge",
    "ReviewPage",
    "bad_references_to_review",
    "campaign_languages",
    "instructions_history",
    "instructions_in_force",
    "instructions_to_read",
    "links_for_anybody",
    "links_that_open",
    "own_link_of",
    "people_invited",
]
