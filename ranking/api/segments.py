"""A segment with the results of its outputs."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.base import TaskAPIView
from campaign.api.plain_serializer import PlainSerializer
from ranking.selectors.one_system import MOST, SegmentJudged, segment_judged


class OutputJudgedSerializer(PlainSerializer):
    text = serializers.CharField(allow_null=True, help_text="Null if unknown.")
    systems = serializers.ListField(child=serializers.CharField())
    judgments = serializers.IntegerField(help_text="Judgments in which it has a rank.")
    mean_rank = serializers.FloatField(allow_null=True)
    won = serializers.IntegerField(
        help_text="Comparisons won against other outputs of the segment.",
    )
    lost = serializers.IntegerField()
    tied = serializers.IntegerField()
    expected_wins = serializers.FloatField(
        allow_null=True,
        help_text="Mean share of decided comparisons won against each other output of the segment.",
    )


class SegmentJudgedSerializer(serializers.Serializer[SegmentJudged]):
    """A segment with its distinct outputs, best first, by its latest judgments that count."""

    number = serializers.IntegerField(source="segment.number")
    document = serializers.CharField(source="segment.document.name")
    position = serializers.IntegerField(source="segment.position")
    source = serializers.CharField(  # type: ignore[assignment]  # a field of this name
        source="segment.source_text",
        allow_null=True,
        help_text="Null if unknown.",
    )
    references = serializers.ListField(child=serializers.CharField())
    outputs = OutputJudgedSerializer(many=True)
    counted = serializers.IntegerField(
        help_text="Judgments counted: without controls, corrected judgments and excluded judges.",
    )
    judgments = serializers.SerializerMethodField(
        help_text=f"Numbers of all judgments of it, the latest first, at most {MOST}.",
    )
    skips = serializers.SerializerMethodField(help_text=f"How many, at most {MOST}.")
    problem_reports = serializers.SerializerMethodField(
        help_text=f"How many, at most {MOST}.",
    )

    def get_judgments(self, judged: SegmentJudged) -> list[int]:
        return [row.number for row in judged.judgments]

    def get_skips(self, judged: SegmentJudged) -> int:
        return len(judged.skips)

    def get_problem_reports(self, judged: SegmentJudged) -> int:
        return len(judged.reports)


class SegmentView(TaskAPIView):
    @extend_schema("segments_judged", responses=SegmentJudgedSerializer)
    def get(self, request: Request, task_id: int, number: int) -> Response:
        """Return a segment with the results of its outputs."""
        judged = segment_judged(task=self.task, number=number)
        if judged is None:
            raise NotFound
        return self.serialized(judged, SegmentJudgedSerializer)
