"""Members of a campaign: adding, changing roles, creating links, removing and leaving."""

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from campaign.models import (
    OWNING_ROLES,
    ApiToken,
    Campaign,
    Invitation,
    InvitationRole,
    Mail,
    Membership,
    MembershipRole,
    User,
)
from campaign.selectors.credentials import takes_part_elsewhere
from campaign.services.api_tokens import CredentialRefusedError
from campaign.services.credentials import (
    link_check,
    sessions_end,
)
from campaign.services.invitations import (
    Moment,
    invitation_create,
    invitation_revoke,
    member_links_become,
    member_links_revoke,
)


class MemberRefusedError(CredentialRefusedError):
    """The change of members was refused; the message says why and what to do."""

    status = 409


@transaction.atomic
def member_add(
    *, campaign: Campaign, user: User, role: MembershipRole, by: User | None = None
) -> Membership:
    """Make this user a member of the campaign, and return the membership; a member in this role stays as they are.

    The first member who may change the campaign becomes its owner. Only owners add owners. A pending invitation by
    e-mail ends. Locks the campaign's row. Raises `NotAllowedError`, and `MemberRefusedError` for a member in
    another role, and for an analyst if there is no owner.
    """
    campaign_lock(campaign)
    there = Membership.objects.filter(campaign=campaign, user=user).first()
    if there is not None and there.role == role:
        return there
    role = member_role_admitted(campaign=campaign, user=user, role=role, by=by)
    waiting = Mail.objects.to_members().filter(campaign=campaign, user=user)
    for invitation in Invitation.objects.filter(mail__in=waiting):
        invitation_revoke(invitation=invitation)
    return Membership.objects.create(campaign=campaign, user=user, role=role)


def member_role_admitted(
    *, campaign: Campaign, user: User, role: MembershipRole, by: User | None
) -> MembershipRole:
    """Return the role in which this user may become a member: an owner's if there is none.

    Raises `NotAllowedError` if `by` may not grant it, and `MemberRefusedError` for a member, and for an analyst if
    there is no owner. The caller has locked the campaign's row.
    """
    there = Membership.objects.filter(campaign=campaign, user=user).first()
    if there is not None:
        raise MemberRefusedError(
            _("%(name)s is already a member (%(role)s). Change their role instead.")
            % {"name": user.name, "role": there.get_role_display()}
        )
    if not _owners(campaign).exists():
        if not role.may_change:
            raise MemberRefusedError(_("This campaign has no owner yet. Add an organiser first."))
        return MembershipRole.OWNER
    if role.may_own:
        owner_demand(campaign=campaign, by=by)
    return role


@transaction.atomic
def member_add_by_email(
    *, campaign: Campaign, email: str, name: str, role: MembershipRole, by: User | None = None
) -> Membership:
    """Make the user with this e-mail address, created if necessary, a member; see `member_add`."""
    return member_add(campaign=campaign, user=user_of_address(email, name), role=role, by=by)


@transaction.atomic
def member_invite(
    *,
    campaign: Campaign,
    email: str,
    name: str,
    role: MembershipRole | None = None,
    expires_at: Moment | None = None,
) -> tuple[Invitation, str]:
    """Make the reader of this e-mail address a member in this role; return their link with its token.

    For operators: this changes the role of an existing member, and the link gives access to everything that an existing
    user may access. Without a role, see `organiser_add`. Raises `MemberRefusedError`.
    """
    user = user_of_address(email, name)
    there = Membership.objects.filter(campaign=campaign, user=user).first()
    if role is None:
        there = organiser_add(campaign=campaign, user=user)
    elif there is None:
        there = member_add(campaign=campaign, user=user, role=role)
    else:
        member_role_change(membership=there, role=role, by=None)
    return invitation_create(
        campaign=campaign, user=user, role=InvitationRole(there.role), expires_at=expires_at
    )


@transaction.atomic
def organiser_add(*, campaign: Campaign, user: User) -> Membership:
    """Let this user change the campaign, and return the membership: an owner's if there was none.

    An owner stays one, and an analyst becomes an organiser.
    """
    campaign_lock(campaign)
    there = Membership.objects.filter(campaign=campaign, user=user).first()
    if there is None:
        return member_add(campaign=campaign, user=user, role=MembershipRole.ORGANISER)
    if not MembershipRole(there.role).may_change:
        member_role_change(membership=there, role=MembershipRole.ORGANISER, by=None)
    return there


