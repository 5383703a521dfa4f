"""Tables over the test sets of a campaign: which there are, asking for one, and the answers."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import joined_campaign, organised_campaign, reader
from campaign.api.pages import RowPages, paged
from campaign.models import Campaign, JobState
from ranking.analyses import OptionError
from ranking.api.analyses import OptionSerializer
from ranking.campaign_tables import TABLES
from ranking.models import CampaignTable
from ranking.pages.table_file import table_file
from ranking.reports.tables import plain
from ranking.reports.writing import FILES
from ranking.selectors.campaign_tables import TableAnswer, table_answer, table_state
from ranking.services.campaign_tables import TableChoice, table_ask, table_choice

#: Names of kinds, for the description of the API.
TABLE_KINDS = list(TABLES)
_KIND = OpenApiParameter("name", str, "path", enum=TABLE_KINDS)
# Of any name: which there are, the list of tables says, and `completed` refuses others.
_OPTIONS = OpenApiParameter(
    "options",
    {"type": "object", "additionalProperties": {"type": "string"}},
    description="Each option of the table under its own name, as the list of tables has them.",
    style="form",
    explode=True,
)


class TableKindSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    question = serializers.CharField()
    options = OptionSerializer(many=True)


class TableAskedSerializer(serializers.Serializer[Any]):
    """The options of a table; what is not said is as the list of tables says."""

    options = serializers.DictField(required=False, default=dict)


class CampaignTableSerializer(serializers.Serializer[Any]):
    """A table. `answer` is what the command prints as JSON; null before there is one.

    `state` is `done` once there is an answer to the newest question; tables of what is stored anyway always are.
    """

    name = serializers.ChoiceField(choices=TABLE_KINDS)
    options = serializers.DictField()
    state = serializers.ChoiceField(choices=JobState.choices, allow_null=True)
    progress = serializers.FloatField(allow_null=True)
    error = serializers.CharField()
    finished_at = serializers.DateTimeField(allow_null=True)
    code_version = serializers.CharField()
    newer = serializers.IntegerField(help_text="Judgments that are not in the answer.")
    answer = serializers.SerializerMethodField()

    @extend_schema_field(serializers.JSONField(allow_null=True))
    def get_answer(self, said: dict[str, Any]) -> Any:
        return said["answer"]


class CampaignTablesView(APIView):
    pagination_class = RowPages

    @staticmethod
    def row_key(row: Any) -> str:
        """Return what names a row between two pages."""
        return str(row.name)

    @extend_schema(operation_id="campaign_tables_kinds", responses=TableKindSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the tables there are, with all options."""
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
        """Return a table with its newest answer; options are parameters of the address."""
        campaign = organised_campaign(request, slug)
        choice = _choice(name, _asked(request, name))
        return Response(_said(choice, _answer(campaign, choice)))

    @extend_schema(
        operation_id="campaign_tables_ask",
        parameters=[_KIND],
        request=TableAskedSerializer,
        responses={200: CampaignTableSerializer, 202: CampaignTableSerializer},
    )
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Ask: 202 while a worker computes the answer, 200 if it is there.

        Members who only read may ask, too: it changes nothing.
        """
        campaign = joined_campaign(request, slug)
        sent = TableAskedSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        choice = _choice(name, sent.validated_data["options"])
        is_there = choice.is_live
        if not choice.is_live:
            try:
                table = table_ask(campaign=campaign, choice=choice, user=reader(request))
            except OptionError as error:
                raise ValidationError({error.field: [str(error)]}) from error
            is_there = table.finished_at is not None
        return Response(
            _said(choice, _answer(campaign, choice)),
            status=status.HTTP_200_OK if is_there else status.HTTP_202_ACCEPTED,
        )


class CampaignTableReportView(APIView):
    @extend_schema(
        operation_id="campaign_tables_report",
        parameters=[_KIND, _OPTIONS, OpenApiParameter("ending", str, "path", enum=list(FILES))],
        responses={
            (200, file_type): OpenApiTypes.ANY
            if file_type == "application/json"
            else OpenApiTypes.STR
            for _format, file_type in FILES.values()
        },
    )
    def get(self, request: Request, slug: str, name: str, ending: str) -> HttpResponse:
        """Return the newest answer as a file for people, in the language of the request."""
        campaign = organised_campaign(request, slug)
        choice = _choice(name, _asked(request, name))
        report = _answer(campaign, choice).report
        if ending not in FILES or report is None:
            raise NotFound
        return table_file(campaign, choice.kind, report, ending)


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


def _choice(kind: str, options: dict[str, Any]) -> TableChoice:
    if kind not in TABLES:
        raise NotFound
    try:
        return table_choice(kind, options)
    except OptionError as error:
        raise ValidationError({error.field: [str(error)]}) from error


def _answer(campaign: Campaign, choice: TableChoice) -> TableAnswer:
    return table_answer(
        campaign=campaign,
        kind=choice.kind,
        options=dict(choice.options),
        choice_digest=choice.digest,
    )


def _said(choice: TableChoice, answer: TableAnswer) -> dict[str, Any]:
    newest: CampaignTable | None = answer.pending or answer.shown
    job = None if newest is None else newest.job
    state = JobState.DONE.value if choice.is_live else None
    said = {
        "name": choice.kind.name,
        "options": choice.recorded,
        "state": state if newest is None else table_state(newest),
        "progress": None if job is None else job.share,
        "error": "" if job is None else job.error,
        "finished_at": None if answer.shown is None else answer.shown.finished_at,
        "code_version": "" if answer.shown is None else answer.shown.code_version,
        "newer": answer.newer,
        "answer": None if answer.report is None else plain(answer.report.data),
    }
    return dict(CampaignTableSerializer(said).data)
