"""Whoever changes a campaign has a role in it that allows it; which, says `MembershipRole`."""

from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext as _

from campaign.models import Campaign, Membership, MembershipRole, User


class NotAllowedError(PermissionDenied):
    """The role does not allow this; the message says whose it does. Pages and the API answer 403."""


def change_demand(role: str) -> None:
    """Raise `NotAllowedError` unless members with this role may change their campaign."""
    if not MembershipRole(role).may_change:
        raise NotAllowedError(_("You have read-only access to this campaign as an analyst."))


def owner_demand(*, campaign: Campaign, by: User | None) -> None:
    """Raise `NotAllowedError` unless this user owns the campaign; None is a command or a worker."""
    if by is None:
        return
    role = Membership.objects.filter(campaign=campaign, user=by).values_list("role", flat=True)
    found = role.first()
    if found is None or not MembershipRole(found).may_own:
        raise NotAllowedError(_("Only owners of this campaign can do this."))
