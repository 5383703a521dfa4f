"""Static copies of a campaign over REST."""

from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import joined_campaign, organised_campaign, reader
from campaign.api.pages import CursorPages
from campaign.models import CampaignCopy
from campaign.selectors.copies import copies_of
from campaign.services.copies import copy_ask
from cells.campaign_copy.views import copy_answer


class CampaignCopySerializer(serializers.ModelSerializer[CampaignCopy]):
    """A copy that was made; the same campaign gives the same bytes."""

    url = serializers.SerializerMethodField(help_text="Of the zip.")

    class Meta:
        model = CampaignCopy
        fields = ["id", "has_texts", "language", "pages", "size", "digest", "made_at", "url"]
        read_only_fields = fields

    def get_url(self, copy: CampaignCopy) -> str:
        """Return where the zip is."""
        address = reverse("api-campaign-copy", args=[self.context["slug"], copy.pk])
        url: str = self.context["request"].build_absolute_uri(address)
        return url


class CopyAskSerializer(serializers.Serializer[Any]):
    texts = serializers.BooleanField(
        default=False, help_text="With sources, references and outputs."
    )


class CopyAskedSerializer(serializers.Serializer[Any]):
    """A worker makes the copy; `jobs/{id}/` says how far it is, and its `result` names the copy."""

    job = serializers.IntegerField(read_only=True)


class CampaignCopiesView(generics.ListAPIView[CampaignCopy]):
    """The static copies that are kept, the newest first."""

    serializer_class = CampaignCopySerializer
    pagination_class = CursorPages
    ordering = "-id"

    def get_queryset(self) -> QuerySet[CampaignCopy]:
        return copies_of(campaign=organised_campaign(self.request, self.kwargs["slug"]))

    def get_serializer_context(self) -> dict[str, Any]:
        return {**super().get_serializer_context(), "slug": self.kwargs["slug"]}

    @extend_schema(
        operation_id="campaign_copies_ask",
        request=CopyAskSerializer,
        responses={202: CopyAskedSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Have a worker make a copy. It changes nothing, so analysts may ask for one, too."""
        campaign = joined_campaign(request, slug)
        sent = CopyAskSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        job = copy_ask(
            campaign=campaign,
            with_texts=sent.validated_data["texts"],
            address=request.build_absolute_uri("/").removesuffix("/"),
            by=reader(request),
        )
        return Response({"job": job.pk}, status=202)


class CampaignCopyView(APIView):
    @extend_schema(
        operation_id="campaign_copy", responses={(200, "application/zip"): OpenApiTypes.BINARY}
    )
    def get(self, request: Request, slug: str, copy_id: int) -> StreamingHttpResponse:
        """Return a copy as a zip."""
        campaign = organised_campaign(request, slug)
        copy = copies_of(campaign=campaign).filter(pk=copy_id).first()
        if copy is None:
            raise NotFound(_("This campaign has no such copy."))
        return copy_answer(campaign, copy)
