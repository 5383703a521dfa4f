"""Members of a campaign: roles, sign-in links and invitations by e-mail."""

from typing import Any

from django.conf import settings
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import joined_campaign, organised_campaign, reader
from campaign.api.pages import CursorPages, paged
from campaign.models import Mail, MailState, Membership, MembershipRole
from campaign.pages.rights import ROLE_MEANS
from campaign.selectors.credentials import MemberAccess, members_access, memberships_of
from campaign.selectors.invitations import member_invitations
from campaign.services.api_tokens import CredentialRefusedError
from campaign.services.invitations import InvitationRefusedError
from campaign.services.member_invitations import member_invitation_withdraw, member_invite_by_mail
from campaign.services.members import (
    member_add_by_email,
    member_leave,
    member_link_create,
    member_remove,
    member_role_change,
)


class MemberSerializer(serializers.Serializer[MemberAccess]):
    id = serializers.IntegerField(source="membership.pk", read_only=True)
    name = serializers.CharField(source="membership.user.name", read_only=True)
    email = serializers.EmailField(source="membership.user.email", allow_null=True, read_only=True)
    role = serializers.ChoiceField(source="membership.role", choices=MembershipRole.choices)
    browsers = serializers.IntegerField(
        read_only=True, help_text="Browsers in which the member is signed in."
    )
    tokens = serializers.IntegerField(read_only=True, help_text="Valid API tokens.")
    links = serializers.SerializerMethodField(help_text="Valid sign-in links.")

    def get_links(self, member: MemberAccess) -> int:
        return len(member.links)


class MemberAddSerializer(serializers.Serializer[Any]):
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


class MemberRoleSerializer(serializers.Serializer[Any]):
    role = serializers.ChoiceField(choices=MembershipRole.choices)
    dry_run = serializers.BooleanField(
        default=False, write_only=True, help_text="Describe the effect without changing anything."
    )


class MemberRoleMeansSerializer(MemberSerializer):
    means = serializers.CharField(read_only=True, help_text="Permissions of the requested role.")


class MemberInviteSerializer(MemberAddSerializer):
    role = serializers.ChoiceField(
        choices=MembershipRole.choices, help_text="Only owners can invite owners."
    )
    language = serializers.ChoiceField(
        choices=settings.LANGUAGES,
        default=settings.LANGUAGE_CODE,
        help_text="Language of the message.",
    )
    note = serializers.CharField(
        max_length=1000, default="", allow_blank=True, help_text="Personal note in the message."
    )


