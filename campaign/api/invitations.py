"""Invitations of judges: shared links, messages, and the status of each invited judge."""

from datetime import datetime
from typing import Any, Final

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.base import CampaignAPIView, row_or_404
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.serializers import MessageSerializer, message_of
from campaign.models import Invitation, Judge, MailState
from campaign.pages.invitations import InvitedFilter, LinkFilter
from campaign.selectors.credentials import (
    StandingOfInvited,
    StandingOfLink,
    invited_judges,
    links_for_anybody,
    people_invited,
)
from campaign.services.invitation_mails import (
    AddressesRefusedError,
    addresses_read,
    judge_link_mail,
    judges_invite_by_mail,
)
from campaign.services.invitations import (
    MOST_JUDGES_OF_A_LINK,
    invitation_change,
    invitation_create_for_anybody,
    invitation_restore,
    invitation_revoke,
    judge_links_restore,
    judge_links_revoke,
    last_moment,
)
from campaign.services.judges import judge_readmit, judge_withdraw
from campaign.texts.time_zones import year_refusal

_MOST_ADDRESSES: Final = 5_000
LINK_STATES: Final = [
    (standing_of_link.value, standing_of_link.value)
    for standing_of_link in StandingOfLink
]
INVITED_STATES: Final = [
    (standing_of_invited.value, standing_of_invited.value)
    for standing_of_invited in StandingOfInvited
]


class JudgesLinkSerializer(serializers.ModelSerializer[Invitation]):
    """A shared link. Its URL is returned only when it is created."""

    state = serializers.ChoiceField(
        source="standing",
        choices=LINK_STATES,
        read_only=True,
    )
    made_by = serializers.CharField(
        source="created_by.name",
        allow_null=True,
        default=None,
        read_only=True,
    )

    class Meta:
        model = Invitation
        fields = (
            "id",
            "note",
            "cap",
            "arrived",
            "state",
            "languages",
            "asks_languages",
            "created_at",
            "expires_at",
            "revoked_at",
            "made_by",
        )
        read_only_fields = fields


class JudgesLinkMadeSerializer(JudgesLinkSerializer):
    link = serializers.SerializerMethodField(help_text="Shown only once.")

    class Meta(JudgesLinkSerializer.Meta):
        fields = (*JudgesLinkSerializer.Meta.fields, "link")  # type: ignore[assignment]
        read_only_fields = fields  # type: ignore[assignment]

    def get_link(self, _invitation: Invitation) -> str:
        view = self.context["view"]
        address: str = view.request.build_absolute_uri(
            reverse("invitation", args=[view.token]),
        )
        return address


class _LanguagesSerializer(PlainSerializer):
    languages = serializers.ListField(
        child=serializers.CharField(max_length=35),
        default=list,
        max_length=100,
        help_text="Languages the judges read. Leave empty for all languages of the campaign.",
    )


class _LinkTermsSerializer(_LanguagesSerializer):
    cap = serializers.IntegerField(
        min_value=1,
        max_value=MOST_JUDGES_OF_A_LINK,
        default=20,
        help_text="Maximum number of judges who can join with this link.",
    )
    asks_languages = serializers.BooleanField(
        default=False,
        help_text="Ask new judges which of the languages they read.",
    )


class JudgesLinkMakeSerializer(_LinkTermsSerializer):
    last_day = serializers.DateField(
        allow_null=True,
        default=None,
        help_text="Last valid day; null for the default.",
    )
    note = serializers.CharField(
        max_length=200,
        default="",
        allow_blank=True,
        help_text="Visible to organisers only.",
    )

    def validate_last_day(self, day: Any) -> datetime | None:
        """Return the end of the day; refuse a day in the past."""
        return last_moment(day)


class JudgesLinkChangeSerializer(_LinkTermsSerializer):
    """Terms of a shared link; missing fields keep their value. Its URL and the judges who joined stay."""

    expires_at = serializers.DateTimeField(required=False)

    def validate_expires_at(self, moment: datetime) -> datetime:
        """Refuse a time after the year 2999."""
        if refusal := year_refusal(moment):
            raise serializers.ValidationError(refusal)
        return moment

    def update(
        self,
        instance: Invitation,
        validated_data: dict[str, Any],
    ) -> Invitation:
        """Change the given terms of a link."""
        terms = {
            "cap": instance.cap,
            "languages": instance.languages,
            "asks_languages": instance.asks_languages,
            "expires_at": instance.expires_at,
        }
        return invitation_change(invitation=instance, **(terms | validated_data))


