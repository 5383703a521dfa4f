"""Analyses of a task, and tables over a campaign: available kinds, requests, and answers."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from campaign.api.base import CampaignAPIView, IsMember, TaskAPIView
from campaign.api.pagination import RowPages
from campaign.api.plain_serializer import PlainSerializer
from campaign.export.downloads import MEDIA_TYPES
from campaign.models import JobState
from ranking.models import Analysis
from ranking.pages.report_shown import answer_file, report_file
from ranking.reports import Report
from ranking.reports.analyses.kind import AnalysisChoice
from ranking.reports.analyses.registry import ANALYSES, TABLES
from ranking.reports.tables import plain
from ranking.reports.writing import FILES
from ranking.selectors.analyses import (
    Answered,
    analyses_of,
    requested_analyses,
    table_answer,
)
from ranking.services.analyses import analysis_ask, analysis_choice, table_ask

#: Names of kinds, for the API schema.
KINDS = list(ANALYSES)
TABLE_KINDS = list(TABLES)
#: Files of reports, with their types.
_FILES = {
    (200, MEDIA_TYPES[file]): OpenApiTypes.ANY if file == "json" else OpenApiTypes.STR
    for file in FILES
}
_ENDING = OpenApiParameter("ending", str, "path", enum=list(FILES))


class OptionSerializer(PlainSerializer):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name
    default = serializers.JSONField()
    choices = serializers.ListField(
        child=serializers.CharField(),
        help_text="Allowed values; empty if any value is allowed.",
    )
    help = serializers.CharField()


class TableKindSerializer(PlainSerializer):
    name = serializers.CharField()
    title = serializers.CharField()
    question = serializers.CharField()
    options = OptionSerializer(source="every_option", many=True)


class AnalysisKindSerializer(TableKindSerializer):
    options = OptionSerializer(
        source="every_option",
        many=True,
        help_text="The options that select judgments are last.",
    )


class TableAskedSerializer(PlainSerializer):
    """The options of a table. Omitted options have the defaults given in the list of tables."""

    options = serializers.DictField(required=False, default=dict)


class RankingAskedSerializer(TableAskedSerializer):
    """A custom ranking: options of the analysis `ranking`, including those that select judgments."""

    watermark = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        help_text="Include judgments up to this number (default: all so far).",
    )


class AnalysisAskedSerializer(RankingAskedSerializer):
    """An analysis to compute. Omitted options have the defaults listed in `kinds/`."""

    kind = serializers.ChoiceField(choices=KINDS)


def _state(analysis: Analysis) -> str:
    if analysis.finished_at is not None:
        return str(JobState.DONE)
    if analysis.job is None:
        return str(JobState.QUEUED)
    return str(analysis.job.state)


class AnalysisBriefSerializer(serializers.ModelSerializer[Analysis]):
    """A requested analysis. `state` is `done` once the answer is available; `error` is set if it failed."""

    options = serializers.DictField(source="choice", read_only=True)
    state = serializers.SerializerMethodField()
    progress = serializers.FloatField(
        source="job.share",
        read_only=True,
        default=None,
        allow_null=True,
        help_text="Share completed, if known.",
    )
    error = serializers.CharField(source="job.error", read_only=True, default="")
    address = serializers.SerializerMethodField(help_text="Address of the answer.")

    class Meta:
        model = Analysis
        fields = [
            "id",
            "kind",
            "options",
            "judgments",
            "watermark",
            "code_version",
            "asked_at",
            "finished_at",
            "state",
            "progress",
            "error",
            "address",
        ]
        read_only_fields = fields

    @extend_schema_field(serializers.ChoiceField(choices=JobState.choices))
    def get_state(self, analysis: Analysis) -> str:
        return _state(analysis)

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


class AnalysisKindsView(TaskAPIView):
    pagination_class = RowPages
    row_key = attrgetter("name")

    @extend_schema("analyses_kinds", responses=AnalysisKindSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List the analyses available for a task, with their options. They depend on its protocol."""
        kinds = list(analyses_of(task=self.task).values())
        return self.paginated(kinds, AnalysisKindSerializer)