class MemberInvitationSerializer(serializers.ModelSerializer[Mail]):
    email = serializers.EmailField(source="address", read_only=True)
    role = serializers.ChoiceField(
        source="invitation.role", choices=MembershipRole.choices, read_only=True
    )
    state = serializers.ChoiceField(
        choices=MailState.choices, read_only=True, help_text="Language of the message."
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


class MemberRefusedSerializer(serializers.Serializer[Any]):
    """Answered with 409: nothing was changed."""

    detail = serializers.CharField(read_only=True)


class MembersView(APIView):
    pagination_class = CursorPages
    ordering = "id"

    @extend_schema(operation_id="members", responses=MemberSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return the members of a campaign in the order in which they came; links only by their number."""
        campaign = organised_campaign(request, slug)

        def shown(page: list[Membership]) -> Any:
            members: Any = members_access(campaign=campaign, memberships=page)
            return MemberSerializer(members, many=True).data

        return paged(self, memberships_of(campaign=campaign), shown)

    @extend_schema(
        operation_id="member_add",
        request=MemberAddSerializer,
        responses={201: MemberAddedSerializer, 409: MemberRefusedSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Add a member and make a link for them. For organisers; owners are added by owners.

        409 for a person who is a member in another role already.
        """
        campaign = organised_campaign(request, slug)
        sent = MemberAddSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        role = MembershipRole(sent.validated_data.pop("role"))
        membership = member_add_by_email(
            campaign=campaign, role=role, by=reader(request), **sent.validated_data
        )
        return _with_link(request, membership, status=201)


class MemberView(APIView):
    @extend_schema(
        operation_id="member_change",
        request=MemberRoleSerializer,
        responses={200: MemberRoleMeansSerializer, 409: MemberRefusedSerializer},
    )
    def patch(self, request: Request, slug: str, membership_id: int) -> Response:
        """Change the role of a member, or preview the effects with `dry_run`. For owners.

        409 for the only owner.
        """
        membership = _membership(request, slug, membership_id)
        sent = MemberRoleSerializer(data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        data = sent.validated_data
        role = MembershipRole(data.get("role", membership.role))
        if "role" in data and not data.get("dry_run"):
            member_role_change(membership=membership, role=role, by=reader(request))
        shown = MemberSerializer(_access(membership)).data
        return Response({**shown, "means": str(ROLE_MEANS[role])})

    @extend_schema(
        operation_id="member_remove", responses={204: None, 409: MemberRefusedSerializer}
    )
    def delete(self, request: Request, slug: str, membership_id: int) -> Response:
        """Remove a member, and end their access at once. For owners. 409 for the only owner."""
        membership = _membership(request, slug, membership_id)
        member_remove(membership=membership, by=reader(request))
        return Response(status=204)


class MemberLinkView(APIView):
    @extend_schema(operation_id="member_link", request=None, responses=MemberAddedSerializer)
    def post(self, request: Request, slug: str, membership_id: int) -> Response:
        """Make another link that signs a member in; it is answered this once. An owner's is made by owners."""
        return _with_link(request, _membership(request, slug, membership_id), status=200)


class MemberInvitationsView(APIView):
    pagination_class = CursorPages
    ordering = "-id"

    @extend_schema(
        operation_id="member_invitations", responses=MemberInvitationSerializer(many=True)
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the invitations to become a member that wait for an answer, the newest first."""
        waiting = member_invitations(campaign=organised_campaign(request, slug))
        return paged(self, waiting, lambda page: MemberInvitationSerializer(page, many=True).data)

    @extend_schema(
        operation_id="member_invite",
        request=MemberInviteSerializer,
        responses={201: MemberInvitationSerializer, 409: MemberRefusedSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Invite a person by e-mail to become a member. For organisers; owners are invited by owners.

        409 for a member, for a person who was invited before, and if the server sends no mail.
        """
        campaign = organised_campaign(request, slug)
        sent = MemberInviteSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        role = MembershipRole(sent.validated_data.pop("role"))
        mail = member_invite_by_mail(
            campaign=campaign,
            role=role,
            base_url=request.build_absolute_uri("/"),
            by=reader(request),
            **sent.validated_data,
        )
        made = member_invitations(campaign=campaign).get(pk=mail.pk)
        return Response(MemberInvitationSerializer(made).data, status=201)


class MemberInvitationView(APIView):
    @extend_schema(operation_id="member_invitation_withdraw", responses={204: None})
    def delete(self, request: Request, slug: str, invitation_id: int) -> Response:
        """Take an invitation back: its link opens nothing any more. An owner's: for owners."""
        waiting = member_invitations(campaign=organised_campaign(request, slug))
        mail = waiting.filter(pk=invitation_id).first()
        if mail is None:
            raise NotFound
        try:
            member_invitation_withdraw(mail=mail, by=reader(request))
        except InvitationRefusedError as error:
            raise NotFound from error
        return Response(status=204)


class LeaveView(APIView):
    @extend_schema(
        operation_id="member_leave",
        request=None,
        responses={204: None, 409: MemberRefusedSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Leave the campaign, in any role; your access ends at once. 409 for the only owner."""
        campaign = joined_campaign(request, slug)
        membership = Membership.objects.select_related("user", "campaign").get(
            campaign=campaign, user=reader(request)
        )
        member_leave(membership=membership)
        return Response(status=204)


def _membership(request: Request, slug: str, membership_id: int) -> Membership:
    campaign = organised_campaign(request, slug)
    rows = Membership.objects.select_related("user", "campaign").filter(campaign=campaign)
    membership = rows.filter(pk=membership_id).first()
    if membership is None:
        raise NotFound
    return membership


def _access(membership: Membership) -> MemberAccess:
    members = members_access(campaign=membership.campaign)
    return next(each for each in members if each.membership.pk == membership.pk)


def _with_link(request: Request, membership: Membership, *, status: int) -> Response:
    address, why = None, ""
    try:
        _link, token = member_link_create(membership=membership, by=reader(request))
    except CredentialRefusedError as error:
        why = str(error)
    else:
        address = request.build_absolute_uri(reverse("invitation", args=[token]))
    shown = MemberSerializer(_access(membership)).data
    return Response({**shown, "link": address, "no_link": why}, status=status)
