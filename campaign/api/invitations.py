"""Invitations of judges: shared links, messages, and the status of each invited judge."""

from datetime import datetime, time
from typing import Any, Final

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import organised_campaign, reader
from campaign.api.filters import filter_parameters, filtered
from campaign.api.pages import CursorPages, paged
from campaign.models import Invitation, Judge, Mail, MailState
from campaign.pages.invitation_tables import InvitedFilter, LinkFilter
from campaign.selectors.invitations import (
    StandingOfInvited,
    StandingOfLink,
    invited_judges,
    links_for_anybody,
    people_invited,
)
from campaign.services.credentials import judge_readmit, judge_withdraw
from campaign.services.invitation_mails import (
    AddressesRefusedError,
    addresses_read,
    judges_invite_by_mail,
    mail_send_again,
)
from campaign.services.invitations import (
    MOST_JUDGES_OF_A_LINK,
    invitation_create_for_anybody,
    invitation_restore,
    invitation_revoke,
    judge_links_restore,
    judge_links_revoke,
)
from campaign.texts.language_tags import LanguageTagError

_MOST_ADDRESSES: Final = 5_000
LINK_STATES: Final = [(each.value, each.value) for each in StandingOfLink]
INVITED_STATES: Final = [(each.value, each.value) for each in StandingOfInvited]


class JudgesLinkSerializer(serializers.ModelSerializer[Invitation]):
    """A link for anybody. Its address is in the answer that makes it, and nowhere else."""

    state = serializers.ChoiceField(source="standing", choices=LINK_STATES, read_only=True)
    made_by = serializers.CharField(
        source="created_by.name", allow_null=True, default=None, read_only=True
    )

    class Meta:
        model = Invitation
        fields = (
            *("id", "note", "cap", "arrived", "state", "languages", "asks_languages"),
            *("created_at", "expires_at", "revoked_at", "made_by"),
        )
        read_only_fields = fields


class JudgesLinkMadeSerializer(JudgesLinkSerializer):
    link = serializers.SerializerMethodField(help_text="Shown only once.")

    class Meta(JudgesLinkSerializer.Meta):
        fields = (*JudgesLinkSerializer.Meta.fields, "link")  # type: ignore[assignment]
        read_only_fields = fields  # type: ignore[assignment]

    def get_link(self, _invitation: Invitation) -> str:
        return str(self.context["link"])


class _LanguagesSerializer(serializers.Serializer[Any]):
    languages = serializers.ListField(
        child=serializers.CharField(max_length=35),
        default=list,
        max_length=100,
        help_text="Languages the judges read. Leave empty for all languages of the campaign.",
    )


class JudgesLinkMakeSerializer(_LanguagesSerializer):
    cap = serializers.IntegerField(
        min_value=1,
        max_value=MOST_JUDGES_OF_A_LINK,
        default=20,
        help_text="Maximum number of judges who can join with this link.",
    )
    last_day = serializers.DateField(
        allow_null=True, default=None, help_text="Last valid day; null for the default."
    )
    asks_languages = serializers.BooleanField(
        default=False, help_text="Ask new judges which of the languages they read."
    )
    note = serializers.CharField(
        max_length=200, default="", allow_blank=True, help_text="Visible to organisers only."
    )

    def validate_last_day(self, day: Any) -> datetime | None:
        """Return the end of the day; refuse one that is over."""
        if day is None:
            return None
        if day < timezone.localdate():
            raise ValidationError(_("This date is in the past."))
        return timezone.make_aware(datetime.combine(day, time.max))