class AnalysesView(TaskAPIView):
    permission_classes = [IsAuthenticated, IsMember]

    @extend_schema("tasks_analyses_list", responses=AnalysisBriefSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List the analyses requested for a test set, newest first, without answers."""
        return self.paginated(
            requested_analyses(task=self.task),
            AnalysisBriefSerializer,
        )

    @extend_schema(
        "analyses_ask",
        request=AnalysisAskedSerializer,
        responses={200: AnalysisSerializer, 202: AnalysisSerializer},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Request an analysis: 202 while a worker computes the answer, 200 if it is available at `address`.

        Read-only members may request analyses too.
        """
        data = self.validated(AnalysisAskedSerializer)
        return ask(self, data["kind"], data)


class AnalysisView(TaskAPIView):
    @extend_schema("analyses_read", responses=AnalysisSerializer)
    def get(self, request: Request, task_id: int, analysis_id: int) -> Response:
        """Return an analysis with its answer."""
        analyses = Analysis.objects.of(self.task.pk).select_related("job")
        analysis = get_object_or_404(analyses.defer("reports"), pk=analysis_id)
        return self.serialized(analysis, AnalysisSerializer)


class AnalysisReportView(TaskAPIView):
    sends_file = True

    @extend_schema("analyses_report", parameters=[_ENDING], responses=_FILES)
    def get(
        self,
        request: Request,
        task_id: int,
        analysis_id: int,
        ending: str,
    ) -> HttpResponse:
        """Return the answer as a file, in the language of the request."""
        if ending not in FILES:
            raise NotFound
        finished = Analysis.objects.of(self.task.pk).finished()
        return answer_file(get_object_or_404(finished, pk=analysis_id), ending)


def ask(view: TaskAPIView, kind: str, data: dict[str, Any]) -> Response:
    """Answer a request for an analysis: 200 if it is available, 202 while a worker computes it."""
    analysis = analysis_ask(
        task=view.task,
        choice=analysis_choice(kind, data["options"]),
        user=view.user,
        watermark=data.get("watermark"),
    )
    status = 200 if analysis.finished_at else 202
    return view.serialized(analysis, AnalysisSerializer, status=status)


_KIND = OpenApiParameter("name", str, "path", enum=TABLE_KINDS)
# Any name is allowed here: the list of tables has the valid ones, and `completed` refuses others.
_OPTIONS = OpenApiParameter(
    "options",
    {"type": "object", "additionalProperties": {"type": "string"}},
    description="Each option of the table under its own name, as in the list of tables.",
    style="form",
    explode=True,
)


class CampaignTableSerializer(PlainSerializer):
    """A table. `answer` has the JSON format of the `analyse` command; null until it is available.

    `state` is `done` once the latest request is answered; tables of stored data are always `done`.
    """

    name = serializers.ChoiceField(choices=TABLE_KINDS, source="choice.kind.name")
    options = serializers.DictField(source="choice.recorded")
    state = serializers.ChoiceField(choices=JobState.choices, allow_null=True)
    progress = serializers.FloatField(source="newest.job.share", allow_null=True)
    error = serializers.CharField()
    finished_at = serializers.DateTimeField(
        source="answered.finished.finished_at",
        allow_null=True,
    )
    code_version = serializers.CharField()
    newer = serializers.IntegerField(
        source="answered.newer",
        help_text="Newer judgments that are not included in the answer.",
    )
    answer = serializers.JSONField(allow_null=True)


class CampaignTablesView(CampaignAPIView):
    pagination_class = RowPages
    row_key = attrgetter("name")

    @extend_schema("campaign_tables_kinds", responses=TableKindSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the available tables with their options."""
        return self.paginated(list(TABLES.values()), TableKindSerializer)


class CampaignTableView(CampaignAPIView):
    permission_classes = [IsAuthenticated, IsMember]

    @extend_schema(
        "campaign_tables_read",
        parameters=[_KIND, _OPTIONS],
        responses=CampaignTableSerializer,
    )
    def get(self, request: Request, slug: str, name: str) -> Response:
        """Return a table with its latest answer. Options are query parameters."""
        choice = _choice(name, _options_in_address(request, name))
        table = _Table(choice, *table_answer(campaign=self.campaign, choice=choice))
        return self.serialized(table, CampaignTableSerializer)

    @extend_schema(
        "campaign_tables_ask",
        parameters=[_KIND],
        request=TableAskedSerializer,
        responses={200: CampaignTableSerializer, 202: CampaignTableSerializer},
    )
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Request a table: 202 while a worker computes it, 200 if it is available.

        Read-only members may request tables too.
        """
        data = self.validated(TableAskedSerializer)
        choice = _choice(name, data["options"])
        status = 200
        if not choice.is_live:
            requested = table_ask(campaign=self.campaign, choice=choice, user=self.user)
            if requested.finished_at is None:
                status = 202
        table = _Table(choice, *table_answer(campaign=self.campaign, choice=choice))
        return self.serialized(table, CampaignTableSerializer, status=status)


class CampaignTableReportView(CampaignAPIView):
    sends_file = True

    @extend_schema(
        "campaign_tables_report",
        parameters=[_KIND, _OPTIONS, _ENDING],
        responses=_FILES,
    )
    def get(self, request: Request, slug: str, name: str, ending: str) -> HttpResponse:
        """Return the latest answer as a file, in the language of the request."""
        choice = _choice(name, _options_in_address(request, name))
        report, _stored = table_answer(campaign=self.campaign, choice=choice)
        if ending not in FILES or report is None:
            raise NotFound
        return report_file(report, ending, named=f"{self.campaign.slug}-{name}")


def _options_in_address(request: Request, kind: str) -> dict[str, Any]:
    """Return the options in an address; a list for options with several values."""
    if kind not in TABLES:
        raise NotFound
    options: dict[str, Any] = {}
    for name, values in request.query_params.lists():
        options[name] = values[-1]
    options.pop("format", None)
    for option in TABLES[kind].options:
        if option.is_many and option.name in options:
            options[option.name] = request.query_params.getlist(option.name)
    return options


def _choice(kind: str, options: dict[str, Any]) -> AnalysisChoice:
    if kind not in TABLES:
        raise NotFound
    return analysis_choice(kind, options, of_campaign=True)


@dataclass(frozen=True, slots=True)
class _Table:
    """The content of a `CampaignTableSerializer`."""

    choice: AnalysisChoice
    report: Report | None
    answered: Answered

    @property
    def newest(self) -> Analysis | None:
        return self.answered.pending or self.answered.finished

    @property
    def state(self) -> str | None:
        if self.newest is not None:
            return _state(self.newest)
        if self.choice.is_live:
            return JobState.DONE.value
        return None

    @property
    def error(self) -> str:
        if self.newest is None or self.newest.job is None:
            return ""
        return self.newest.job.error

    @property
    def code_version(self) -> str:
        analysis = self.answered.finished
        return "" if analysis is None else analysis.code_version

    @property
    def answer(self) -> Any:
        return None if self.report is None else plain(self.report.data)
