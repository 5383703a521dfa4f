"""Members of campaigns: roles, invitations by e-mail, and what each role may do."""

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.database.many_rows import row_locked
from campaign.models import (
    OWNING_ROLES,
    ApiToken,
    Campaign,
    Invitation,
    InvitationRole,
    Mail,
    MailKind,
    Membership,
    MembershipRole,
    User,
)
from campaign.selectors.credentials import members_links_sent, takes_part_elsewhere
from campaign.services.api_tokens import CredentialRefusedError
from campaign.services.invitations import (
    InvitationRefusedError,
    Moment,
    invitation_create,
    invitation_revoke,
    links_revoke,
    member_links_become,
    member_links_revoke,
)
from campaign.services.judges import link_check, sessions_end
from campaign.services.machines import machine_tokens_end
from campaign.services.notification import Message, mail_is_printed, mail_queue
from campaign.texts.names import visible_name
from campaign.texts.refusals import RefusedError


class MemberRefusedError(CredentialRefusedError):
    """The change of members was refused; the message says why and what to do."""

    status = 409


@transaction.atomic
def member_add(
    *,
    campaign: Campaign,
    user: User,
    role: MembershipRole,
    by: User | None = None,
) -> Membership:
    """Make this user a member of the campaign, and return the membership; a member in this role stays as they are.

    The first member who may change the campaign becomes its owner. Only owners add owners. A pending invitation by
    e-mail ends. Locks the campaign's row. Raises `NotAllowedError`, and `MemberRefusedError` for a member in
    another role, and for an analyst if there is no owner.
    """
    campaign_lock(campaign)
    membership = Membership.objects.filter(campaign=campaign, user=user).first()
    if membership is not None and membership.role == role:
        return membership
    role = member_role_admitted(campaign=campaign, user=user, role=role, by=by)
    waiting = Mail.objects.to_members().filter(campaign=campaign, user=user)
    for invitation in Invitation.objects.filter(mail__in=waiting):
        invitation_revoke(invitation=invitation)
    return Membership.objects.create(campaign=campaign, user=user, role=role)


def member_role_admitted(
    *,
    campaign: Campaign,
    user: User,
    role: MembershipRole,
    by: User | None,
) -> MembershipRole:
    """Return the role in which this user may become a member: an owner's if there is none.

    Raises `NotAllowedError` if `by` may not grant it, and `MemberRefusedError` for a member, and for an analyst if
    there is no owner. The caller has locked the campaign's row.
    """
    membership = Membership.objects.filter(campaign=campaign, user=user).first()
    if membership is not None:
        raise MemberRefusedError(
            _("%(name)s is already a member (%(role)s). Change their role instead.")
            % {"name": user.name, "role": membership.get_role_display()},
        )
    if not _owners(campaign).exists():
        if not role.may_change:
            raise MemberRefusedError(
                _("This campaign has no owner yet. Add an organiser first."),
            )
        return MembershipRole.OWNER
    if role.may_own:
        owner_demand(campaign=campaign, by=by)
    return role


@transaction.atomic
def member_add_by_email(
    *,
    campaign: Campaign,
    email: str,
    name: str,
    role: MembershipRole,
    by: User | None = None,
) -> Membership:
    """Make the user with this e-mail address, created if necessary, a member; see `member_add`."""
    return member_add(
        campaign=campaign,
        user=user_of_address(email, name),
        role=role,
        by=by,
    )


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
    membership = Membership.objects.filter(campaign=campaign, user=user).first()
    if role is None:
        membership = organiser_add(campaign=campaign, user=user)
    elif membership is None:
        membership = member_add(campaign=campaign, user=user, role=role)
    else:
        member_role_change(membership=membership, role=role, by=None)
    return invitation_create(
        campaign=campaign,
        user=user,
        role=InvitationRole(membership.role),
        expires_at=expires_at,
    )


@transaction.atomic
def organiser_add(*, campaign: Campaign, user: User) -> Membership:
    """Let this user change the campaign, and return the membership: an owner's if there was none.

    An owner stays one, and an analyst becomes an organiser.
    """
    campaign_lock(campaign)
    membership = Membership.objects.filter(campaign=campaign, user=user).first()
    if membership is None:
        return member_add(campaign=campaign, user=user, role=MembershipRole.ORGANISER)
    if not MembershipRole(membership.role).may_change:
        member_role_change(
            membership=membership,
            role=MembershipRole.ORGANISER,
            by=None,
        )
    return membership