class InvitedJudgeSerializer(serializers.Serializer[Any]):
    """A judge who is a person, with the status of their invitation."""

    id = serializers.IntegerField(source="judge.pk", help_text="ID of the judge.")
    judge = serializers.CharField(source="judge.pseudonym")
    address_or_note = serializers.CharField(
        source="judge.reached_at",
        allow_null=True,
        help_text="E-mail address of the invitation, or the note of the link used to join.",
    )
    state = serializers.ChoiceField(source="judge.standing", choices=INVITED_STATES)
    message = serializers.ChoiceField(
        source="mail.state", choices=MailState.choices, allow_null=True, default=None
    )
    message_error = serializers.CharField(source="mail.error", default="")
    sent_at = serializers.DateTimeField(source="mail.sent_at", allow_null=True, default=None)
    opened_at = serializers.DateTimeField(allow_null=True)
    accepted = serializers.IntegerField(
        allow_null=True, help_text="Latest version of the instructions the judge accepted."
    )
    link_ends_at = serializers.DateTimeField(
        source="link_ends",
        allow_null=True,
        help_text="End of the judge’s own link; null if none is valid.",
    )
    browsers = serializers.IntegerField(help_text="Number of browsers used.")
    concurrent_at = serializers.DateTimeField(
        allow_null=True, help_text="Last time two browsers were active at once; null if never."
    )


class JudgesInviteSerializer(_LanguagesSerializer):
    addresses = serializers.ListField(
        child=serializers.EmailField(max_length=254), min_length=1, max_length=_MOST_ADDRESSES
    )
    language = serializers.ChoiceField(
        choices=settings.LANGUAGES,
        default=settings.LANGUAGE_CODE,
        help_text="Language of the message.",
    )
    note = serializers.CharField(
        max_length=1000, default="", allow_blank=True, help_text="Personal note in the message."
    )


class JudgesInvitedSerializer(serializers.Serializer[Any]):
    invited = serializers.ListField(
        child=serializers.CharField(),
        help_text="Pseudonyms of the invited judges; the messages are sent in the background.",
    )
    known = serializers.ListField(
        child=serializers.CharField(), help_text="Addresses already invited."
    )


class JudgeWithdrawSerializer(serializers.Serializer[Any]):
    links_only = serializers.BooleanField(
        default=False,
        help_text="Withdraw the links only; browsers already signed in stay signed in.",
    )


