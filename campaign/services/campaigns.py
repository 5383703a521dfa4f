"""Campaigns begin here."""

from collections.abc import Iterable

from django.db import transaction
from django.utils.text import slugify

from campaign.models import Campaign, CampaignState, MembershipRole, User
from campaign.services.members import member_add


def campaign_slug(name: str) -> str:
    """Return a short name made of a campaign's name; empty if it has no letters of which one could be made."""
    return slugify(name)[:60].strip("-")


@transaction.atomic
def campaign_create(
    *, slug: str, name: str, organisers: Iterable[User], state: CampaignState = CampaignState.DRAFT
) -> Campaign:
    """Create a campaign without test sets, owned by these users.

    It is `state`: a draft lends nothing until somebody opens it.

    Raises `django.core.exceptions.ValidationError` for a name or short name that cannot be, or is there already.
    """
    campaign = Campaign(slug=slug.strip(), name=name.strip(), state=state)
    campaign.full_clean()
    campaign.save()
    for user in organisers:
        member_add(campaign=campaign, user=user, role=MembershipRole.OWNER)
    return campaign
