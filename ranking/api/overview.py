"""A campaign at a glance, and its alerts."""

from datetime import date
from typing import Any, cast

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import organised_campaign, reader
from campaign.api.pages import RowPages, paged
from campaign.models import Membership
from campaign.services.people import daily_alerts_set
from ranking.selectors.alerts import Alert, AlertKind, alerts_of_campaigns
from ranking.selectors.overview import TaskOverview, campaign_overview, day_after


class EndSerializer(serializers.Serializer[Any]):
    """Expected date of the last judgment needed, with its 95% interval."""

    expected = serializers.DateField()
    earliest = serializers.DateField()
    latest = serializers.DateField(allow_null=True, help_text="Null if daily pace varies too much.")


class DayJudgedSerializer(serializers.Serializer[Any]):
    day = serializers.DateField()
    judged = serializers.IntegerField()


class TaskOverviewSerializer(serializers.Serializer[Any]):
    __test__ = False

    id = serializers.IntegerField(source="task.pk")
    test_set = serializers.IntegerField(source="task.test_set_id")
    protocol = serializers.CharField(source="task.protocol")
    name = serializers.CharField(source="task.test_set.name", help_text="Name of the test set.")
    closed_at = serializers.DateTimeField(source="task.closed_at", allow_null=True)
    blocks_wanted = serializers.IntegerField(source="task.blocks_wanted", allow_null=True)
    judged = serializers.IntegerField(source="summary.judged", help_text="Blocks judged.")
    at_work = serializers.IntegerField(help_text="Judges active in the last minutes.")
    pace = serializers.FloatField(help_text="Blocks per day, over the full days of the last week.")
    low_agreement = serializers.IntegerField(help_text="Judges with low agreement.")
    open_problem_reports = serializers.IntegerField(source="open_reports")
    days = DayJudgedSerializer(many=True, help_text="The last 14 days, including today.")
    end = serializers.SerializerMethodField(help_text="Null while there is not enough data.")

    @extend_schema_field(EndSerializer(allow_null=True))
    def get_end(self, each: TaskOverview) -> dict[str, Any] | None:
        if each.end is None:
            return None
        days = {"expected": each.end.days, "earliest": each.end.low, "latest": each.end.high}
        shown: dict[str, Any] = EndSerializer({name: _day(at) for name, at in days.items()}).data
        return shown


def _day(days: float | None) -> date | None:
    return None if days is None else day_after(timezone.localdate(), days)


class OverviewView(APIView):
    pagination_class = RowPages

    @staticmethod
    def row_key(row: TaskOverview) -> int:
        """Return the key of a row for paging."""
        return row.task.pk

    @extend_schema(operation_id="campaigns_overview", responses=TaskOverviewSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return the progress, pace and forecast of each test set."""
        campaign = organised_campaign(request, slug)
        rows: Any = campaign_overview(campaign=campaign)
        return paged(self, rows, lambda page: TaskOverviewSerializer(page, many=True).data)


class AlertSerializer(serializers.Serializer[Alert]):
    kind = serializers.ChoiceField(choices=AlertKind.choices)
    task = serializers.IntegerField(source="task_id", allow_null=True)
    what = serializers.CharField(help_text="Problem, in the language of the request.")
    why = serializers.CharField()
    to_do = serializers.CharField(source="button", help_text="Recommended action.")
    address = serializers.SerializerMethodField(help_text="Page for this action.")

    def get_address(self, alert: Alert) -> str:
        request: Request = self.context["request"]
        address: str = request.build_absolute_uri(alert.address)
        return address


class AlertsView(APIView):
    pagination_class = RowPages

    @staticmethod
    def row_key(row: Alert) -> str:
        """Return the key of a row for paging."""
        return f"{row.kind} {row.task_id} {row.address}"

    @extend_schema(operation_id="campaigns_alerts", responses=AlertSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List problems that need an organiser, each with a recommended action."""
        campaign = organised_campaign(request, slug)
        alerts = alerts_of_campaigns(campaigns=[campaign])[campaign.pk]

        def shown(page: list[Alert]) -> Any:
            return AlertSerializer(cast("Any", page), many=True, context={"request": request}).data

        return paged(self, alerts, shown)


class AlertMailSerializer(serializers.Serializer[Any]):
    daily = serializers.BooleanField(help_text="Whether you receive a daily mail about alerts.")


class AlertMailView(APIView):
    @extend_schema(operation_id="alert_mail_read", responses=AlertMailSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return whether you receive the daily mail about alerts of this campaign. Analysts do not receive it."""
        return Response({"daily": _membership(request, slug).daily_alerts})

    @extend_schema(
        operation_id="alert_mail_change", request=AlertMailSerializer, responses=AlertMailSerializer
    )
    def put(self, request: Request, slug: str) -> Response:
        """Turn your daily mail on or off."""
        membership = _membership(request, slug)
        sent = AlertMailSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        daily_alerts_set(membership=membership, wanted=sent.validated_data["daily"])
        return Response({"daily": membership.daily_alerts})


def _membership(request: Request, slug: str) -> Membership:
    campaign = organised_campaign(request, slug)
    return Membership.objects.select_related("user").get(campaign=campaign, user=reader(request))
