"""Members of a campaign: roles, sign-in links and invitations by e-mail."""

from typing import Any, cast

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.base import CampaignAPIView, row_or_404
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.serializers import MessageSerializer, message_of
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
        read_only=True,
        help_text="Browsers in which the member is signed in.",
    )
    tokens = serializers.IntegerField(read_only=True, help_text="Valid API tokens.")
    links = serializers.IntegerField(read_only=True, help_text="Valid sign-in links.")


class MemberAddSerializer(PlainSerializer):
    email = serializers.EmailField()
    name = serializers.CharField(
        max_length=150,
        default="",
        allow_blank=True,
        help_text="Name shown to others.",
    )
    role = serializers.ChoiceField(
        choices=MembershipRole.choices,
        help_text="Only owners can add owners.",
    )


class MemberAddedSerializer(MemberSerializer):
    link = serializers.CharField(
        read_only=True,
        allow_null=True,
        help_text="Sign-in link, shown only once.",
    )
    no_link = serializers.CharField(
        read_only=True,
        allow_blank=True,
        help_text="Why there is no link: the member signs in with their own account.",
    )


class MemberRoleSerializer(PlainSerializer):
    role = serializers.ChoiceField(choices=MembershipRole.choices)
    dry_run = serializers.BooleanField(
        default=False,
        write_only=True,
        help_text="Describe the effect without changing anything.",
    )


class MemberRoleMeansSerializer(MemberSerializer):
    means = serializers.CharField(
        read_only=True,
        help_text="Permissions of the requested role.",
    )


class MemberInviteSerializer(MemberAddSerializer, MessageSerializer):
    role = serializers.ChoiceField(
        choices=MembershipRole.choices,
        help_text="Only owners can invite owners.",
    )


class MemberInvitationSerializer(serializers.ModelSerializer[Mail]):
    email = serializers.EmailField(source="address", read_only=True)
    role = serializers.ChoiceField(
        source="invitation.role",
        choices=MembershipRole.choices,
        read_only=True,
    )
    state = serializers.ChoiceField(
        choices=MailState.choices,
        read_only=True,
        help_text="State of the message.",
    )
    error = serializers.CharField(
        read_only=True,
        help_text="Why the message could not be sent; empty otherwise.",
    )
    expires_at = serializers.DateTimeField(
        source="invitation.expires_at",
        read_only=True,
    )
    invited_by = serializers.CharField(
        source="created_by.name",
        allow_null=True,
        default=None,
        read_only=True,
    )

    class Meta:
        model = Mail
        fields = (
            "id",
            "email",
            "role",
            "state",
            "error",
            "created_at",
            "sent_at",
            "expires_at",
            "invited_by",
        )
        read_only_fields = fields


class _MembersAPIView(CampaignAPIView):
    ordering = "id"

    def membership(self, membership_id: int) -> Any:
        return row_or_404(members_access(campaign=self.campaign), pk=membership_id)

    def with_link(self, membership: Membership) -> Membership:
        """Return a member with a new link, or with the reason why there is none."""
        address = None
        why = ""
        try:
            _link, token = member_link_create(membership=membership, by=self.user)
        except CredentialRefusedError as error:
            why = str(error)
        else:
            address = self.request.build_absolute_uri(
                reverse("invitation", args=[token]),
            )
        member = self.membership(membership.pk)
        member.link = address
        member.no_link = why
        return cast("Membership", member)


