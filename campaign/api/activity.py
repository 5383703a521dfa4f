"""The activity log of a campaign, for its organisers."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.exceptions import ValidationError

from campaign.api.access import organised_campaign
from campaign.api.pages import CursorPages
from campaign.export.activity import event_data
from campaign.forms.activity import ActivityFilterForm
from campaign.models import ActivityEvent, ActivityOperation, ActivityOrigin, Campaign
from campaign.selectors.activity import activity_events, users_named


class ActivityEventSerializer(serializers.Serializer[ActivityEvent]):
    id = serializers.IntegerField()
    time = serializers.DateTimeField()
    by = serializers.ChoiceField(choices=ActivityOrigin.choices)
    user = serializers.CharField(
        allow_null=True,
        help_text="Name of the user, pseudonym of a judge. Null if not signed in or if the account was deleted.",
    )
    through = serializers.CharField(help_text="Command or worker task; otherwise empty.")
    operator = serializers.CharField(
        help_text="Operating system user who ran the command, or database role of manual SQL; otherwise empty."
    )
    change = serializers.ChoiceField(choices=ActivityOperation.choices)
    kind = serializers.CharField(
        help_text="Type of the object, such as `campaign.judge` or `annotation.design`."
    )
    thing_id = serializers.IntegerField(
        allow_null=True, help_text="Null if several objects were changed at once."
    )
    thing = serializers.CharField(help_text="Name of the object at the time; empty if it has none.")
    things = serializers.IntegerField(help_text="Number of objects changed at once.")
    test_set = serializers.IntegerField(allow_null=True)
    changes = serializers.DictField(
        child=serializers.ListField(child=serializers.JSONField(), min_length=2, max_length=2),
        help_text="Values of each field before and after; for secrets, whether one was set.",
    )

    def to_representation(self, instance: ActivityEvent) -> dict[str, Any]:
        names: Mapping[int, str] = self.context["names"]
        return event_data(instance, names)


@extend_schema_view(
    get=extend_schema(
        operation_id="campaigns_activity",
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
                "kind", str, description="Object type as in the events, such as `campaign.judge`."
            ),
            OpenApiParameter("thing", str, description="Part of the object name."),
            OpenApiParameter("first", date, description="First day, such as 2026-11-22."),
            OpenApiParameter("last", date, description="Last day."),
        ],
    )
)
class ActivityView(generics.ListAPIView[ActivityEvent]):
    """Changes in a campaign with their author, time, old and new values; newest first."""

    serializer_class = ActivityEventSerializer
    pagination_class = CursorPages
    ordering = "-id"

    def get_queryset(self) -> QuerySet[ActivityEvent]:
        form = ActivityFilterForm(self.request.query_params, campaign=self._campaign())
        if not form.is_valid():
            said = {name: [str(each) for each in errors] for name, errors in form.errors.items()}
            raise ValidationError(said)
        return activity_events(campaign=self._campaign(), wanted=form.wanted)

    def paginate_queryset(self, queryset: Any) -> list[Any] | None:
        page: list[Any] | None = super().paginate_queryset(queryset)
        ids = [event.user_id for event in page or () if event.user_id is not None]
        self._names = users_named(campaign=self._campaign(), ids=ids)
        return page

    def get_serializer_context(self) -> dict[str, Any]:
        return {**super().get_serializer_context(), "names": getattr(self, "_names", {})}

    def _campaign(self) -> Campaign:
        if not hasattr(self, "_found"):
            self._found = organised_campaign(self.request, self.kwargs["slug"])
        return self._found