@transaction.atomic
def member_role_change(
    *,
    membership: Membership,
    role: MembershipRole,
    by: User | None,
) -> Membership:
    """Give a member another role, and return the membership; their links and sessions stay.

    For owners. Members who lose the right to change the campaign stop receiving daily alerts, and invitations of
    members that they could no longer send end. Locks the campaign's row. Raises `NotAllowedError`, and `MemberRefusedError` for the only owner.
    """
    campaign = campaign_lock(membership.campaign)
    owner_demand(campaign=campaign, by=by)
    membership.refresh_from_db(fields=["role", "daily_alerts"])
    if membership.role == role:
        return membership
    _owner_keep(membership)
    if role.may_change and not _owners(campaign).exists():
        role = MembershipRole.OWNER
    membership.role = role
    membership.daily_alerts = membership.daily_alerts and role.may_change
    membership.save(update_fields=["role", "daily_alerts"])
    member_links_become(
        campaign=campaign,
        user=membership.user,
        role=InvitationRole(role),
    )
    _made_end(campaign, membership.user, role)
    return membership


def _made_end(
    campaign: Campaign,
    user: User,
    role: MembershipRole | None,
) -> None:
    """End what this user made for others and could no longer make, in this role or as no member.

    These are invitations and links of members, by which they could return as somebody whom they had invited, and tokens
    of machine judges, which they know. Judges' links stay: judges come back by them, and they were made for the campaign.
    """
    if role is None or not role.may_change:
        machine_tokens_end(campaign=campaign, user=user)
    links = members_links_sent(campaign=campaign, user=user)
    if role is not None and role.may_own:
        return
    if role is not None and role.may_change:
        links = links.filter(role__in=OWNING_ROLES)
    links_revoke(links=links)


@transaction.atomic
def member_remove(*, membership: Membership, by: User | None = None) -> None:
    """Remove a member from a campaign, and end their access and the invitations of members that they sent. For owners.

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
                "You are the only owner. Make another member an owner before you leave, or delete the campaign.",
            ),
        )


def _membership_end(campaign: Campaign, membership: Membership) -> None:
    """End a membership, the member's access, and what they made for others and could no longer make."""
    Membership.objects.filter(pk=membership.pk).delete()
    user = membership.user
    member_links_revoke(campaign=campaign, user=user)
    _made_end(campaign, user, None)
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
    user = User.objects.with_address(email)
    return user or User.objects.create_user(
        name=visible_name(name) or email,
        email=email,
    )


def campaign_lock(campaign: Campaign) -> Campaign:
    """Lock the campaign's row before changes of members; return it."""
    return row_locked(campaign)


def _owners(campaign: Campaign) -> QuerySet[Membership]:
    return Membership.objects.filter(campaign=campaign, role__in=OWNING_ROLES)


