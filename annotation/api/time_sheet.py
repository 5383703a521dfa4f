"""What each judge of a campaign worked, for its organisers."""

from dataclasses import asdict
from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.work_time import DayWorkedSerializer, WorkedSerializer
from annotation.pages.time_sheet_table import DaysForm
from annotation.selectors import JudgeTime
from annotation.selectors.work_time import time_of, time_sheet_days
from campaign.api.access import organised_campaign
from campaign.api.pages import CursorPages
from campaign.models import Judge


class JudgeTimeSerializer(serializers.Serializer[Any]):
    judge = serializers.CharField()
    total = WorkedSerializer()
    days = DayWorkedSerializer(many=True, help_text="Those with work, the first day in front.")


class TimeSheetSerializer(serializers.Serializer[Any]):
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    time_zone = serializers.CharField(help_text="Days begin and end at its midnight.")
    results = JudgeTimeSerializer(many=True)


class TimeSheetView(APIView):
    ordering = "pseudonym"
    pagination_class = CursorPages

    @extend_schema(
        operation_id="campaigns_time_sheet",
        parameters=[
            *(
                OpenApiParameter(name, {"type": "string", "format": "date"}, description=words)
                for name, words in (("first", "The first day."), ("last", "The last day."))
            ),
            OpenApiParameter("cursor", str, description=CursorPages.cursor_query_description),
            OpenApiParameter("page_size", int, description=CursorPages.page_size_query_description),
        ],
        responses=TimeSheetSerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        """Say what each judge worked, by day: sentences and active time. By pseudonym, in pages."""
        campaign = organised_campaign(request, slug)
        days = DaysForm(request.query_params)
        if not days.is_valid():
            raise ValidationError(
                {name: [str(each) for each in words] for name, words in days.errors.items()}
            )
        judges = Judge.objects.filter(campaign=campaign)
        pages = CursorPages()
        rows = pages.paginate_queryset(
            time_sheet_days(judges=judges, **days.cleaned_data), request, self
        )
        shown = {
            "next": pages.get_next_link(),
            "previous": pages.get_previous_link(),
            "time_zone": settings.TIME_ZONE,
            "results": [_judge(time_of(each)) for each in rows or []],
        }
        return Response(TimeSheetSerializer(shown).data)


def _judge(each: JudgeTime) -> dict[str, Any]:
    return {
        "judge": each.judge.pseudonym,
        "total": asdict(each.total),
        "days": [{"day": day, **asdict(worked)} for day, worked in each.days.items()],
    }