class InvitedJudgeSerializer(PlainSerializer):
    """A judge who is a person, with the status of their invitation."""

    id = serializers.IntegerField(help_text="ID of the judge.")
    judge = serializers.CharField(source="pseudonym")
    address_or_note = serializers.CharField(
        source="reached_at",
        allow_null=True,
        help_text="Current e-mail address, or the note of the link used to join.",
    )
    state = serializers.ChoiceField(source="standing", choices=INVITED_STATES)
    message = serializers.ChoiceField(
        source="mail.state",
        choices=MailState.choices,
        allow_null=True,
        default=None,
    )
    message_error = serializers.CharField(source="mail.error", default="")
    sent_at = serializers.DateTimeField(
        source="mail.sent_at",
        allow_null=True,
        default=None,
    )
    opened_at = serializers.DateTimeField(allow_null=True)
    accepted = serializers.IntegerField(
        allow_null=True,
        help_text="Latest version of the instructions the judge accepted.",
    )
    link_ends_at = serializers.DateTimeField(
        source="link_ends",
        allow_null=True,
        help_text="End of the judge’s own link; null if none is valid.",
    )
    browsers = serializers.IntegerField(help_text="Number of browsers used.")
    concurrent_at = serializers.DateTimeField(
        allow_null=True,
        help_text="Last time two browsers were active at once; null if never.",
    )


class JudgesInviteSerializer(_LanguagesSerializer, MessageSerializer):
    addresses = serializers.ListField(
        child=serializers.EmailField(max_length=254),
        min_length=1,
        max_length=_MOST_ADDRESSES,
    )


class JudgesInvitedSerializer(PlainSerializer):
    invited = serializers.ListField(
        child=serializers.CharField(),
        help_text="Pseudonyms of the invited judges; the messages are sent in the background.",
    )
    known = serializers.ListField(
        child=serializers.CharField(),
        help_text="Addresses already invited.",
    )


class JudgeWithdrawSerializer(PlainSerializer):
    links_only = serializers.BooleanField(
        default=False,
        help_text="Withdraw the links only; browsers already signed in stay signed in.",
    )


class _LinkAPIView(CampaignAPIView):
    def link(self, invitation_id: int) -> Invitation:
        return row_or_404(links_for_anybody(campaign=self.campaign), pk=invitation_id)