def _owner_keep(membership: Membership) -> None:
    """Raise `MemberRefusedError` if this member is the only owner."""
    if _is_only_owner(membership):
        raise MemberRefusedError(
            _("%(name)s is the only owner. Make another member an owner first.")
            % {"name": membership.user.name},
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
        raise NotAllowedError(
            _("You have read-only access to this campaign as an analyst."),
        )


def owner_demand(*, campaign: Campaign, by: User | None) -> None:
    """Raise `NotAllowedError` unless this user owns the campaign; None is a command or a worker."""
    if by is None:
        return
    role = Membership.objects.filter(campaign=campaign, user=by).values_list(
        "role",
        flat=True,
    )
    own_role = role.first()
    if own_role is None or not MembershipRole(own_role).may_own:
        raise NotAllowedError(_("Only owners of this campaign can do this."))


@transaction.atomic
def member_invite_by_mail(
    *,
    campaign: Campaign,
    email: str,
    role: MembershipRole,
    message: Message,
    name: str = "",
    by: User | None = None,
) -> Mail:
    """Queue an invitation to become a member in this role, and return it; one that has expired is replaced.

    `name` is the display name of a person without an account. Only owners invite owners. Locks the
    campaign's row. Raises `NotAllowedError`, `ValidationError` for an invalid address, and
    `MemberRefusedError` for a member, for a person invited before, for an analyst if there is no
    owner, and if no mail is sent.
    """
    if mail_is_printed():
        raise MemberRefusedError(
            _(
                "This server does not send e-mail. Add the member and copy the link instead.",
            ),
        )
    campaign_lock(campaign)
    user = user_of_address(email, name)
    member_role_admitted(campaign=campaign, user=user, role=role, by=by)
    waiting = Invitation.objects.to_become_member().filter(campaign=campaign, user=user)
    if waiting.valid().exists():
        raise MemberRefusedError(
            _("%(email)s has already been invited. Resend or withdraw that invitation.")
            % {"email": user.email},
        )
    for expired in waiting.filter(revoked_at__isnull=True, accepted_at__isnull=True):
        invitation_revoke(invitation=expired)
    return _invite(campaign, user, role, by, message)


@transaction.atomic
def member_invitation_send_again(*, mail: Mail, base_url: str, by: User | None) -> Mail:
    """Withdraw an invitation and queue it again with a new link; return the new message.

    Locks the campaign's row. Only owners resend invitations of owners. Raises as `member_invite_by_mail`, and
    `InvitationRefusedError` for one that has since been accepted or withdrawn.
    """
    member_invitation_withdraw(mail=mail, by=by)
    invitation = mail.invitation
    user = mail.user
    if invitation is None or user is None:
        raise ValueError(mail.address)
    campaign = invitation.campaign
    role = MembershipRole(invitation.role)
    member_role_admitted(campaign=campaign, user=user, role=role, by=by)
    message = Message(base_url=base_url, language=mail.language, note=mail.note)
    return _invite(campaign, user, role, by, message)


@transaction.atomic
def member_invitation_withdraw(*, mail: Mail, by: User | None) -> None:
    """Withdraw an invitation: its link no longer works, and it is not sent.

    Only owners withdraw invitations of owners. Locks the campaign's row. Raises `NotAllowedError`, and
    `InvitationRefusedError` for one that has since been accepted or withdrawn.
    """
    if mail.campaign is None:
        raise ValueError(mail.address)
    campaign = campaign_lock(mail.campaign)
    there = Mail.objects.to_members().select_related("invitation").filter(pk=mail.pk)
    invitation = there.first()
    if invitation is None or invitation.invitation is None:
        raise InvitationRefusedError
    if MembershipRole(invitation.invitation.role).may_own:
        owner_demand(campaign=campaign, by=by)
    invitation_revoke(invitation=invitation.invitation)


@transaction.atomic
def member_invitation_accept(*, invitation: Invitation) -> Membership:
    """Make the user of an invitation a member, and return the membership; its link no longer works.

    Locks the campaign's row. Raises `InvitationRefusedError` if it has since been accepted or withdrawn, or has
    expired, and `MemberRefusedError` for an analyst of a campaign that no longer has an owner.
    """
    campaign_lock(invitation.campaign)
    valid = Invitation.objects.valid().to_become_member().filter(pk=invitation.pk)
    there = valid.select_related("user", "campaign").first()
    if there is None or there.user is None:
        raise InvitationRefusedError
    Invitation.objects.filter(pk=there.pk).update(accepted_at=Now())
    return member_add(
        campaign=there.campaign,
        user=there.user,
        role=MembershipRole(there.role),
    )


def _invite(
    campaign: Campaign,
    user: User,
    role: MembershipRole,
    by: User | None,
    message: Message,
) -> Mail:
    # The worker creates the real token; this one is discarded.
    invitation, _token = invitation_create(
        campaign=campaign,
        user=user,
        role=InvitationRole(role),
        created_by=by,
    )
    return mail_queue(
        kind=MailKind.MEMBER,
        campaign=campaign,
        user=user,
        address=user.email or "",
        invitation=invitation,
        created_by=by,
        base_url=message.base_url,
        language=message.language,
        note=message.note,
    )


class AlertMailRefusedError(RefusedError):
    """No daily mail can be sent to this member; the message says why."""

    field = "daily"


def alert_mails_can_be_sent() -> bool:
    """Return whether there is a mail server, and an address of this Quintet for links (`PUBLIC_ADDRESS`)."""
    return bool(settings.PUBLIC_ADDRESS) and not mail_is_printed()


@transaction.atomic
def daily_alerts_set(*, membership: Membership, daily_alerts: bool) -> None:
    """Store whether a member wants the daily mail of this campaign's alerts.

    Raises `AlertMailRefusedError` if they want it and have no e-mail address, or no mail is sent, and
    `NotAllowedError` for analysts: alerts require action.
    """
    change_demand(membership.role)
    if daily_alerts and not (membership.user.email and alert_mails_can_be_sent()):
        raise AlertMailRefusedError(
            _(
                "Daily e-mail is unavailable. It requires your e-mail address and the server settings EMAIL_URL and PUBLIC_ADDRESS.",
            ),
        )
    membership.daily_alerts = daily_alerts
    membership.save(update_fields=["daily_alerts"])