@transaction.atomic
def member_role_change(
    *, membership: Membership, role: MembershipRole, by: User | None
) -> Membership:
    """Give a member another role, and return the membership; their links and sessions stay.

    For owners. Members who lose the right to change the campaign stop receiving daily alerts. Locks
    the campaign's row. Raises `NotAllowedError`, and `MemberRefusedError` for the only owner.
    """
    campaign = campaign_lock(membership.campaign)
    owner_demand(campaign=campaign, by=by)
    membership.refresh_from_db(fields=["role", "daily_alerts"])
    if membership.role == role:
        return membership
    _owner_keep(membership)
    if not _owners(campaign).exists():
        role = MembershipRole.OWNER if role.may_change else role
    membership.role = role
    membership.daily_alerts = membership.daily_alerts and role.may_change
    membership.save(update_fields=["role", "daily_alerts"])
    member_links_become(campaign=campaign, user=membership.user, role=InvitationRole(role))
    return membership


@transaction.atomic
def member_remove(*, membership: Membership, by: User | None = None) -> None:
    """Remove a member from a campaign, and end their access. For owners.

    Locks the campaign's row, so that two owners cannot remove each other at once. Raises `NotAllowedError`, and
    `MemberRefusedError` for the only owner.
    """
    campaign = campaign_lock(membership.campaign)
    owner_demand(campaign=campaign, by=by)
    membership.refresh_from_db(fields=["role"])
    _owner_keep(membership)
    _membership_end(campaign, membership)


@transaction.atomic
def member_leave(*, membership: Membership) -> None:
    """Remove a member at their own request; nothing changes if they have already left.

    Locks the campaign's row, so that two owners cannot leave at once. Raises `MemberRefusedError` for the only owner.
    """
    campaign = campaign_lock(membership.campaign)
    there = Membership.objects.select_related("user").filter(pk=membership.pk).first()
    if there is None:
        return
    member_leave_check(membership=there)
    _membership_end(campaign, there)


def member_leave_check(*, membership: Membership) -> None:
    """Raise `MemberRefusedError`, with a remedy, if this member is the only owner."""
    if _is_only_owner(membership):
        raise MemberRefusedError(
            _(
                "You are the only owner. Make another member an owner before you leave, or delete the campaign."
            )
        )


def _membership_end(campaign: Campaign, membership: Membership) -> None:
    """End a membership, and the member's access."""
    Membership.objects.filter(pk=membership.pk).delete()
    user = membership.user
    member_links_revoke(campaign=campaign, user=user)
    # If the user takes part elsewhere, adding and removing them here must not sign them out there.
    if not takes_part_elsewhere(user_id=user.pk, campaign_id=campaign.pk):
        sessions_end(user=user)
        ApiToken.objects.filter(user=user).delete()
    else:
        ApiToken.objects.filter(user=user, campaign=campaign).delete()


def member_link_create(*, membership: Membership, by: User) -> tuple[Invitation, str]:
    """Create a sign-in link for a member; return it with its token. Only owners create links for owners.

    Raises `CredentialRefusedError` if it would give access beyond the campaign of `by`, and `NotAllowedError`.
    """
    if MembershipRole(membership.role).may_own:
        owner_demand(campaign=membership.campaign, by=by)
    link_check(membership.user, membership.campaign)
    return invitation_create(
        campaign=membership.campaign,
        user=membership.user,
        role=InvitationRole(membership.role),
        created_by=by,
    )


def user_of_address(email: str, name: str) -> User:
    """Return the user with this e-mail address, created if necessary. Raises `ValidationError`."""
    user = User.objects.filter(email__iexact=email).first()
    return user or User.objects.create_user(name=name or email, email=email)


def campaign_lock(campaign: Campaign) -> Campaign:
    """Lock the campaign's row before changes of members; return it."""
    return Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)


def _owners(campaign: Campaign) -> QuerySet[Membership]:
    return Membership.objects.filter(campaign=campaign, role__in=OWNING_ROLES)


def _owner_keep(membership: Membership) -> None:
    """Raise `MemberRefusedError` if this member is the only owner."""
    if _is_only_owner(membership):
        raise MemberRefusedError(
            _("%(name)s is the only owner. Make another member an owner first.")
            % {"name": membership.user.name}
        )


def _is_only_owner(membership: Membership) -> bool:
    if not MembershipRole(membership.role).may_own:
        return False
    return not _owners(membership.campaign).exclude(pk=membership.pk).exists()


class NotAllowedError(PermissionDenied):
    """The user's role does not allow this; the message says who may. Pages and the API answer 403."""


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
