"""Campaigns, test sets and systems, for the members of a campaign."""

from functools import cached_property
from typing import Any

from django.core.exceptions import ValidationError as InvalidError
from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.access import (
    organised_campaign,
    readable_task,
    reader,
)
from campaign.api.authentication import token_of
from campaign.api.pages import CursorPages
from campaign.api.serializers import (
    CampaignMakeSerializer,
    CampaignRulesSerializer,
    CampaignSerializer,
    ReferenceRankedSerializer,
    SystemSerializer,
)
from campaign.models import Campaign, System, Task, TestSet
from campaign.selectors.credentials import may_make_campaigns
from campaign.services.campaigns import campaign_create
from campaign.services.rules import ReferenceRankedError, campaign_change


class CampaignsMixin(generics.GenericAPIView[Campaign]):
    serializer_class = CampaignSerializer

    def get_queryset(self) -> QuerySet[Campaign]:
        test_sets: Any = Prefetch("test_sets", TestSet.objects.order_by("id"))
        tasks: Any = Prefetch("test_sets__tasks", Task.objects.order_by("id"))
        return (
            Campaign.objects.kept()
            .with_role_of(reader(self.request))
            .prefetch_related(test_sets, tasks)
        )


class CampaignsView(CampaignsMixin, generics.ListAPIView[Campaign]):
    """The campaigns you are a member of, with their test sets."""

    pagination_class = CursorPages
    ordering = "slug"
    narrows_to_campaign_of_token = True
    leads_beyond_campaign = True

    def get_queryset(self) -> QuerySet[Campaign]:
        mine = super().get_queryset()
        token = token_of(self.request)
        return mine.filter(pk=token.campaign_id) if token and token.campaign_id else mine

    @extend_schema(
        operation_id="campaigns_create",
        request=CampaignMakeSerializer,
        responses={201: CampaignSerializer},
    )
    def post(self, request: Request) -> Response:
        """Make a campaign without test sets, a draft that you own. For organisers of any campaign."""
        user = reader(request)
        if not may_make_campaigns(user):
            raise PermissionDenied(_("Only campaign organisers can create campaigns."))
        sent = CampaignMakeSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        try:
            campaign = campaign_create(organisers=[user], **sent.validated_data)
        except InvalidError as error:
            raise ValidationError(error.message_dict) from error
        made = super().get_queryset().get(pk=campaign.pk)
        return Response(self.get_serializer(made).data, status=201)


class CampaignView(CampaignsMixin, generics.RetrieveAPIView[Campaign]):
    """A campaign with its test sets."""

    lookup_field = "slug"

    @extend_schema(
        operation_id="campaigns_change",
        request=CampaignRulesSerializer,
        responses={200: CampaignSerializer, 409: ReferenceRankedSerializer},
    )
    def patch(self, request: Request, slug: str) -> Response:
        """Change the settings of a campaign; omitted fields stay unchanged. For organisers only.

        409 if judges would begin to see a reference that they rank, without `rank_shown_reference`.
        """
        campaign = organised_campaign(request, slug)
        sent = CampaignRulesSerializer(data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        try:
            campaign_change(campaign=campaign, **sent.validated_data)
        except ReferenceRankedError as error:
            shown = ReferenceRankedSerializer({"detail": str(error), "facts": error.facts})
            return Response(shown.data, status=409)
        return Response(self.get_serializer(self.get_object()).data)


class SystemsView(generics.ListAPIView[System]):
    """The systems of a test set, its references and withdrawn ones among them."""

    serializer_class = SystemSerializer
    pagination_class = CursorPages
    ordering = "id"

    @cached_property
    def task(self) -> Task:
        return readable_task(self.request, self.kwargs["task_id"])

    def get_queryset(self) -> QuerySet[System]:
        return self.task.test_set.systems.all()
