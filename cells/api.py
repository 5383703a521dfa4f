"""Cloning a campaign over REST."""

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import organised_campaign, reader
from cells.cloning import CloneRefusedError, campaign_clone


class CloneRequestSerializer(serializers.Serializer[Any]):
    slug = serializers.SlugField(max_length=60)
    name = serializers.CharField(max_length=200)
    texts = serializers.BooleanField(
        default=False, help_text="Test sets with all that belongs to them."
    )
    people = serializers.BooleanField(
        default=False, help_text="Members, and judges without their work."
    )


class JudgeLinkSerializer(serializers.Serializer[Any]):
    judge = serializers.CharField(read_only=True)
    link = serializers.URLField(read_only=True)


class CloneSerializer(serializers.Serializer[Any]):
    slug = serializers.SlugField(read_only=True)
    rows = serializers.DictField(child=serializers.IntegerField(), read_only=True)
    seconds = serializers.FloatField(read_only=True)
    links = JudgeLinkSerializer(many=True, read_only=True)


class CampaignCloneView(APIView):
    leads_beyond_campaign = True

    @extend_schema(
        operation_id="campaign_clone",
        request=CloneRequestSerializer,
        responses={201: CloneSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make a draft like this campaign, which you organise; its judges' links are said this once."""
        campaign = organised_campaign(request, slug)
        sent = CloneRequestSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        try:
            clone = campaign_clone(source=campaign, by=reader(request), **sent.validated_data)
        except CloneRefusedError as error:
            raise ValidationError({error.field: [str(error)]}) from error
        links = [
            {
                "judge": judge,
                "link": request.build_absolute_uri(reverse("invitation", args=[token])),
            }
            for judge, token in clone.links
        ]
        shown = {
            "slug": clone.campaign.slug,
            "rows": clone.rows,
            "seconds": clone.seconds,
            "links": links,
        }
        return Response(CloneSerializer(shown).data, status=201)
