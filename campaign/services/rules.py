"""What organisers ask of a campaign and its test sets, and may change while judges work."""

from collections.abc import Sequence
from typing import TypedDict, Unpack

from django.db import transaction

from campaign.models import Campaign, TestSet


class Rules(TypedDict, total=False):
    """Of a campaign; None takes the limit away."""

    blocks_per_judge: int | None
    lease_minutes: int
    allow_partial_ranking: bool


class Quotas(TypedDict, total=False):
    """Of a test set; None takes a limit away."""

    blocks_wanted: int | None
    blocks_per_segment: int | None
    expertise: Sequence[str]


@transaction.atomic
def test_set_change(*, test_set: TestSet, **changes: Unpack[Quotas]) -> TestSet:
    """Change the quotas of a test set, or the expertise asked of its judges.

    What is planned or judged beyond a lower quota stays; nothing is planned beyond it.
    """
    locked = TestSet.objects.select_for_update().get(pk=test_set.pk)
    for name, value in changes.items():
        setattr(locked, name, value)
    if changes:
        locked.save(update_fields=list(changes))
    return locked


@transaction.atomic
def campaign_change(*, campaign: Campaign, **changes: Unpack[Rules]) -> Campaign:
    """Change the rules of a campaign; leases that run keep their length."""
    locked = Campaign.objects.select_for_update().get(pk=campaign.pk)
    for name, value in changes.items():
        setattr(locked, name, value)
    if changes:
        locked.save(update_fields=list(changes))
    return locked
