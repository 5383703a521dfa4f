"""Judges of a task, with their agreement, status and measures."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.selectors.judges import JudgeStatus
from campaign.api.base import TaskAPIView
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Judge
from ranking.api.rankings import JudgeAgreementSerializer
from ranking.pages.judge_measures import JudgeFilter
from ranking.selectors.judges import judges_listed, judges_quality
from ranking.selectors.runs import latest_run


class MeasureResultSerializer(PlainSerializer):
    value = serializers.FloatField()
    evidence = serializers.IntegerField(help_text="Number of comparisons or blocks.")
    low = serializers.FloatField(
        allow_null=True,
        help_text="Lower end of the 95% interval.",
    )
    high = serializers.FloatField(allow_null=True)
    p_value = serializers.FloatField(allow_null=True)


class JudgeSerializer(PlainSerializer):
    pseudonym = serializers.CharField()
    origin = serializers.ChoiceField(choices=Judge.Origin.choices)
    judged = serializers.IntegerField(help_text="Blocks that count.")
    skipped = serializers.IntegerField()
    agreement = JudgeAgreementSerializer(
        help_text="Agreement with the other judges in the latest ranking; κ is null while it cannot be estimated.",
    )
    status = serializers.ChoiceField(choices=[status.value for status in JudgeStatus])
    measures = serializers.DictField(
        child=MeasureResultSerializer(),
        help_text="Available measures by name; see docs/statistics/quality.md.",
    )


class JudgesView(TaskAPIView):
    filterset_class = JudgeFilter
    ordering = "pseudonym"

    @extend_schema("tasks_judges_list", responses=JudgeSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List the judges of a test set, by pseudonym."""
        return self.paginated(
            self.filter_queryset(judges_listed(task=self.task)),
            JudgeSerializer,
        )

    def page_rows(self, page: Any) -> Any:
        return judges_quality(
            task=self.task,
            run=latest_run(task_id=self.task.pk),
            tallies=page,
        )