class JudgesLinksView(_LinkAPIView):
    filterset_class = LinkFilter

    @extend_schema("judges_links", responses=JudgesLinkSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return the shared links for new judges, the newest first, without their URLs."""
        return self.paginated(
            self.filter_queryset(links_for_anybody(campaign=self.campaign)),
            JudgesLinkSerializer,
        )

    @extend_schema(
        "judges_link_make",
        request=JudgesLinkMakeSerializer,
        responses={201: JudgesLinkMadeSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a shared link; its URL is returned only once."""
        data = self.validated(JudgesLinkMakeSerializer)
        invitation, self.token = invitation_create_for_anybody(
            campaign=self.campaign,
            expires_at=data.pop("last_day"),
            created_by=self.user,
            **data,
        )
        return self.serialized(
            self.link(invitation.pk),
            JudgesLinkMadeSerializer,
            status=201,
        )


class JudgesLinkView(_LinkAPIView):
    @extend_schema(
        "judges_link_change",
        request=JudgesLinkChangeSerializer,
        responses=JudgesLinkSerializer,
    )
    def patch(self, request: Request, slug: str, invitation_id: int) -> Response:
        """Change the terms of a shared link. 400 if more judges have joined than `cap`."""
        self.saved(JudgesLinkChangeSerializer, self.link(invitation_id))
        return self.serialized(self.link(invitation_id), JudgesLinkSerializer)


class JudgesLinkRevokeView(_LinkAPIView):
    @extend_schema("judges_link_revoke", request=None, responses=JudgesLinkSerializer)
    def post(self, request: Request, slug: str, invitation_id: int) -> Response:
        """Revoke the link; judges who joined by it stay."""
        invitation_revoke(invitation=self.link(invitation_id))
        return self.serialized(self.link(invitation_id), JudgesLinkSerializer)


class JudgesLinkRestoreView(_LinkAPIView):
    @extend_schema("judges_link_restore", request=None, responses=JudgesLinkSerializer)
    def post(self, request: Request, slug: str, invitation_id: int) -> Response:
        """Restore a revoked link."""
        invitation_restore(invitation=self.link(invitation_id))
        return self.serialized(self.link(invitation_id), JudgesLinkSerializer)


class _InvitedAPIView(CampaignAPIView):
    def judge(self, judge_id: int) -> Judge:
        people = people_invited(campaign=self.campaign).select_related(
            "user",
            "campaign",
        )
        return row_or_404(people, pk=judge_id)

    def page_rows(self, page: list[Judge]) -> Any:
        return invited_judges(judges=page)

    def invited(self, judge_id: int) -> Any:
        return self.page_rows([self.judge(judge_id)])[0]


class JudgeInvitationsView(_InvitedAPIView):
    filterset_class = InvitedFilter

    @extend_schema("judge_invitations", responses=InvitedJudgeSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return the people who were invited or joined, newest first, with their status."""
        return self.paginated(
            self.filter_queryset(people_invited(campaign=self.campaign)),
            InvitedJudgeSerializer,
        )

    @extend_schema(
        "judges_invite",
        request=JudgesInviteSerializer,
        responses={201: JudgesInvitedSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Invite people by e-mail to judge: each becomes a judge, and is sent a link of their own."""
        data = self.validated(JudgesInviteSerializer)
        message = message_of(data, base_url=request.build_absolute_uri("/"))
        try:
            invited = judges_invite_by_mail(
                campaign=self.campaign,
                addresses=addresses_read("\n".join(data.pop("addresses"))),
                message=message,
                user=self.user,
                **data,
            )
        except AddressesRefusedError as error:
            raise ValidationError({"addresses": error.problems}) from error
        judges = [
            mail.judge.pseudonym for mail in invited.mails if mail.judge is not None
        ]
        return self.serialized(
            {"invited": judges, "known": invited.judge_addresses},
            JudgesInvitedSerializer,
            status=201,
        )


class JudgeInviteAgainView(_InvitedAPIView):
    @extend_schema("judge_invite_again", request=None, responses=InvitedJudgeSerializer)
    def post(self, request: Request, slug: str, judge_id: int) -> Response:
        """Send a message with a new link to the judge's current address; earlier links end. 400 without an address."""
        base_url = request.build_absolute_uri("/")
        judge_link_mail(judge=self.judge(judge_id), base_url=base_url, user=self.user)
        return self.serialized(self.invited(judge_id), InvitedJudgeSerializer)


class JudgeWithdrawView(_InvitedAPIView):
    @extend_schema(
        "judge_withdraw",
        request=JudgeWithdrawSerializer,
        responses=InvitedJudgeSerializer,
    )
    def post(self, request: Request, slug: str, judge_id: int) -> Response:
        """End a judge's access, or only their links with `links_only`. Their judgments stay and count."""
        data = self.validated(JudgeWithdrawSerializer)
        judge = self.judge(judge_id)
        if data["links_only"]:
            judge_links_revoke(judge=judge)
        else:
            judge_withdraw(judge=judge)
        return self.serialized(self.invited(judge_id), InvitedJudgeSerializer)


class JudgeReadmitView(_InvitedAPIView):
    @extend_schema("judge_readmit", request=None, responses=InvitedJudgeSerializer)
    def post(self, request: Request, slug: str, judge_id: int) -> Response:
        """Readmit a judge, or restore the links that were withdrawn last."""
        judge = self.judge(judge_id)
        if judge.withdrawn_at is None:
            judge_links_restore(judge=judge)
        else:
            judge_readmit(judge=judge)
        return self.serialized(self.invited(judge_id), InvitedJudgeSerializer)
