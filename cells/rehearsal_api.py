"""The rehearsal of a campaign over REST: begin, look, end."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import organised_campaign, reader
from campaign.api.requests import NumberField
from campaign.models import Campaign
from campaign.selectors.rehearsals import rehearsal_state
from campaign.services.rehearsals import (
    LEAST_SKILL,
    MOST_BOTS,
    RehearsalRefusedError,
    rehearsal_begin,
    rehearsal_end_later,
)


class RehearsalRequestSerializer(serializers.Serializer[Any]):
    bots = serializers.IntegerField(min_value=1, max_value=MOST_BOTS, default=10)
    skill = NumberField(
        min_value=LEAST_SKILL,
        max_value=1,
        default=0.8,
        help_text="How often a simulated judge prefers the better one of two outputs.",
    )
    share = NumberField(min_value=0.001, max_value=1, default=1, help_text="Of the blocks wanted.")
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=1)


class RehearsalSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(
        choices=["none", "under way", "there", "outdated"],
        help_text="“outdated”: texts, design or settings changed since it began.",
    )
    campaign = serializers.SlugField(
        allow_null=True, help_text="In which the simulated judges judged; null while there is none."
    )
    bots = serializers.IntegerField(allow_null=True)
    skill = serializers.FloatField(allow_null=True)
    share = serializers.FloatField(allow_null=True)
    seed = serializers.IntegerField(allow_null=True)
    begun_at = serializers.DateTimeField(allow_null=True)
    job = serializers.IntegerField(
        allow_null=True, help_text="The latest job that began or ended one."
    )


class RehearsalRefusedSerializer(serializers.Serializer[Any]):
    detail = serializers.CharField(read_only=True)


class RehearsalView(APIView):
    @extend_schema(operation_id="rehearsal", responses=RehearsalSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Say which rehearsal a campaign has."""
        return _state(organised_campaign(request, slug))

    @extend_schema(
        operation_id="rehearsal_begin",
        request=RehearsalRequestSerializer,
        responses={202: RehearsalSerializer, 409: RehearsalRefusedSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Begin a rehearsal of a draft, in place of the one it has; a worker writes it."""
        campaign = organised_campaign(request, slug)
        sent = RehearsalRequestSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        try:
            rehearsal_begin(campaign=campaign, by=reader(request), **sent.validated_data)
        except RehearsalRefusedError as error:
            return Response(RehearsalRefusedSerializer({"detail": str(error)}).data, status=409)
        return _state(campaign, status=202)

    @extend_schema(operation_id="rehearsal_end", request=None, responses={202: RehearsalSerializer})
    def delete(self, request: Request, slug: str) -> Response:
        """Delete the rehearsal of a campaign for good; a worker does it."""
        campaign = organised_campaign(request, slug)
        rehearsal_end_later(campaign=campaign, by=reader(request))
        return _state(campaign, status=202)


def _state(campaign: Campaign, status: int = 200) -> Response:
    found = rehearsal_state(campaign=campaign)
    row = found.rehearsal
    names = ("bots", "skill", "share", "seed", "begun_at")
    if found.is_under_way:
        state = "under way"
    elif row is None:
        state = "none"
    else:
        state = "outdated" if found.is_outdated else "there"
    shown = {
        "state": state,
        "campaign": found.campaign and found.campaign.slug,
        **{name: getattr(row, name, None) for name in names},
        "job": found.job and found.job.pk,
    }
    return Response(RehearsalSerializer(shown).data, status=status)
