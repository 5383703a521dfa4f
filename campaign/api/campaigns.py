"""Campaigns, test sets and systems, for the members of a campaign."""

from typing import Any

from django.core.exceptions import ValidationError as InvalidError
from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.authentication import token_of
from campaign.api.base import CampaignAPIView, ResearchAPIView
from campaign.api.serializers import (
    CampaignMakeSerializer,
    CampaignRulesSerializer,
    CampaignSerializer,
    ReferenceRankedSerializer,
)
from campaign.models import Campaign, Task, TestSet, User
from campaign.selectors.credentials import may_make_campaigns
from campaign.services.campaigns import (
    ReferenceRankedError,
    campaign_change,
    campaign_create,
)


def _campaigns(user: User) -> QuerySet[Campaign]:
    test_sets: Any = Prefetch("test_sets", TestSet.objects.order_by("id"))
    tasks: Any = Prefetch("test_sets__tasks", Task.objects.order_by("id"))
    return (
        Campaign.objects.present().with_role_of(user).prefetch_related(test_sets, tasks)
    )


class CampaignsView(ResearchAPIView):
    ordering = "slug"
    narrows_to_campaign_of_token = True
    leads_beyond_campaign = True

    @extend_schema("campaigns_list", responses=CampaignSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List the campaigns you are a member of, with their test sets."""
        token = token_of(request)
        campaigns = _campaigns(self.user)
        if token and token.campaign_id:
            campaigns = campaigns.filter(pk=token.campaign_id)
        return self.paginated(campaigns, CampaignSerializer)

    @extend_schema(
        "campaigns_create",
        request=CampaignMakeSerializer,
        responses={201: CampaignSerializer},
    )
    def post(self, request: Request) -> Response:
        """Create a campaign without test sets, as a draft that you own. For organisers of any campaign."""
        if not may_make_campaigns(self.user):
            raise PermissionDenied("Only campaign organisers can create campaigns.")
        data = self.validated(CampaignMakeSerializer)
        try:
            campaign = campaign_create(organisers=[self.user], **data)
        except InvalidError as error:
            raise ValidationError(error.message_dict) from error
        return self.serialized(
            _campaigns(self.user).get(pk=campaign.pk),
            CampaignSerializer,
            status=201,
        )


class CampaignView(CampaignAPIView):
    @extend_schema("campaigns_retrieve", responses=CampaignSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return a campaign with its test sets."""
        return self.serialized(
            _campaigns(self.user).get(pk=self.campaign.pk),
            CampaignSerializer,
        )

    @extend_schema(
        "campaigns_change",
        request=CampaignRulesSerializer,
        responses={200: CampaignSerializer, 409: ReferenceRankedSerializer},
    )
    def patch(self, request: Request, slug: str) -> Response:
        """Change the settings of a campaign; omitted fields stay unchanged. For organisers only.

        409 if judges would begin to see a reference that they rank, without `rank_shown_reference`.
        """
        data = self.validated(CampaignRulesSerializer)
        try:
            campaign_change(campaign=self.campaign, **data)
        except ReferenceRankedError as error:
            return Response({"detail": str(error), "facts": error.facts}, status=409)
        return self.serialized(
            _campaigns(self.user).get(pk=self.campaign.pk),
            CampaignSerializer,
        )
