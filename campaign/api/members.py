"""Members of a campaign: roles, sign-in links and invitations by e-mail."""

from typing import Any, cast

from django.db.models import QuerySet
from django.urls import reverse
from rest_framework import serializers
from rest_framework.exceptions import NotFound

from campaign.api.operations import Address, operation, row_found
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.serializers import MessageSerializer
from campaign.models import Mail, MailState, Membership, MembershipRole
from campaign.pages.desk import ROLE_MEANS
from campaign.selectors.credentials import member_invitations, members_access
from campaign.services.api_tokens import CredentialRefusedError
from campaign.services.invitations import InvitationRefusedError
from campaign.services.members import (
    member_add_by_email,
    member_invitation_withdraw,
    member_invite_by_mail,
    member_leave,
    member_link_create,
    member_remove,
    member_role_change,
)


class MemberSerializer(serializers.Serializer[Membership]):
    id = serializers.IntegerField(read_only=True)
    name = serializers.CharField(source="user.name", read_only=True)
    email = serializers.EmailField(source="user.email", allow_null=True, read_only=True)
    role = serializers.ChoiceField(choices=MembershipRole.choices)
    browsers = serializers.IntegerField(
        read_only=True, help_text="Browsers in which the member is signed in."
    )
    tokens = serializers.IntegerField(read_only=True, help_text="Valid API tokens.")
    links = serializers.IntegerField(read_only=True, help_text="Valid sign-in links.")


class MemberAddSerializer(PlainSerializer):
    email = serializers.EmailField()
    name = serializers.CharField(
        max_length=150, default="", allow_blank=True, help_text="Name shown to others."
    )
    role = serializers.ChoiceField(
        choices=MembershipRole.choices, help_text="Only owners can add owners."
    )


class MemberAddedSerializer(MemberSerializer):
    link = serializers.CharField(
        read_only=True, allow_null=True, help_text="Sign-in link, shown only once."
    )
    no_link = serializers.CharField(
        read_only=True,
        allow_blank=True,
        help_text="Why there is no link: the member signs in with their own account.",
    )


class MemberRoleSerializer(PlainSerializer):
    role = serializers.ChoiceField(choices=MembershipRole.choices)
    dry_run = serializers.BooleanField(
        default=False, write_only=True, help_text="Describe the effect without changing anything."
    )


class MemberRoleMeansSerializer(MemberSerializer):
    means = serializers.CharField(read_only=True, help_text="Permissions of the requested role.")


class MemberInviteSerializer(MemberAddSerializer, MessageSerializer):
    role = serializers.ChoiceField(
        choices=MembershipRole.choices, help_text="Only owners can invite owners."
    )


class MemberInvitationSerializer(serializers.ModelSerializer[Mail]):
    email = serializers.EmailField(source="address", read_only=True)
    role = serializers.ChoiceField(
        source="invitation.role", choices=MembershipRole.choices, read_only=True
    )
    state = serializers.ChoiceField(
        choices=MailState.choices, read_only=True, help_text="State of the message."
    )
    error = serializers.CharField(
        read_only=True, help_text="Why the message could not be sent; empty otherwise."
    )
    expires_at = serializers.DateTimeField(source="invitation.expires_at", read_only=True)
    invited_by = serializers.CharField(
        source="created_by.name", allow_null=True, default=None, read_only=True
    )

    class Meta:
        model = Mail
        fields = (
            *("id", "email", "role", "state", "error"),
            *("created_at", "sent_at", "expires_at", "invited_by"),
        )
        read_only_fields = fields


class _MembersAddress(Address):
    ordering = "id"

    def membership(self, membership_id: int) -> Any:
        return row_found(members_access(campaign=self.campaign), pk=membership_id)

    def with_link(self, membership: Membership) -> Membership:
        """Return a member with a new link, or with the reason why there is none."""
        address, why = None, ""
        try:
            _link, token = member_link_create(membership=membership, by=self.user)
        except CredentialRefusedError as error:
            why = str(error)
        else:
            address = self.request.build_absolute_uri(reverse("invitation", args=[token]))
        member = self.membership(membership.pk)
        member.link, member.no_link = address, why
        return cast("Membership", member)


class MembersView(_MembersAddress):
    @operation("members", MemberSerializer(many=True))
    def get(self) -> QuerySet[Membership]:
        """Return the members of a campaign in the order in which they joined, with the number of their links."""
        return members_access(campaign=self.campaign)

    @operation("member_add", {201: MemberAddedSerializer}, takes=MemberAddSerializer)
    def post(self) -> Membership:
        """Add a member and create a link for them. For organisers; only owners add owners.

        409 for a person who is already a member in another role.
        """
        role = MembershipRole(self.sent.pop("role"))
        membership = member_add_by_email(
            campaign=self.campaign, role=role, by=self.user, **self.sent
        )
        return self.with_link(membership)


class MemberView(_MembersAddress):
    @operation("member_change", MemberRoleMeansSerializer, takes=MemberRoleSerializer)
    def patch(self, membership_id: int) -> Any:
        """Change the role of a member, or preview the effects with `dry_run`. For owners.

        409 for the only owner.
        """
        membership = self.membership(membership_id)
        role = MembershipRole(self.sent.get("role", membership.role))
        if "role" in self.sent and not self.sent.get("dry_run"):
            member_role_change(membership=membership, role=role, by=self.user)
        membership = self.membership(membership_id)
        membership.means = str(ROLE_MEANS[role])
        return membership

    @operation("member_remove")
    def delete(self, membership_id: int) -> None:
        """Remove a member, and end their access and the invitations of members that they sent. For owners. 409 for the only owner."""
        member_remove(membership=self.membership(membership_id), by=self.user)


class MemberLinkView(_MembersAddress):
    @operation("member_link", MemberAddedSerializer)
    def post(self, membership_id: int) -> Membership:
        """Create another sign-in link for a member; it is returned only once. Only owners create links for owners."""
        return self.with_link(self.membership(membership_id))


class MemberInvitationsView(Address):
    @operation("member_invitations", MemberInvitationSerializer(many=True))
    def get(self) -> QuerySet[Mail]:
        """Return the invitations to become a member that wait for an answer, the newest first."""
        return member_invitations(campaign=self.campaign)

    @operation("member_invite", {201: MemberInvitationSerializer}, takes=MemberInviteSerializer)
    def post(self) -> Mail:
        """Invite a person by e-mail to become a member. For organisers; only owners invite owners.

        409 for a member, for a person who was invited before, and if the server sends no mail.
        """
        role = MembershipRole(self.sent.pop("role"))
        mail = member_invite_by_mail(
            campaign=self.campaign,
            role=role,
            base_url=self.request.build_absolute_uri("/"),
            by=self.user,
            **self.sent,
        )
        return member_invitations(campaign=self.campaign).get(pk=mail.pk)


class MemberInvitationView(Address):
    @operation("member_invitation_withdraw")
    def delete(self, invitation_id: int) -> None:
        """Withdraw an invitation; its link no longer works. Only owners withdraw invitations of owners."""
        mail = row_found(member_invitations(campaign=self.campaign), pk=invitation_id)
        try:
            member_invitation_withdraw(mail=mail, by=self.user)
        except InvitationRefusedError as error:
            raise NotFound from error


class MemberLeaveView(Address):
    @operation("member_leave", for_readers=True)
    def post(self) -> None:
        """Leave the campaign, in any role; your access and your invitations of members end at once. 409 for the only owner."""
        membership = Membership.objects.select_related("user", "campaign").get(
            campaign=self.campaign, user=self.user
        )
        member_leave(membership=membership)
