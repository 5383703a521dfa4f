"""What organisers ask of a campaign and its test sets, and may change while judges work."""

from collections.abc import Sequence
from typing import TypedDict, Unpack

from django.db import transaction
from django.utils.translation import gettext as _

from campaign.models import Campaign, TestSet

# The columns hold no more; a lease of a year is one of ever.
MAX_BLOCKS = 2**31 - 1
MAX_LEASE_MINUTES = 60 * 24 * 365


class RulesRefusedError(Exception):
    """What a campaign cannot be asked for; `field` names the rule at fault."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class Rules(TypedDict, total=False):
    """Of a campaign; None takes the limit away."""

    blocks_per_judge: int | None
    lease_minutes: int
    allow_partial_ranking: bool
    show_source: bool
    show_reference: bool
    tour: bool


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
    """Change the rules of a campaign; what is not named stays.

    They hold for judges at work from the next HIT that their page fetches on; leases that run keep
    their length. Raises `RulesRefusedError`, and changes nothing, where judges would see neither
    source nor reference, or a number makes no sense.
    """
    locked = Campaign.objects.select_for_update().get(pk=campaign.pk)
    for name, value in changes.items():
        setattr(locked, name, value)
    _rules_check(locked)
    if changes:
        locked.save(update_fields=list(changes))
    return locked


def _rules_check(campaign: Campaign) -> None:
    if not campaign.show_source and not campaign.show_reference:
        raise RulesRefusedError(
            _("Judges need something to compare with: show the source or the reference."),
            field="show_reference",
        )
    if not 1 <= campaign.lease_minutes <= MAX_LEASE_MINUTES:
        raise RulesRefusedError(
            _("A HIT is lent for one minute at least and a year at most."), field="lease_minutes"
        )
    blocks = campaign.blocks_per_judge
    if blocks is not None and not 1 <= blocks <= MAX_BLOCKS:
        raise RulesRefusedError(
            _("Ask a judge for one block at least, or set no limit."), field="blocks_per_judge"
        )
