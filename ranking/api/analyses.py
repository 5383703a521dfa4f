"""Analyses of a test set: what can be asked, asking it, and the answers."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from campaign.api.access import readable_task, reader
from campaign.api.pages import CursorPages, RowPages, paged
from campaign.models import JobState, Task
from ranking.analyses import ANALYSES, OptionError
from ranking.analyses.judgments import JUDGMENT_OPTIONS
from ranking.models import Analysis
from ranking.pages.report_file import report_file
from ranking.reports.writing import FILES
from ranking.selectors.analyses import analyses_asked, analyses_of
from ranking.services.analyses import analysis_ask, analysis_choice

#: Names of kinds, for the description of the API.
KINDS = list(ANALYSES)


class OptionSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name
    default = serializers.JSONField()
    choices = serializers.SerializerMethodField(help_text="Empty where anything is allowed.")
    help = serializers.CharField()

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_choices(self, option: Any) -> list[str]:
        return list(option.choices)


class AnalysisKindSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    question = serializers.CharField()
    options = serializers.SerializerMethodField(
        help_text="Those of which judgments count at the end."
    )

    @extend_schema_field(OptionSerializer(many=True))
    def get_options(self, kind: Any) -> Any:
        return OptionSerializer([*kind.options, *JUDGMENT_OPTIONS], many=True).data


class AnalysisAskedSerializer(serializers.Serializer[Any]):
    """A question. What is not said is as `kinds/` says."""

    kind = serializers.ChoiceField(choices=KINDS)
    options = serializers.DictField(required=False, default=dict)
    watermark = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        help_text="Of the judgments up to this number; of all so far if it is not given.",
    )


class RankingAskedSerializer(serializers.Serializer[Any]):
    """A ranking of one's own: the options of the analysis `ranking`, and those of which judgments count."""

    options = serializers.DictField(required=False, default=dict)
    watermark = serializers.IntegerField(required=False, min_value=1, max_value=2**31 - 1)


class AnalysisBriefSerializer(serializers.ModelSerializer[Analysis]):
    """What was asked. `state` is `done` once there is an answer; `error` says why there is none."""

    options = serializers.DictField(source="choice", read_only=True)
    state = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField(help_text="The share that is done, if known.")
    error = serializers.SerializerMethodField()
    address = serializers.SerializerMethodField(help_text="Of the answer.")

    class Meta:
        model = Analysis
        fields = [
            *("id", "kind", "options", "judgments", "watermark", "code_version"),
            *("asked_at", "finished_at", "state", "progress", "error", "address"),
        ]
        read_only_fields = fields

    @extend_schema_field(serializers.ChoiceField(choices=JobState.choices))
    def get_state(self, analysis: Analysis) -> str:
        if analysis.finished_at is not None:
            return str(JobState.DONE)
        return str(JobState.QUEUED if analysis.job is None else analysis.job.state)

    @extend_schema_field(serializers.FloatField(allow_null=True))
    def get_progress(self, analysis: Analysis) -> float | None:
        return None if analysis.job is None else analysis.job.share

    @extend_schema_field(serializers.CharField())
    def get_error(self, analysis: Analysis) -> str:
        return "" if analysis.job is None else analysis.job.error

    @extend_schema_field(serializers.URLField())
    def get_address(self, analysis: Analysis) -> str:
        return reverse(
            "api-analysis",
            args=[analysis.task_id, analysis.pk],
            request=self.context.get("request"),
        )


class AnalysisSerializer(AnalysisBriefSerializer):
    """What was asked, and the answer: what the command of the same kind prints as JSON. Null before there is one."""

    answer = serializers.JSONField(source="data", allow_null=True, read_only=True)

    class Meta(AnalysisBriefSerializer.Meta):
        fields = [*AnalysisBriefSerializer.Meta.fields, "answer"]
        read_only_fields = fields


class AnalysisKindsView(APIView):
    pagination_class = RowPages

    @staticmethod
    def row_key(row: Any) -> str:
        """Return what names a row between two pages."""
        return str(row.name)

    @extend_schema(operation_id="analyses_kinds", responses=AnalysisKindSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """Say what can be asked of the judgments of a task, with all options; it depends on its protocol."""
        kinds = analyses_of(task=readable_task(request, task_id))
        return paged(
            self, list(kinds.values()), lambda page: AnalysisKindSerializer(page, many=True).data
        )


class AnalysesView(generics.ListAPIView[Analysis]):
    """What was asked of a test set, the newest first, without the answers."""

    serializer_class = AnalysisBriefSerializer
    pagination_class = CursorPages
    ordering = "-id"

    def get_queryset(self) -> QuerySet[Analysis]:
        task = readable_task(self.request, self.kwargs["task_id"])
        return analyses_asked(task=task)

    @extend_schema(
        operation_id="analyses_ask",
        request=AnalysisAskedSerializer,
        responses={200: AnalysisSerializer, 202: AnalysisSerializer},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Ask: 202 while a worker computes the answer, which `address` will have; 200 if it is there.

        Members who only read may ask, too: it changes nothing.
        """
        task = readable_task(request, task_id)
        sent = AnalysisAskedSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        return ask(request, task, sent.validated_data["kind"], sent.validated_data)


class AnalysisView(APIView):
    @extend_schema(operation_id="analyses_read", responses=AnalysisSerializer)
    def get(self, request: Request, task_id: int, analysis_id: int) -> Response:
        """Return an analysis with its answer."""
        task = readable_task(request, task_id)
        found = Analysis.objects.of(task.pk).select_related("job").defer("reports")
        analysis = get_object_or_404(found, pk=analysis_id)
        return Response(AnalysisSerializer(analysis, context={"request": request}).data)


class AnalysisReportView(APIView):
    @extend_schema(
        operation_id="analyses_report",
        parameters=[OpenApiParameter("ending", str, "path", enum=list(FILES))],
        responses={
            (200, file_type): OpenApiTypes.ANY
            if file_type == "application/json"
            else OpenApiTypes.STR
            for _format, file_type in FILES.values()
        },
    )
    def get(self, request: Request, task_id: int, analysis_id: int, ending: str) -> HttpResponse:
        """Return the answer as a file for people, in the language of the request."""
        task = readable_task(request, task_id)
        if ending not in FILES:
            raise NotFound
        found = Analysis.objects.of(task.pk).finished()
        return report_file(get_object_or_404(found, pk=analysis_id), ending)


def ask(request: Request, task: Task, kind: str, sent: Mapping[str, Any]) -> Response:
    """Answer a request that asks something of a test set."""
    try:
        analysis = analysis_ask(
            task=task,
            choice=analysis_choice(kind, sent["options"]),
            user=reader(request),
            watermark=sent.get("watermark"),
        )
    except OptionError as error:
        raise ValidationError({error.field: [str(error)]}) from error
    is_there = analysis.finished_at is not None
    return Response(
        AnalysisSerializer(analysis, context={"request": request}).data,
        status=status.HTTP_200_OK if is_there else status.HTTP_202_ACCEPTED,
    )
