"""Campaigns, test sets and systems, for the members of a campaign."""

from typing import Any

from django.core.exceptions import ValidationError as InvalidError
from django.db.models import Prefetch, QuerySet
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.response import Response

from campaign.api.authentication import token_of
from campaign.api.operations import Address, operation
from campaign.api.serializers import (
    CampaignMakeSerializer,
    CampaignRulesSerializer,
    CampaignSerializer,
    ReferenceRankedSerializer,
)
from campaign.models import Campaign, Task, TestSet, User
from campaign.selectors.credentials import may_make_campaigns
from campaign.services.campaigns import ReferenceRankedError, campaign_change, campaign_create


def _campaigns(user: User) -> QuerySet[Campaign]:
    test_sets: Any = Prefetch("test_sets", TestSet.objects.order_by("id"))
    tasks: Any = Prefetch("test_sets__tasks", Task.objects.order_by("id"))
    return Campaign.objects.kept().with_role_of(user).prefetch_related(test_sets, tasks)


class CampaignsView(Address):
    ordering = "slug"
    narrows_to_campaign_of_token = True
    leads_beyond_campaign = True

    @operation("campaigns_list", CampaignSerializer(many=True))
    def get(self) -> QuerySet[Campaign]:
        """List the campaigns you are a member of, with their test sets."""
        token = token_of(self.request)
        mine = _campaigns(self.user)
        return mine.filter(pk=token.campaign_id) if token and token.campaign_id else mine

    @operation("campaigns_create", {201: CampaignSerializer}, takes=CampaignMakeSerializer)
    def post(self) -> Campaign:
        """Create a campaign without test sets, as a draft that you own. For organisers of any campaign."""
        if not may_make_campaigns(self.user):
            raise PermissionDenied("Only campaign organisers can create campaigns.")
        try:
            campaign = campaign_create(organisers=[self.user], **self.sent)
        except InvalidError as error:
            raise ValidationError(error.message_dict) from error
        return _campaigns(self.user).get(pk=campaign.pk)


class CampaignView(Address):
    @operation("campaigns_retrieve", CampaignSerializer)
    def get(self) -> Campaign:
        """Return a campaign with its test sets."""
        return _campaigns(self.user).get(pk=self.campaign.pk)

    @operation(
        "campaigns_change",
        {200: CampaignSerializer, 409: ReferenceRankedSerializer},
        takes=CampaignRulesSerializer,
    )
    def patch(self) -> Campaign | Response:
        """Change the settings of a campaign; omitted fields stay unchanged. For organisers only.

        409 if judges would begin to see a reference that they rank, without `rank_shown_reference`.
        """
        try:
            campaign_change(campaign=self.campaign, **self.sent)
        except ReferenceRankedError as error:
            return Response({"detail": str(error), "facts": error.facts}, status=409)
        return _campaigns(self.user).get(pk=self.campaign.pk)
