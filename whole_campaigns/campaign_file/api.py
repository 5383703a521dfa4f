"""REST addresses of campaign files."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.base import CampaignAPIView, reader
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.requests import BodyParser, body_of, boolean_parameter
from campaign.export.downloads import MEDIA_TYPES, download
from campaign.formats import FormatError
from campaign.formats.yaml_tree import MAX_BYTES
from campaign.models import Campaign
from campaign.selectors.credentials import may_make_campaigns
from campaign.services.members import change_demand
from whole_campaigns.campaign_file.applying import (
    Target,
    campaign_file,
    campaign_file_apply,
)
from whole_campaigns.campaign_file.bodies import CampaignFileSerializer
from whole_campaigns.campaign_file.differences import ChangeKind

MEDIA_TYPE = MEDIA_TYPES["yaml"]
_PEOPLE = OpenApiParameter(
    "people",
    bool,
    description="Include judges (by pseudonym) and the contact; default no.",
)


class YamlParser(BodyParser):
    """Passes YAML on unparsed, for `campaign.formats.yaml_tree`."""

    media_type = MEDIA_TYPE
    most_bytes = MAX_BYTES


class CampaignChangeSerializer(PlainSerializer):
    kind = serializers.SerializerMethodField()
    path = serializers.CharField(read_only=True)
    before = serializers.CharField(read_only=True)
    after = serializers.CharField(read_only=True)
    words = serializers.CharField(read_only=True)

    def get_kind(self, change: Any) -> str:
        """Return added, changed or withdrawn."""
        return ChangeKind(change.kind).name.lower()


class NewLinkSerializer(PlainSerializer):
    note = serializers.CharField(read_only=True)
    address = serializers.SerializerMethodField(help_text="Shown only once.")

    def get_address(self, link: Any) -> str:
        """Return the URL of the link."""
        address: str = self.context["request"].build_absolute_uri(
            reverse("invitation", args=[link.token]),
        )
        return address


class CampaignFileAppliedSerializer(PlainSerializer):
    """Changes that a campaign file makes or made."""

    changes = CampaignChangeSerializer(many=True, read_only=True)
    notes = serializers.ListField(child=serializers.CharField(), read_only=True)
    code = serializers.CharField(
        read_only=True,
        help_text="Code of these changes. Send it as `confirmed` to apply exactly them.",
    )
    is_done = serializers.BooleanField(read_only=True)
    links = NewLinkSerializer(
        many=True,
        read_only=True,
        help_text="New links; empty unless applied.",
    )


class CampaignFileView(CampaignAPIView):
    sends_file = True
    parser_classes = [YamlParser]

    def get_permissions(self) -> Sequence[Any]:
        """Return the permissions of members, but for PUT, which may create the campaign."""
        if self.request.method == "PUT":
            return [IsAuthenticated()]
        return super().get_permissions()

    @extend_schema(
        "campaign_file_read",
        parameters=[_PEOPLE],
        responses={(200, MEDIA_TYPE): CampaignFileSerializer},
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        """Return the settings of the campaign as a file, without judgments, codes, tokens and URLs of links."""
        people = boolean_parameter(request, "people")
        content = campaign_file(campaign=self.campaign, people=people)
        return download(f"{self.campaign.slug}.yaml", content)

    @extend_schema(
        operation_id="campaign_file_apply",
        parameters=[
            OpenApiParameter(
                "check",
                bool,
                description="Show the changes without applying them.",
            ),
            OpenApiParameter(
                "confirmed",
                str,
                description="Code from a check; 409 if the changes are different now.",
            ),
        ],
        request={MEDIA_TYPE: CampaignFileSerializer},
        responses={
            200: CampaignFileAppliedSerializer,
            201: CampaignFileAppliedSerializer,
            409: CampaignFileAppliedSerializer,
        },
    )
    def put(self, request: Request, slug: str) -> Response:
        """Apply a file to the campaign, completely or not at all. Omitted parts stay unchanged.

        If no campaign has this short name, a user who may create campaigns creates and owns it (201).
        """
        is_new = _may_be_made(request, slug)
        if not is_new:
            change_demand(self.get_role())
        check = boolean_parameter(request, "check")
        confirmed = request.query_params.get("confirmed")
        if check:
            confirmed = ""
        try:
            applied = campaign_file_apply(
                name="campaign.yaml",
                content=body_of(request),
                by=reader(request),
                target=Target(slug, must_be_new=is_new),
                confirmed=confirmed,
            )
        except FormatError as error:
            raise serializers.ValidationError({"detail": str(error)}) from error
        status = 200
        if not check:
            if not applied.is_done:
                status = 409
            elif is_new:
                status = 201
        answer = CampaignFileAppliedSerializer(applied, context={"request": request})
        return Response(
            answer.data,
            status=status,
            headers={"Cache-Control": "no-store"},
        )


def _may_be_made(request: Request, slug: str) -> bool:
    """Return whether the campaign does not exist, and the user may create it."""
    return not Campaign.objects.filter(slug=slug).exists() and may_make_campaigns(
        reader(request),
    )
