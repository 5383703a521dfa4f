"""A campaign at a glance, as its overview shows it."""

from datetime import date
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import organised_campaign
from campaign.api.pages import RowPages, paged
from ranking.selectors.overview import TaskOverview, campaign_overview, day_after


class EndSerializer(serializers.Serializer[Any]):
    """The day on which all blocks wanted will be judged, and its interval of 95 %."""

    expected = serializers.DateField()
    earliest = serializers.DateField()
    latest = serializers.DateField(allow_null=True, help_text="null: days differ too much to say.")


class DayJudgedSerializer(serializers.Serializer[Any]):
    day = serializers.DateField()
    judged = serializers.IntegerField()


class TaskOverviewSerializer(serializers.Serializer[Any]):
    __test__ = False

    id = serializers.IntegerField(source="task.pk")
    test_set = serializers.IntegerField(source="task.test_set_id")
    protocol = serializers.CharField(source="task.protocol")
    name = serializers.CharField(source="task.test_set.name", help_text="Of the test set.")
    closed_at = serializers.DateTimeField(source="task.closed_at", allow_null=True)
    blocks_wanted = serializers.IntegerField(source="task.blocks_wanted", allow_null=True)
    judged = serializers.IntegerField(source="summary.judged", help_text="Blocks.")
    at_work = serializers.IntegerField(help_text="Judges who did something in the last minutes.")
    pace = serializers.FloatField(help_text="Blocks a day, of the last whole days of a week.")
    low_agreement = serializers.IntegerField(
        help_text="Judges who agree with the others less than these do."
    )
    open_problem_reports = serializers.IntegerField(source="open_reports")
    days = DayJudgedSerializer(many=True, help_text="The last fourteen, today among them.")
    end = serializers.SerializerMethodField(help_text="null: it cannot be said yet.")

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
        """Return what names a row between two pages."""
        return row.task.pk

    @extend_schema(operation_id="campaigns_overview", responses=TaskOverviewSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Say of each test set how far it is, its pace and when it will end."""
        campaign = organised_campaign(request, slug)
        rows: Any = campaign_overview(campaign=campaign)
        return paged(self, rows, lambda page: TaskOverviewSerializer(page, many=True).data)
