"""A segment and what its judges made of it, for the members of a campaign."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import readable_task
from ranking.selectors.segment_judged import MOST, SegmentJudged, segment_judged


class OutputJudgedSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(allow_null=True, help_text="null: not known.")
    systems = serializers.ListField(child=serializers.CharField())
    judgments = serializers.IntegerField(help_text="In which it got a rank.")
    mean_rank = serializers.FloatField(allow_null=True)
    won = serializers.IntegerField(help_text="Comparisons with other outputs of the segment.")
    lost = serializers.IntegerField()
    tied = serializers.IntegerField()
    expected_wins = serializers.FloatField(
        allow_null=True,
        help_text="The mean share of decided comparisons won against each other output of the segment.",
    )


class SegmentJudgedSerializer(serializers.Serializer[SegmentJudged]):
    """A segment with its distinct outputs, best first, by its latest judgments that count."""

    number = serializers.IntegerField(source="segment.number")
    document = serializers.CharField(source="segment.document.name")
    position = serializers.IntegerField(source="segment.position")
    source = serializers.CharField(  # type: ignore[assignment]  # a field of this name
        source="segment.source_text", allow_null=True, help_text="null: not known."
    )
    references = serializers.ListField(child=serializers.CharField())
    outputs = OutputJudgedSerializer(many=True)
    counted = serializers.IntegerField(
        help_text="Judgments that the figures are of: no controls, none corrected later, by nobody who is excluded."
    )
    judgments = serializers.SerializerMethodField(
        help_text=f"Numbers of all judgments of it, the latest first, at most {MOST}."
    )
    skips = serializers.SerializerMethodField(help_text=f"How many, at most {MOST}.")
    problem_reports = serializers.SerializerMethodField(help_text=f"How many, at most {MOST}.")

    def get_judgments(self, found: SegmentJudged) -> list[int]:
        return [row.number for row in found.judgments]

    def get_skips(self, found: SegmentJudged) -> int:
        return len(found.skips)

    def get_problem_reports(self, found: SegmentJudged) -> int:
        return len(found.reports)


class SegmentJudgedView(APIView):
    @extend_schema(operation_id="segments_judged", responses=SegmentJudgedSerializer)
    def get(self, request: Request, task_id: int, number: int) -> Response:
        """Return a segment by its number, and what its judges made of its outputs."""
        task = readable_task(request, task_id)
        found = segment_judged(task=task, number=number)
        if found is None:
            raise NotFound
        return Response(SegmentJudgedSerializer(found).data)
