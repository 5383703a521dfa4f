"""Create campaigns, change their state, extend and delete them."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.core.exceptions import ValidationError
from django.db import IntegrityError, InternalError, OperationalError, transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.dispatch import Signal
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from campaign.database.erasing import campaign_erase
from campaign.models import (
    Campaign,
    CampaignState,
    MembershipRole,
    Task,
    Transition,
    User,
    WebhookEvent,
)
from campaign.models.state import TRANSITIONS
from campaign.refusals import RefusedError
from campaign.selectors.judged import is_judged
from campaign.services.members import member_add, owner_demand
from campaign.services.rehearsals import real_check, rehearsal_end_later, rehearsal_erase
from campaign.services.webhooks.outbox import webhook_event_record

#: Sent with a new `campaign` that is to start with the suggested quality rules; annotation adds them.
suggested_rules_asked: Final = Signal()


@transaction.atomic
def campaign_create(
    *,
    name: str,
    slug: str = "",
    organisers: Iterable[User],
    state: CampaignState = CampaignState.DRAFT,
    with_suggested_rules: bool = True,
) -> Campaign:
    """Create a campaign without test sets, owned by these users, with the suggested quality rules.

    A draft lends nothing until it is opened. The short name is derived from the name by default.

    Raises `django.core.exceptions.ValidationError` if the name or short name is invalid or taken.
    """
    slug = slug.strip() or slugify(name)[:60].strip("-")
    if not slug:
        said = _("Enter a short name: none could be derived from the name.")
        raise ValidationError({"slug": said})
    campaign = Campaign(slug=slug, name=name.strip(), state=state)
    campaign.full_clean()
    campaign.save()
    for user in organisers:
        member_add(campaign=campaign, user=user, role=MembershipRole.OWNER)
    if with_suggested_rules:
        suggested_rules_asked.send(sender=Campaign, campaign=campaign)
    return campaign


#: Days that a campaign stays in the bin, enforced by the database (`campaign_erase`).
BIN_DAYS: Final = 30


class StateRefusedError(RefusedError):
    """The campaign's state does not allow the change; the message says why."""

    status = 409


class NameNotTypedError(StateRefusedError):
    """The typed name does not match the campaign to be deleted."""


@transaction.atomic
def campaign_state_change(*, campaign: Campaign, transition: Transition, by: User | None) -> bool:
    """Change the state of a campaign; return whether it changed.

    Repeating a transition changes nothing. A closing time that has passed is cleared when the campaign opens
    again. Locks the campaign's row and refreshes `campaign`. Raises
    `StateRefusedError`. Campaigns are deleted by `campaign_delete`. Its rehearsal, if it has one, ends when it
    opens; a rehearsal itself stays as it is.
    """
    real_check(campaign, StateRefusedError)
    sources, after = TRANSITIONS[transition]
    _lock(campaign)
    if campaign.state == after:
        return False
    if campaign.state not in sources:
        raise StateRefusedError(
            _("“%(name)s” is %(state)s, so this action is not available.")
            % {"name": campaign.name, "state": campaign.get_state_display()}
        )
    if after == CampaignState.OPEN:
        Campaign.objects.filter(pk=campaign.pk, closes_at__lte=Now()).update(closes_at=None)
    rehearsal_end_later(campaign=campaign, by=by)
    _set(campaign, after)
    return True


def campaign_delete(*, campaign: Campaign, typed_name: str, by: User | None) -> bool:
    """Delete a campaign without judgments at once, put any other into the bin; return whether it is gone.

    For owners. Raises `NotAllowedError`, `NameNotTypedError` if `typed_name` is not its name, and
    `StateRefusedError` if it is in the bin or receives its first judgment at the same moment.
    """
    owner_demand(campaign=campaign, by=by)
    if typed_name.strip() != campaign.name.strip():
        raise NameNotTypedError(
            _("Not deleted. Type “%(name)s” to confirm.") % {"name": campaign.name}
        )
    with transaction.atomic():
        campaign_state_change(campaign=campaign, transition=Transition.DELETE, by=by)
        if is_judged(campaign=campaign):
            return False
    _erase_without_judgments(campaign)
    return True


def _erase_without_judgments(campaign: Campaign) -> None:
    try:
        with transaction.atomic():
            rehearsal_erase(campaign=campaign)
            campaign_erase(campaign_id=campaign.pk)
    except (IntegrityError, InternalError, OperationalError) as error:
        # It stays in the bin, with the judgment.
        raise StateRefusedError(
            _("A judge is still working, so the campaign was moved to the bin.")
        ) from error


@transaction.atomic
def campaign_restore(*, campaign: Campaign, by: User | None) -> bool:
    """Restore a campaign from the bin to the state it had before; return whether it was there.

    For owners. Raises `NotAllowedError`.
    """
    owner_demand(campaign=campaign, by=by)
    _lock(campaign)
    if campaign.state != CampaignState.BIN:
        return False
    _set(campaign, CampaignState(str(campaign.state_before_bin)))
    return True


@transaction.atomic
def campaign_extend(
    *, campaign: Campaign, closes_at: datetime | None, blocks_wanted: dict[int, int | None]
) -> None:
    """Set the automatic closing time of a campaign, None for never, and the targets of its tasks.

    `blocks_wanted` are the target numbers of blocks by task ID. Blocks judged or planned beyond a lower target
    stay. Locks the campaign's row. Raises `StateRefusedError` for a time in the past.
    """
    _lock(campaign)
    if closes_at and closes_at != campaign.closes_at and closes_at <= timezone.now():
        raise StateRefusedError(
            _("This time is in the past. To close the campaign now, use “Close campaign”.")
        )
    campaign.closes_at = closes_at
    campaign.save(update_fields=["closes_at"])
    for task_id, wanted in blocks_wanted.items():
        Task.objects.of(campaign).filter(pk=task_id).update(blocks_wanted=wanted)


def campaigns_close_due() -> int:
    """Close the campaigns whose closing time has passed; return their number. Judges receive no work after that time."""
    due = Campaign.objects.filter(
        Q(state__in=[CampaignState.OPEN, CampaignState.PAUSED]), closes_at__lte=Now()
    )
    return sum(
        campaign_state_change(campaign=each, transition=Transition.CLOSE, by=None) for each in due
    )


def bin_empty() -> Sequence[str]:
    """Delete campaigns that have been in the bin for `BIN_DAYS`; return the short names."""
    due = Campaign.objects.filter(
        state=CampaignState.BIN, state_since__lte=Now() - timedelta(days=BIN_DAYS)
    )
    gone = []
    for each in due:
        rehearsal_erase(campaign=each)
        campaign_erase(campaign_id=each.pk)
        gone.append(each.slug)
    return gone


def _lock(campaign: Campaign) -> None:
    campaign.refresh_from_db(from_queryset=Campaign.objects.select_for_update(no_key=True))


def _set(campaign: Campaign, after: CampaignState) -> None:
    # The database sets the time of the change, and the state before the bin.
    Campaign.objects.filter(pk=campaign.pk).update(state=after)
    campaign.refresh_from_db()
    if after == CampaignState.CLOSED:
        webhook_event_record(
            campaign_id=campaign.pk,
            event=WebhookEvent.CLOSED,
            data={"closed_at": campaign.state_since.isoformat()},
        )
