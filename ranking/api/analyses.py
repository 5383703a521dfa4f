"""Analyses of a task, and tables over a campaign: available kinds, requests, and answers."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from campaign.api.access import joined_campaign, organised_campaign, readable_task, reader
from campaign.api.pages import CursorPages, RowPages, paged
from campaign.export.downloads import MEDIA_TYPES
from campaign.models import JobState, Task
from ranking.analyses.kind import AnalysisChoice
from ranking.analyses.registry import ANALYSES, TABLES
from ranking.models import Analysis
from ranking.pages.report_shown import answer_file, report_file
from ranking.reports.tables import plain
from ranking.reports.writing import FILES
from ranking.selectors.analyses import analyses_asked, analyses_of
from ranking.selectors.campaign_tables import TableAnswer, table_answer
from ranking.services.analyses import analysis_ask, analysis_choice, table_ask

#: Names of kinds, for the description of the API.
KINDS, TABLE_KINDS = list(ANALYSES), list(TABLES)
#: Files of reports, with their types.
_FILES = {
    (200, MEDIA_TYPES[each]): OpenApiTypes.ANY if each == "json" else OpenApiTypes.STR
    for each in FILES
}
_ENDING = OpenApiParameter("ending", str, "path", enum=list(FILES))


class OptionSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name
    default = serializers.JSONField()
    choices = serializers.SerializerMethodField(
        help_text="Allowed values; empty if any value is allowed."
    )
    help = serializers.CharField()

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_choices(self, option: Any) -> list[str]:
        return list(option.choices)


class TableKindSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    question = serializers.CharField()
    options = OptionSerializer(source="every_option", many=True)


class AnalysisKindSerializer(TableKindSerializer):
    options = OptionSerializer(
        source="every_option", many=True, help_text="The options that select judgments are last."
    )


class AnalysisAskedSerializer(serializers.Serializer[Any]):
    """An analysis to compute. Omitted options have the defaults listed in `kinds/`."""

    kind = serializers.ChoiceField(choices=KINDS)
    options = serializers.DictField(required=False, default=dict)
    watermark = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        help_text="Include judgments up to this number (default: all so far).",
    )


class RankingAskedSerializer(serializers.Serializer[Any]):
    """A custom ranking: options of the analysis `ranking`, including those that select judgments."""

    options = serializers.DictField(required=False, default=dict)
    watermark = serializers.IntegerField(required=False, min_value=1, max_value=2**31 - 1)


def _state(analysis: Analysis) -> str:
    if analysis.finished_at is not None:
        return str(JobState.DONE)
    return str(JobState.QUEUED if analysis.job is None else analysis.job.state)


class AnalysisBriefSerializer(serializers.ModelSerializer[Analysis]):
    """A requested analysis. `state` is `done` once the answer is available; `error` is set if it failed."""

    options = serializers.DictField(source="choice", read_only=True)
    state = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField(help_text="Share completed, if known.")
    error = serializers.SerializerMethodField()
    address = serializers.SerializerMethodField(help_text="Address of the answer.")

    class Meta:
        model = Analysis
        fields = [
            *("id", "kind", "options", "judgments", "watermark", "code_version"),
            *("asked_at", "finished_at", "state", "progress", "error", "address"),
        ]
        read_only_fields = fields

    @extend_schema_field(serializers.ChoiceField(choices=JobState.choices))
    def get_state(self, analysis: Analysis) -> str:
        return _state(analysis)

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
    """A requested analysis with its answer, in the JSON format of the `analyse` command. Null until it is available."""

    answer = serializers.JSONField(source="data", allow_null=True, read_only=True)

    class Meta(AnalysisBriefSerializer.Meta):
        fields = [*AnalysisBriefSerializer.Meta.fields, "answer"]
        read_only_fields = fields


class KindsView(APIView):
    """A list of kinds."""

    pagination_class = RowPages

    @staticmethod
    def row_key(row: Any) -> str:
        """Return the key of a row for paging."""
        return str(row.name)


class AnalysisKindsView(KindsView):
    @extend_schema(operation_id="analyses_kinds", responses=AnalysisKindSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List the analyses available for a task, with their options. They depend on its protocol."""
        kinds = analyses_of(task=readable_task(request, task_id))
        return paged(
            self, list(kinds.values()), lambda page: AnalysisKindSerializer(page, many=True).data
        )


