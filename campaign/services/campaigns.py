"""Campaigns begin here."""

from collections.abc import Iterable
from typing import Final

from django.db import transaction
from django.dispatch import Signal
from django.utils.text import slugify

from campaign.models import Campaign, CampaignState, MembershipRole, User
from campaign.services.members import member_add

#: Sent with a new `campaign` that starts with the suggested quality rules, which annotation adds.
suggested_rules_asked: Final = Signal()


def campaign_slug(name: str) -> str:
    """Return a short name made of a campaign's name; empty if it has no letters of which one could be made."""
    return slugify(name)[:60].strip("-")


@transaction.atomic
def campaign_create(
    *,
    slug: str,
    name: str,
    organisers: Iterable[User],
    state: CampaignState = CampaignState.DRAFT,
    with_suggested_rules: bool = True,
) -> Campaign:
    """Create a campaign without test sets, owned by these users, with the suggested quality rules.

    It is `state`: a draft lends nothing until somebody opens it.

    Raises `django.core.exceptions.ValidationError` for a name or short name that cannot be, or is there already.
    """
    campaign = Campaign(slug=slug.strip(), name=name.strip(), state=state)
    campaign.full_clean()
    campaign.save()
    for user in organisers:
        member_add(campaign=campaign, user=user, role=MembershipRole.OWNER)
    if with_suggested_rules:
        suggested_rules_asked.send(sender=Campaign, campaign=campaign)
    return campaign
