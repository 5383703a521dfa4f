"""Time sheets of the signed-in judge, and of all judges for organisers."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.judging import CAMPAIGN, JudgeAPIView
from annotation.pages.work_time import (
    TimeSheetFilter,
)
from annotation.selectors.work_time import (
    JudgeTime,
    Worked,
    time_of,
    time_sheet_days,
    work_time,
)
from annotation.services.numbers import waiting_judgments_number
from campaign.api.base import CampaignAPIView
from campaign.api.pagination import CursorPages
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Judge


class WorkedSerializer(PlainSerializer):
    sentences = serializers.IntegerField(
        help_text="Sentences judged or skipped, each counted once.",
    )
    active_seconds = serializers.IntegerField(
        help_text="Sum of `active_ms`, including revisions and skips.",
    )
    untimed = serializers.IntegerField(help_text="Submissions without `active_ms`.")


class DayWorkedSerializer(WorkedSerializer):
    day = serializers.DateField()


class WorkTimeSerializer(PlainSerializer):
    time_zone = serializers.CharField(help_text="Time zone of the days.")
    seconds_left_today = serializers.IntegerField(min_value=1)
    today = DayWorkedSerializer()
    total = WorkedSerializer()
    days = DayWorkedSerializer(many=True, help_text="Days with work, oldest first.")


class WorkTimeView(JudgeAPIView):
    @extend_schema(
        "judging_work_time",
        parameters=[CAMPAIGN],
        responses=WorkTimeSerializer,
    )
    def get(self, request: Request) -> Response:
        """Return your sentences and active time: today, in total, and by day.

        A sentence counts on the day it was first judged or skipped, time on the day it was sent.
        """
        waiting_judgments_number(campaign=self.judge.campaign)
        worked = work_time(self.judge)
        return self.serialized(
            {
                "time_zone": worked.time_zone,
                "seconds_left_today": worked.seconds_left_today,
                "today": {"day": worked.today, **asdict(worked.worked_today)},
                "total": asdict(worked.total),
                "days": _days(worked.days),
            },
            WorkTimeSerializer,
        )


def _days(days: Mapping[date, Worked]) -> list[dict[str, object]]:
    return [{"day": day, **asdict(worked)} for day, worked in days.items()]


class JudgeTimeSerializer(PlainSerializer):
    judge = serializers.CharField()
    total = WorkedSerializer()
    days = DayWorkedSerializer(many=True, help_text="Days with work, oldest first.")


class TimeSheetSerializer(PlainSerializer):
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    time_zone = serializers.CharField(help_text="Time zone of the days.")
    results = JudgeTimeSerializer(many=True)


class TimeSheetView(CampaignAPIView):
    ordering = "pseudonym"

    @extend_schema(
        "campaigns_time_sheet",
        parameters=[
            *(
                OpenApiParameter(
                    name,
                    {"type": "string", "format": "date"},
                    description=description,
                )
                for name, description in (
                    ("first", "First day."),
                    ("last", "Last day."),
                )
            ),
            OpenApiParameter(
                "cursor",
                str,
                description=CursorPages.cursor_query_description,
            ),
            OpenApiParameter(
                "page_size",
                int,
                description=CursorPages.page_size_query_description,
            ),
        ],
        responses=TimeSheetSerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the sentences and active time of each judge by day."""
        waiting_judgments_number(campaign=self.campaign)
        judges = Judge.objects.filter(campaign=self.campaign)
        sheet_filter = TimeSheetFilter.of(request, judges)
        if not sheet_filter.form.is_valid():
            raise ValidationError(dict(sheet_filter.form.errors))
        rows = self.paginate_queryset(
            time_sheet_days(
                campaign=self.campaign,
                judges=judges,
                **sheet_filter.days,
            ),
        )
        page: Any = self.paginator
        return self.serialized(
            {
                "next": page.get_next_link(),
                "previous": page.get_previous_link(),
                "time_zone": self.campaign.zone.title,
                "results": [_judge(time_of(row)) for row in rows or []],
            },
            TimeSheetSerializer,
        )


def _judge(judge_time: JudgeTime) -> dict[str, object]:
    return {
        "judge": judge_time.judge.pseudonym,
        "total": asdict(judge_time.total),
        "days": _days(judge_time.days),
    }
