"""Problem reports of judges."""

from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.serializers import COMMENT_LENGTH, RefusalSerializer
from annotation.api.views import assigned_or_404, judge_or_403, refusal
from annotation.models import ProblemReportKind
from annotation.selectors.judgment_list import own_problem_reports
from annotation.services import SubmissionRefusedError, problem_report
from campaign.api.requests import content_validated


class ProblemReportRequestSerializer(serializers.Serializer[object]):
    block = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=ProblemReportKind.values)
    comment = serializers.CharField(
        required=False, allow_blank=True, max_length=COMMENT_LENGTH, default=""
    )


class ProblemReportSerializer(serializers.Serializer[object]):
    id = serializers.UUIDField(source="client_id")
    block = serializers.UUIDField(source="block.public_id")
    kind = serializers.CharField()
    comment = serializers.CharField()


class AnswerSerializer(serializers.Serializer[object]):
    """What the organisers said of a report."""

    text = serializers.CharField()
    created_at = serializers.DateTimeField()


class OwnProblemReportSerializer(ProblemReportSerializer):
    created_at = serializers.DateTimeField()
    closed = serializers.BooleanField(source="is_closed")
    answers = AnswerSerializer(many=True)


class OwnProblemReportsView(APIView):
    @extend_schema(
        operation_id="judging_problem_reports",
        parameters=[OpenApiParameter("campaign", str, description="Where you judge in several.")],
        responses={200: OwnProblemReportSerializer(many=True)},
    )
    def get(self, request: Request) -> Response:
        """Your latest reports, at most 50, and what the organisers answered."""
        judge = judge_or_403(request, request.query_params.get("campaign"))
        rows = own_problem_reports(judge)
        return Response(OwnProblemReportSerializer(rows, many=True).data)


class ProblemReportView(APIView):
    @extend_schema(
        operation_id="judging_problem_report",
        request=ProblemReportRequestSerializer,
        responses={200: ProblemReportSerializer, 400: RefusalSerializer, 429: RefusalSerializer},
    )
    def put(self, request: Request, client_id: UUID) -> Response:
        """Report a problem with a block; judge or skip it all the same."""
        data = dict(content_validated(ProblemReportRequestSerializer, request.data))
        assigned = assigned_or_404(request, data.pop("block"))
        try:
            report = problem_report(assigned=assigned, client_id=client_id, **data)
        except SubmissionRefusedError as error:
            return refusal(error)
        return Response(ProblemReportSerializer(report).data)
