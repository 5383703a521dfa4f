"""A campaign at a glance, and its alerts."""

from datetime import date
from operator import attrgetter

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.base import CampaignAPIView
from campaign.api.pagination import RowPages
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Membership
from campaign.services.members import daily_alerts_set
from desk.selectors.alerts import Alert, AlertKind, alerts_of_campaigns
from ranking.selectors.dashboards import TaskOverview, campaign_overview, day_after


class EndSerializer(PlainSerializer):
    """Expected date of the last judgment needed, with its 95% interval."""

    expected = serializers.DateField()
    earliest = serializers.DateField()
    latest = serializers.DateField(
        allow_null=True,
        help_text="Null if daily pace varies too much.",
    )


class DayJudgedSerializer(PlainSerializer):
    day = serializers.DateField()
    judged = serializers.IntegerField(source="counted")


class TaskOverviewSerializer(PlainSerializer):
    __test__ = False

    id = serializers.IntegerField(source="task.pk")
    test_set = serializers.IntegerField(source="task.test_set_id")
    protocol = serializers.CharField(source="task.protocol")
    name = serializers.CharField(
        source="task.test_set.name",
        help_text="Name of the test set.",
    )
    closed_at = serializers.DateTimeField(source="task.closed_at", allow_null=True)
    blocks_wanted = serializers.IntegerField(
        source="task.blocks_wanted",
        allow_null=True,
    )
    judged = serializers.IntegerField(help_text="Blocks judged.")
    counted = serializers.IntegerField(
        help_text="Blocks judged that count toward `blocks_wanted`: not those of judges whom the ranking leaves out.",
    )
    at_work = serializers.IntegerField(help_text="Judges active in the last minutes.")
    pace = serializers.FloatField(
        help_text="Blocks per day, over the full days of the last week.",
    )
    low_agreement = serializers.IntegerField(help_text="Judges with low agreement.")
    open_problem_reports = serializers.IntegerField(source="open_reports")
    days = DayJudgedSerializer(
        many=True,
        help_text="Blocks of `counted` that people judged on each of the last 14 days, including today.",
    )
    end = serializers.SerializerMethodField(
        help_text="Null while there is not enough data.",
    )

    @extend_schema_field(EndSerializer(allow_null=True))
    def get_end(self, overview: TaskOverview) -> dict[str, str | None] | None:
        if overview.end is None:
            return None
        today = timezone.localdate(timezone=overview.task.test_set.campaign.zone)
        days = {
            "expected": _day(today, overview.end.days),
            "earliest": _day(today, overview.end.low),
            "latest": _day(today, overview.end.high),
        }
        end: dict[str, str | None] = EndSerializer(days).data
        return end


def _day(today: date, days: float | None) -> date | None:
    if days is None:
        return None
    return day_after(today, days)


class OverviewView(CampaignAPIView):
    pagination_class = RowPages
    row_key = attrgetter("task.pk")

    @extend_schema("campaigns_overview", responses=TaskOverviewSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return the progress, pace and forecast of each test set."""
        return self.paginated(
            campaign_overview(campaign=self.campaign),
            TaskOverviewSerializer,
        )


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


class AlertsView(CampaignAPIView):
    pagination_class = RowPages
    row_key = attrgetter("kind", "task_id", "address")

    @extend_schema("campaigns_alerts", responses=AlertSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List problems that need an organiser, each with a recommended action."""
        return self.paginated(
            alerts_of_campaigns(campaigns=[self.campaign])[self.campaign.pk],
            AlertSerializer,
        )


class AlertMailSerializer(PlainSerializer):
    daily = serializers.BooleanField(
        source="daily_alerts",
        help_text="Whether you receive a daily mail about alerts.",
    )


class AlertMailView(CampaignAPIView):
    def membership(self) -> Membership:
        rows = Membership.objects.select_related("user")
        return rows.get(campaign=self.campaign, user=self.user)

    @extend_schema("alert_mail_read", responses=AlertMailSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return whether you receive the daily mail about alerts of this campaign. Analysts do not receive it."""
        return self.serialized(self.membership(), AlertMailSerializer)

    @extend_schema(
        "alert_mail_change",
        request=AlertMailSerializer,
        responses=AlertMailSerializer,
    )
    def put(self, request: Request, slug: str) -> Response:
        """Turn your daily mail on or off."""
        data = self.validated(AlertMailSerializer)
        membership = self.membership()
        daily_alerts_set(membership=membership, daily_alerts=data["daily_alerts"])
        return self.serialized(membership, AlertMailSerializer)
