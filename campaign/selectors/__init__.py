"""Reads of the campaign app."""

from campaign.selectors.bad_references import ReviewPage, bad_references_to_review
from campaign.selectors.credentials import (
    Access,
    MemberAccess,
    OpenSession,
    judge_access,
    link_may_be_made,
    links_listed,
    links_valid,
    links_withdrawn,
    member_access,
    members_access,
    memberships_of,
    sessions_open,
    takes_part_elsewhere,
    token_named,
    tokens_valid,
)
from campaign.selectors.instructions import (
    instructions_history,
    instructions_in_force,
    instructions_to_read,
)
from campaign.selectors.invitations import (
    InvitedJudge,
    StandingOfInvited,
    StandingOfLink,
    campaign_languages,
    invited_judges,
    links_for_anybody,
    member_invitations,
    own_link_of,
    people_invited,
)
from campaign.selectors.judge_languages import languages_without_work
from campaign.selectors.judged import languages_settled_in_words
from campaign.selectors.organiser_accounts import (
    account_is_its_own,
    account_of_address,
    may_make_campaigns,
    organisers_of_quintet,
)
from campaign.selectors.reference_use import reference_use_in_words
from campaign.selectors.tasks import tasks_in_order
from campaign.selectors.texts import texts_page

__all__ = [
    "Access",
    "InvitedJudge",
    "MemberAccess",
    "OpenSession",
    "ReviewPage",
    "StandingOfInvited",
    "StandingOfLink",
    "account_is_its_own",
    "account_of_address",
    "bad_references_to_review",
    "campaign_languages",
    "instructions_history",
    "instructions_in_force",
    "instructions_to_read",
    "invited_judges",
    "judge_access",
    "languages_settled_in_words",
    "languages_without_work",
    "link_may_be_made",
    "links_for_anybody",
    "links_listed",
    "links_valid",
    "links_withdrawn",
    "may_make_campaigns",
    "member_access",
    "member_invitations",
    "members_access",
    "memberships_of",
    "organisers_of_quintet",
    "own_link_of",
    "people_invited",
    "reference_use_in_words",
    "sessions_open",
    "takes_part_elsewhere",
    "tasks_in_order",
    "texts_page",
    "token_named",
    "tokens_valid",
]