class MembersView(_MembersAPIView):
    @extend_schema("members", responses=MemberSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return the members of a campaign in the order in which they joined, with the number of their links."""
        return self.paginated(members_access(campaign=self.campaign), MemberSerializer)

    @extend_schema(
        "member_add",
        request=MemberAddSerializer,
        responses={201: MemberAddedSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Add a member and create a link for them. For organisers; only owners add owners.

        409 for a person who is already a member in another role.
        """
        data = self.validated(MemberAddSerializer)
        role = MembershipRole(data.pop("role"))
        membership = member_add_by_email(
            campaign=self.campaign,
            role=role,
            by=self.user,
            **data,
        )
        return self.serialized(
            self.with_link(membership),
            MemberAddedSerializer,
            status=201,
        )


class MemberView(_MembersAPIView):
    @extend_schema(
        "member_change",
        request=MemberRoleSerializer,
        responses=MemberRoleMeansSerializer,
    )
    def patch(self, request: Request, slug: str, membership_id: int) -> Response:
        """Change the role of a member, or preview the effects with `dry_run`. For owners.

        409 for the only owner.
        """
        data = self.validated(MemberRoleSerializer)
        membership = self.membership(membership_id)
        role = MembershipRole(data.get("role", membership.role))
        if "role" in data and not data.get("dry_run"):
            member_role_change(membership=membership, role=role, by=self.user)
        membership = self.membership(membership_id)
        membership.means = str(ROLE_MEANS[role])
        return self.serialized(membership, MemberRoleMeansSerializer)

    @extend_schema("member_remove", request=None, responses={204: None})
    def delete(self, request: Request, slug: str, membership_id: int) -> Response:
        """Remove a member, and end their access and the invitations of members that they sent. For owners. 409 for the only owner."""
        member_remove(membership=self.membership(membership_id), by=self.user)
        return Response(status=204)


class MemberLinkView(_MembersAPIView):
    @extend_schema("member_link", request=None, responses=MemberAddedSerializer)
    def post(self, request: Request, slug: str, membership_id: int) -> Response:
        """Create another sign-in link for a member; it is returned only once. Only owners create links for owners."""
        return self.serialized(
            self.with_link(self.membership(membership_id)),
            MemberAddedSerializer,
        )


class MemberInvitationsView(CampaignAPIView):
    @extend_schema(
        "member_invitations",
        responses=MemberInvitationSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the invitations to become a member that wait for an answer, the newest first."""
        return self.paginated(
            member_invitations(campaign=self.campaign),
            MemberInvitationSerializer,
        )

    @extend_schema(
        "member_invite",
        request=MemberInviteSerializer,
        responses={201: MemberInvitationSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Invite a person by e-mail to become a member. For organisers; only owners invite owners.

        409 for a member, for a person who was invited before, and if the server sends no mail.
        """
        data = self.validated(MemberInviteSerializer)
        message = message_of(data, base_url=request.build_absolute_uri("/"))
        mail = member_invite_by_mail(
            campaign=self.campaign,
            email=data["email"],
            name=data["name"],
            role=MembershipRole(data["role"]),
            message=message,
            by=self.user,
        )
        return self.serialized(
            member_invitations(campaign=self.campaign).get(pk=mail.pk),
            MemberInvitationSerializer,
            status=201,
        )


class MemberInvitationView(CampaignAPIView):
    @extend_schema("member_invitation_withdraw", request=None, responses={204: None})
    def delete(self, request: Request, slug: str, invitation_id: int) -> Response:
        """Withdraw an invitation; its link no longer works. Only owners withdraw invitations of owners."""
        mail = row_or_404(member_invitations(campaign=self.campaign), pk=invitation_id)
        try:
            member_invitation_withdraw(mail=mail, by=self.user)
        except InvitationRefusedError as error:
            raise NotFound from error
        return Response(status=204)


class MemberLeaveView(CampaignAPIView):
    # No longer a member, the user may repeat the request with its Idempotency-Key.
    permission_classes = [IsAuthenticated]

    @extend_schema("member_leave", request=None, responses={204: None})
    def post(self, request: Request, slug: str) -> Response:
        """Leave the campaign, in any role; your access and your invitations of members end at once. 409 for the only owner."""
        membership = Membership.objects.select_related("user", "campaign").get(
            campaign=self.campaign,
            user=self.user,
        )
        member_leave(membership=membership)
        return Response(status=204)
