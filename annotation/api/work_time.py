"""What a judge has worked: sentences and active time, today, by day and in all."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.views import judge_or_403
from annotation.selectors import work_time


class WorkedSerializer(serializers.Serializer[object]):
    sentences = serializers.IntegerField(
        help_text="Judged or skipped; one that was revised, or skipped and judged later, counts once."
    )
    active_seconds = serializers.IntegerField(
        help_text="As your submissions state it in `active_ms`, revisions and skips included."
    )
    untimed = serializers.IntegerField(
        help_text="Submissions without `active_ms`: no time counts for them."
    )


class DayWorkedSerializer(WorkedSerializer):
    day = serializers.DateField()


class WorkTimeSerializer(serializers.Serializer[object]):
    time_zone = serializers.CharField(help_text="In which days begin and end.")
    seconds_left_today = serializers.IntegerField(min_value=1)
    today = DayWorkedSerializer()
    total = WorkedSerializer()
    days = DayWorkedSerializer(many=True, help_text="Those with work, the first day in front.")


class WorkTimeView(APIView):
    @extend_schema(
        operation_id="judging_work_time",
        parameters=[OpenApiParameter("campaign", str, description="Where you judge in several.")],
        responses={200: WorkTimeSerializer},
    )
    def get(self, request: Request) -> Response:
        """Sentences and active time you have worked: today, in all, and by day.

        A sentence counts on the day it was first judged or skipped, time on the day it was sent.
        """
        judge = judge_or_403(request, request.query_params.get("campaign"))
        worked = work_time(judge)
        data: dict[str, Any] = {
            "time_zone": worked.time_zone,
            "seconds_left_today": worked.seconds_left_today,
            "today": {"day": worked.today, **asdict(worked.worked_today)},
            "total": asdict(worked.total),
            "days": [{"day": day, **asdict(each)} for day, each in worked.days.items()],
        }
        return Response(WorkTimeSerializer(data).data)
