"""The activity log of a campaign, for its organisers."""

from datetime import date
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.base import CampaignAPIView
from campaign.export.activity import event_data
from campaign.formats.json_text import JSONObject
from campaign.models import ActivityEvent, ActivityOperation, ActivityOrigin
from campaign.pages.activity import ActivityFilter
from campaign.selectors.activity import activity_events, users_named


class ActivityEventSerializer(serializers.Serializer[ActivityEvent]):
    id = serializers.IntegerField()
    time = serializers.DateTimeField()
    by = serializers.ChoiceField(choices=ActivityOrigin.choices)
    user = serializers.CharField(
        allow_null=True,
        help_text="Name of the user, pseudonym of a judge. Null if not signed in or if the account was deleted.",
    )
    through = serializers.CharField(
        help_text="Command or worker task; otherwise empty.",
    )
    operator = serializers.CharField(
        help_text="Operating system user who ran the command, or database role of manual SQL; otherwise empty.",
    )
    change = serializers.ChoiceField(choices=ActivityOperation.choices)
    kind = serializers.CharField(
        help_text="Type of the object, such as `campaign.judge` or `annotation.design`.",
    )
    thing_id = serializers.IntegerField(
        allow_null=True,
        help_text="Null if several objects were changed at once.",
    )
    thing = serializers.CharField(
        help_text="Name of the object at the time; empty if it has none.",
    )
    things = serializers.IntegerField(help_text="Number of objects changed at once.")
    test_set = serializers.IntegerField(allow_null=True)
    changes = serializers.DictField(
        child=serializers.ListField(
            child=serializers.JSONField(),
            min_length=2,
            max_length=2,
        ),
        help_text="Values of each field before and after; for secrets, whether one was set.",
    )


class ActivityView(CampaignAPIView):
    filterset_class = ActivityFilter

    @extend_schema(
        "campaigns_activity",
        parameters=[
            OpenApiParameter(
                "person",
                str,
                description=(
                    "`user-` and an ID, or one of `judges`, `nobody` (not signed in), `commands`, `worker`, "
                    "`database`."
                ),
            ),
            OpenApiParameter(
                "kind",
                str,
                description="Object type as in the events, such as `campaign.judge`.",
            ),
            OpenApiParameter("thing", str, description="Part of the object name."),
            OpenApiParameter(
                "first",
                date,
                description="First day, such as 2026-11-22.",
            ),
            OpenApiParameter("last", date, description="Last day."),
        ],
        responses=ActivityEventSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the changes in a campaign with their author, time, old and new values; newest first."""
        events = activity_events(campaign=self.campaign)
        return self.paginated(self.filter_queryset(events), ActivityEventSerializer)

    def get_filterset_kwargs(self) -> dict[str, Any]:
        return {"campaign": self.campaign}

    def page_rows(self, page: list[ActivityEvent]) -> list[JSONObject]:
        ids = [event.user_id for event in page if event.user_id is not None]
        names = users_named(campaign=self.campaign, ids=ids)
        return [event_data(event, names) for event in page]