class AnalysesView(generics.ListAPIView[Analysis]):
    """Analyses requested for a test set, newest first, without answers."""

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
        """Request an analysis: 202 while a worker computes the answer, 200 if it is available at `address`.

        Read-only members may request analyses too.
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
        parameters=[_ENDING],
        responses=_FILES,
    )
    def get(self, request: Request, task_id: int, analysis_id: int, ending: str) -> HttpResponse:
        """Return the answer as a file, in the language of the request."""
        task = readable_task(request, task_id)
        if ending not in FILES:
            raise NotFound
        found = Analysis.objects.of(task.pk).finished()
        return answer_file(get_object_or_404(found, pk=analysis_id), ending)


def ask(request: Request, task: Task, kind: str, sent: Mapping[str, Any]) -> Response:
    """Answer a request that asks something of a test set."""
    analysis = analysis_ask(
        task=task,
        choice=analysis_choice(kind, sent["options"]),
        user=reader(request),
        watermark=sent.get("watermark"),
    )
    is_there = analysis.finished_at is not None
    return Response(
        AnalysisSerializer(analysis, context={"request": request}).data,
        status=status.HTTP_200_OK if is_there else status.HTTP_202_ACCEPTED,
    )


_KIND = OpenApiParameter("name", str, "path", enum=TABLE_KINDS)
# Any name is allowed here: the list of tables gives the valid ones, and `completed` refuses others.
_OPTIONS = OpenApiParameter(
    "options",
    {"type": "object", "additionalProperties": {"type": "string"}},
    description="Each option of the table under its own name, as in the list of tables.",
    style="form",
    explode=True,
)


class TableAskedSerializer(serializers.Serializer[Any]):
    """The options of a table. Omitted options have the defaults given in the list of tables."""

    options = serializers.DictField(required=False, default=dict)


class CampaignTableSerializer(serializers.Serializer[Any]):
    """A table. `answer` has the JSON format of the `analyse` command; null until it is available.

    `state` is `done` once the latest request is answered; tables of stored data are always `done`.
    """

    name = serializers.ChoiceField(choices=TABLE_KINDS)
    options = serializers.DictField()
    state = serializers.ChoiceField(choices=JobState.choices, allow_null=True)
    progress = serializers.FloatField(allow_null=True)
    error = serializers.CharField()
    finished_at = serializers.DateTimeField(allow_null=True)
    code_version = serializers.CharField()
    newer = serializers.IntegerField(
        help_text="Newer judgments that are not included in the answer."
    )
    answer = serializers.SerializerMethodField()

    @extend_schema_field(serializers.JSONField(allow_null=True))
    def get_answer(self, said: dict[str, Any]) -> Any:
        return said["answer"]


class CampaignTablesView(KindsView):
    @extend_schema(operation_id="campaign_tables_kinds", responses=TableKindSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the available tables with their options."""
        organised_campaign(request, slug)
        return paged(
            self, list(TABLES.values()), lambda page: TableKindSerializer(page, many=True).data
        )


class CampaignTableView(APIView):
    @extend_schema(
        operation_id="campaign_tables_read",
        parameters=[_KIND, _OPTIONS],
        responses=CampaignTableSerializer,
    )
    def get(self, request: Request, slug: str, name: str) -> Response:
        """Return a table with its latest answer. Options are query parameters."""
        campaign = organised_campaign(request, slug)
        choice = _choice(name, _asked(request, name))
        return Response(_said(choice, table_answer(campaign=campaign, choice=choice)))

    @extend_schema(
        operation_id="campaign_tables_ask",
        parameters=[_KIND],
        request=TableAskedSerializer,
        responses={200: CampaignTableSerializer, 202: CampaignTableSerializer},
    )
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Request a table: 202 while a worker computes it, 200 if it is available.

        Read-only members may request tables too.
        """
        campaign = joined_campaign(request, slug)
        sent = TableAskedSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        choice = _choice(name, sent.validated_data["options"])
        is_there = choice.is_live
        if not choice.is_live:
            table = table_ask(campaign=campaign, choice=choice, user=reader(request))
            is_there = table.finished_at is not None
        return Response(
            _said(choice, table_answer(campaign=campaign, choice=choice)),
            status=status.HTTP_200_OK if is_there else status.HTTP_202_ACCEPTED,
        )


class CampaignTableReportView(APIView):
    @extend_schema(
        operation_id="campaign_tables_report",
        parameters=[_KIND, _OPTIONS, _ENDING],
        responses=_FILES,
    )
    def get(self, request: Request, slug: str, name: str, ending: str) -> HttpResponse:
        """Return the latest answer as a file, in the language of the request."""
        campaign = organised_campaign(request, slug)
        choice = _choice(name, _asked(request, name))
        report = table_answer(campaign=campaign, choice=choice).report
        if ending not in FILES or report is None:
            raise NotFound
        return report_file(report, ending, named=f"{slug}-{name}")


def _asked(request: Request, kind: str) -> dict[str, Any]:
    """Return the options in an address; several values of an option that may have them."""
    if kind not in TABLES:
        raise NotFound
    many = {option.name for option in TABLES[kind].options if option.is_many}
    return {
        name: values if name in many else values[-1]
        for name, values in request.query_params.lists()
        if name not in ("format", "fields")
    }


def _choice(kind: str, options: dict[str, Any]) -> AnalysisChoice:
    if kind not in TABLES:
        raise NotFound
    return analysis_choice(kind, options, of_campaign=True)


def _said(choice: AnalysisChoice, answer: TableAnswer) -> dict[str, Any]:
    asked = answer.asked
    newest = asked.pending or asked.shown
    job = None if newest is None else newest.job
    state = JobState.DONE.value if choice.is_live else None
    said = {
        "name": choice.kind.name,
        "options": choice.recorded,
        "state": state if newest is None else _state(newest),
        "progress": None if job is None else job.share,
        "error": "" if job is None else job.error,
        "finished_at": None if asked.shown is None else asked.shown.finished_at,
        "code_version": "" if asked.shown is None else asked.shown.code_version,
        "newer": asked.newer,
        "answer": None if answer.report is None else plain(answer.report.data),
    }
    return dict(CampaignTableSerializer(said).data)
