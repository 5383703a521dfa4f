"""Invitations by e-mail to become a member of a campaign: create, withdraw, resend and accept.

They use the links and the outbox of invitations to judges. Invited people become members only when
they press the button of their link.
"""

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.models import (
    Campaign,
    Invitation,
    InvitationRole,
    Mail,
    MailKind,
    Membership,
    MembershipRole,
    User,
)
from campaign.notification import mail_is_printed, mail_queue
from campaign.services.invitations import (
    InvitationRefusedError,
    invitation_create,
    invitation_revoke,
)
from campaign.services.members import (
    MemberRefusedError,
    campaign_lock,
    member_add,
    member_role_admitted,
    owner_demand,
    user_of_address,
)


@transaction.atomic
def member_invite_by_mail(
    *,
    campaign: Campaign,
    email: str,
    role: MembershipRole,
    base_url: str,
    name: str = "",
    language: str = "en",
    note: str = "",
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
            _("This server does not send e-mail. Add the member and copy the link instead.")
        )
    campaign_lock(campaign)
    user = user_of_address(email, name)
    member_role_admitted(campaign=campaign, user=user, role=role, by=by)
    waiting = Invitation.objects.to_become_member().filter(campaign=campaign, user=user)
    if waiting.valid().exists():
        raise MemberRefusedError(
            _("%(email)s has already been invited. Resend or withdraw that invitation.")
            % {"email": user.email}
        )
    for expired in waiting.filter(revoked_at__isnull=True, accepted_at__isnull=True):
        invitation_revoke(invitation=expired)
    return _invite(campaign, user, role, by, base_url=base_url, language=language, note=note)


@transaction.atomic
def member_invitation_send_again(*, mail: Mail, base_url: str, by: User | None) -> Mail:
    """Withdraw an invitation and queue it again with a new link; return the new message.

    Locks the campaign's row. Only owners resend invitations of owners. Raises as `member_invite_by_mail`, and
    `InvitationRefusedError` for one that has since been accepted or withdrawn.
    """
    member_invitation_withdraw(mail=mail, by=by)
    invitation, user = mail.invitation, mail.user
    if invitation is None or user is None:
        raise ValueError(mail.address)
    campaign, role = invitation.campaign, MembershipRole(invitation.role)
    member_role_admitted(campaign=campaign, user=user, role=role, by=by)
    return _invite(
        campaign, user, role, by, base_url=base_url, language=mail.language, note=mail.note
    )


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
    found = there.first()
    if found is None or found.invitation is None:
        raise InvitationRefusedError
    if MembershipRole(found.invitation.role).may_own:
        owner_demand(campaign=campaign, by=by)
    invitation_revoke(invitation=found.invitation)


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
    return member_add(campaign=there.campaign, user=there.user, role=MembershipRole(there.role))


def _invite(
    campaign: Campaign, user: User, role: MembershipRole, by: User | None, **written: str
) -> Mail:
    # The worker creates the real token; this one is discarded.
    invitation, _token = invitation_create(
        campaign=campaign, user=user, role=InvitationRole(role), created_by=by
    )
    return mail_queue(
        kind=MailKind.MEMBER,
        campaign=campaign,
        user=user,
        address=user.email or "",
        invitation=invitation,
        created_by=by,
        **written,
    )