class JudgesLinksView(APIView):
    pagination_class = CursorPages
    ordering = "-id"

    @extend_schema(
        operation_id="judges_links",
        parameters=filter_parameters(LinkFilter),
        responses=JudgesLinkSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the links by which anybody may become a judge, the newest first, without their addresses."""
        links = links_for_anybody(campaign=organised_campaign(request, slug))
        found = filtered(LinkFilter, request, links)
        return paged(self, found, lambda page: JudgesLinkSerializer(page, many=True).data)

    @extend_schema(
        operation_id="judges_link_make",
        request=JudgesLinkMakeSerializer,
        responses={201: JudgesLinkMadeSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make a link for anybody; its address is in this answer and nowhere else."""
        campaign = organised_campaign(request, slug)
        sent = JudgesLinkMakeSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        asked = sent.validated_data
        try:
            made, token = invitation_create_for_anybody(
                campaign=campaign,
                expires_at=asked.pop("last_day"),
                created_by=reader(request),
                **asked,
            )
        except LanguageTagError as error:
            raise ValidationError({"languages": [str(error)]}) from error
        link = request.build_absolute_uri(reverse("invitation", args=[token]))
        row = links_for_anybody(campaign=campaign).get(pk=made.pk)
        return Response(JudgesLinkMadeSerializer(row, context={"link": link}).data, status=201)


class _LinkView(APIView):
    def found(self, request: Request, slug: str, invitation_id: int) -> Invitation:
        links = links_for_anybody(campaign=organised_campaign(request, slug))
        link = links.filter(pk=invitation_id).first()
        if link is None:
            raise NotFound
        return link

    def shown(self, link: Invitation) -> Response:
        row = links_for_anybody(campaign=link.campaign).get(pk=link.pk)
        return Response(JudgesLinkSerializer(row).data)


class JudgesLinkRevokeView(_LinkView):
    @extend_schema(operation_id="judges_link_revoke", request=None, responses=JudgesLinkSerializer)
    def post(self, request: Request, slug: str, invitation_id: int) -> Response:
        """Revoke the link; judges who joined by it stay."""
        link = self.found(request, slug, invitation_id)
        invitation_revoke(invitation=link)
        return self.shown(link)


class JudgesLinkRestoreView(_LinkView):
    @extend_schema(operation_id="judges_link_restore", request=None, responses=JudgesLinkSerializer)
    def post(self, request: Request, slug: str, invitation_id: int) -> Response:
        """Undo that the link was revoked."""
        link = self.found(request, slug, invitation_id)
        invitation_restore(invitation=link)
        return self.shown(link)


class JudgeInvitationsView(APIView):
    pagination_class = CursorPages
    ordering = "-id"

    @extend_schema(
        operation_id="judge_invitations",
        parameters=filter_parameters(InvitedFilter),
        responses=InvitedJudgeSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the people who were invited or joined, newest first, with their status."""
        people = people_invited(campaign=organised_campaign(request, slug))
        return paged(self, filtered(InvitedFilter, request, people), _invited)

    @extend_schema(
        operation_id="judges_invite",
        request=JudgesInviteSerializer,
        responses={201: JudgesInvitedSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Invite people by e-mail to judge: each becomes a judge, and is sent a link of their own."""
        campaign = organised_campaign(request, slug)
        sent = JudgesInviteSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        asked = sent.validated_data
        try:
            invited = judges_invite_by_mail(
                campaign=campaign,
                addresses=addresses_read("\n".join(asked.pop("addresses"))),
                base_url=request.build_absolute_uri("/"),
                user=reader(request),
                **asked,
            )
        except AddressesRefusedError as error:
            raise ValidationError({"addresses": error.problems}) from error
        except LanguageTagError as error:
            raise ValidationError({"languages": [str(error)]}) from error
        judges = [mail.judge.pseudonym for mail in invited.mails if mail.judge is not None]
        said = {"invited": judges, "known": invited.known}
        return Response(JudgesInvitedSerializer(said).data, status=201)


def _invited(page: list[Judge]) -> Any:
    rows = invited_judges(judges=page)
    return InvitedJudgeSerializer([rows[judge.pk] for judge in page], many=True).data


class _InvitedView(APIView):
    def found(self, request: Request, slug: str, judge_id: int) -> Judge:
        people = people_invited(campaign=organised_campaign(request, slug))
        judge = people.select_related("user", "campaign").filter(pk=judge_id).first()
        if judge is None:
            raise NotFound
        return judge

    def shown(self, judge: Judge) -> Response:
        [row] = _invited(list(people_invited(campaign=judge.campaign).filter(pk=judge.pk)))
        return Response(row)


class JudgeInviteAgainView(_InvitedView):
    @extend_schema(
        operation_id="judge_invite_again", request=None, responses=InvitedJudgeSerializer
    )
    def post(self, request: Request, slug: str, judge_id: int) -> Response:
        """Send the message again, with a new link; earlier ones end. 404 for a judge who was never sent one."""
        judge = self.found(request, slug, judge_id)
        mails = Mail.objects.filter(withdrawn_at__isnull=True, judge=judge)
        mail = mails.order_by("-pk").first()
        if mail is None:
            raise NotFound(_("This judge was not invited by e-mail."))
        mail_send_again(mail=mail, base_url=request.build_absolute_uri("/"), user=reader(request))
        return self.shown(judge)


class JudgeWithdrawView(_InvitedView):
    @extend_schema(
        operation_id="judge_withdraw",
        request=JudgeWithdrawSerializer,
        responses=InvitedJudgeSerializer,
    )
    def post(self, request: Request, slug: str, judge_id: int) -> Response:
        """End a judge's access, or only their links with `links_only`. Their judgments stay and count."""
        judge = self.found(request, slug, judge_id)
        sent = JudgeWithdrawSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        if sent.validated_data["links_only"]:
            judge_links_revoke(judge=judge)
        else:
            judge_withdraw(judge=judge)
        return self.shown(judge)


class JudgeReadmitView(_InvitedView):
    @extend_schema(operation_id="judge_readmit", request=None, responses=InvitedJudgeSerializer)
    def post(self, request: Request, slug: str, judge_id: int) -> Response:
        """Undo that a judge, or the latest of their links, was withdrawn."""
        judge = self.found(request, slug, judge_id)
        if judge.withdrawn_at is not None:
            judge_readmit(judge=judge)
        else:
            judge_links_restore(judge=judge)
        return self.shown(judge)
