"""Rights of a page's user, for its templates."""

from collections.abc import Mapping, Sequence
from typing import Final

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from campaign.models import MembershipRole, Transition

#: Rights of each role in words; the rule itself is in `MembershipRole`.
ROLE_MEANS: Final[Mapping[MembershipRole, Promise]] = {
    MembershipRole.OWNER: _(
        "Owners can change everything, delete the campaign and manage members."
    ),
    MembershipRole.ORGANISER: _(
        "Organisers can change everything except delete the campaign, remove members or change roles."
    ),
    MembershipRole.ANALYST: _("Analysts have read-only access."),
}

_KEY = "quintet_role"


def role_remember(request: HttpRequest, role: str) -> None:
    """Store the user's role in the page's campaign, for `rights`."""
    setattr(request, _KEY, MembershipRole(role))


def rights(request: HttpRequest) -> dict[str, bool]:
    """Return for all templates whether the user may change the page's campaign, and whether they own it.

    A context processor. Templates leave out what the user may not do; services refuse it.
    """
    role: MembershipRole | None = getattr(request, _KEY, None)
    return {
        "may_change": role is not None and role.may_change,
        "may_own": role is not None and role.may_own,
    }


def transitions_of(role: MembershipRole, transitions: Sequence[Transition]) -> list[Transition]:
    """Return the transitions of a campaign's state that a member in this role may make."""
    if role.may_own:
        return list(transitions)
    deleted = Transition.DELETE
    return [each for each in transitions if role.may_change and each != deleted]
