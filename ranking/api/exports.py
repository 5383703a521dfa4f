"""Exports of a task: available data, streams, background exports and files."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from campaign.api.base import IsMember, TaskAPIView, row_or_404
from campaign.api.pagination import RowPages
from campaign.api.plain_serializer import PlainSerializer
from campaign.export.downloads import MEDIA_TYPES, ending, file_answer
from campaign.models import KeptFile, MembershipRole
from campaign.selectors.exported_files import exported_files
from ranking.export.asked import export_queue
from ranking.export.kinds import KINDS, export_formats
from ranking.pages.exports import (
    PART_OF_JSON,
    export_of_member,
    export_stream,
    kinds_offered,
)

#: Names in the schema.
KIND_NAMES = [(name, name) for name in KINDS]
FORMAT_NAMES = [(export_format, export_format) for export_format in export_formats()]
_CONTENT_TYPES = sorted(
    {MEDIA_TYPES[ending(export_format)] for export_format in export_formats()},
)
_STREAMED = (
    "The file. To resume after an interruption, send `watermark` from `Quintet-Watermark`, `after` "
    "with the last number received, and `If-Match` with the `ETag`."
)


def _schema_type(content_type: str) -> OpenApiTypes:
    """Return the schema type of a file: an object for JSON, bytes for other formats."""
    if content_type == "application/json":
        return OpenApiTypes.OBJECT
    return OpenApiTypes.BINARY


_NUMBER: dict[str, Any] = {"min_value": 0, "max_value": 2**63 - 1}


class ExportAskedSerializer(PlainSerializer):
    """Data to export."""

    kind = serializers.ChoiceField(choices=KIND_NAMES)
    file_format = serializers.ChoiceField(choices=FORMAT_NAMES)
    after = serializers.IntegerField(
        default=0,
        help_text="Only rows after this position.",
        **_NUMBER,
    )
    until = serializers.IntegerField(
        required=False,
        help_text="Only rows up to this position (default: all).",
        **_NUMBER,
    )
    watermark = serializers.IntegerField(
        required=False,
        help_text="Determine from judgments up to this number which ones count. Send the `Quintet-Watermark` of the "
        "first part to get further parts of the same file.",
        **_NUMBER,
    )


class ExportedFileSerializer(serializers.ModelSerializer[KeptFile]):
    """An exported file, available until it expires."""

    sha256 = serializers.CharField(source="digest")
    url = serializers.SerializerMethodField(
        help_text="Address of the content; supports range requests.",
    )

    class Meta:
        model = KeptFile
        fields = [
            *(
                "id",
                "kind",
                "file_format",
                "name",
                "after",
                "until",
                "watermark",
                "names_people",
            ),
            "size",
            "sha256",
            "made_at",
            "expires_at",
            "url",
        ]
        read_only_fields = fields

    def get_url(self, file: KeptFile) -> str:
        """Return the address of the file."""
        return str(
            reverse(
                "api-export-content",
                args=[file.task_id, file.pk],
                request=self.context["request"],
            ),
        )


class ExportFormatSerializer(PlainSerializer):
    """A format of a kind."""

    name = serializers.CharField()
    bytes = serializers.IntegerField(help_text="Estimated size of all rows.")
    losses = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Data that the format cannot represent; null if `Not-Carried-Over` of the stream and the result of "
        "the job count it.",
    )


class ExportKindSerializer(PlainSerializer):
    """Data of the task that can be exported."""

    name = serializers.CharField(source="kind.name")
    title = serializers.CharField(source="kind.title")
    description = serializers.CharField(source="kind.description")
    by_number = serializers.BooleanField(
        source="kind.by_number",
        help_text="Row positions are judgment numbers.",
    )
    rows = serializers.IntegerField(
        help_text="Maximum number of rows; a lower bound if `is_more`.",
    )
    is_more = serializers.BooleanField(help_text="More rows exist than were counted.")
    columns = serializers.DictField(
        child=serializers.CharField(),
        help_text="Columns of CSV and Parquet with their descriptions; N stands for a number.",
    )
    formats = ExportFormatSerializer(many=True)


class JobQueuedSerializer(PlainSerializer):
    """A job that a worker does. `jobs/{id}/` has its progress, and its `result` the file of an export."""

    job = serializers.IntegerField(read_only=True)


class ExportAPIView(TaskAPIView):
    """Base class of endpoints for exports of a task, within the rights of the member."""

    @property
    def may_change(self) -> bool:
        task: Any = self.task
        return MembershipRole(task.role).may_change

    def files(self) -> QuerySet[KeptFile]:
        return exported_files(task=self.task, may_change=self.may_change)

    def file(self, export_id: int) -> KeptFile:
        message = "File not found or expired. Request a new export."
        return row_or_404(self.files(), message, pk=export_id)


class ExportsView(ExportAPIView):
    permission_classes = [IsAuthenticated, IsMember]

    @extend_schema("tasks_exports_list", responses=ExportedFileSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List the exported files, newest first."""
        return self.paginated(self.files(), ExportedFileSerializer)

    @extend_schema(
        "exports_ask",
        request=ExportAskedSerializer,
        responses={202: JobQueuedSerializer},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Export a file in the background. Analysts may export too."""
        data = self.validated(ExportAskedSerializer)
        export = export_of_member(task=self.task, parameters=dict(data))
        return self.serialized(
            {"job": export_queue(export=export, by=self.user).pk},
            JobQueuedSerializer,
            status=202,
        )


class ExportKindsView(ExportAPIView):
    pagination_class = RowPages
    row_key = staticmethod(lambda row: row.kind.name)

    @extend_schema("export_kinds", responses=ExportKindSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List the data that can be exported."""
        return self.paginated(
            kinds_offered(task=self.task, may_change=self.may_change),
            ExportKindSerializer,
        )


class ExportStreamView(ExportAPIView):
    sends_file = True

    @extend_schema(
        "export_stream",
        parameters=[ExportAskedSerializer],
        responses={
            **{
                (200, content_type): OpenApiResponse(
                    _schema_type(content_type),
                    description=_STREAMED,
                )
                for content_type in [*_CONTENT_TYPES, PART_OF_JSON]
            },
            403: OpenApiResponse(description="Only organisers can export this."),
            412: OpenApiResponse(
                description="The data has changed since the export began.",
            ),
        },
    )
    def get(self, request: Request, task_id: int) -> HttpResponseBase:
        """Stream an export. `Not-Carried-Over` counts what a format of answers omits."""
        query = ExportAskedSerializer(data=request.query_params)
        query.is_valid(raise_exception=True)
        parameters = dict(query.validated_data)
        return export_stream(
            task=self.task,
            parameters=parameters,
            sent=request.headers,
        )


class ExportView(ExportAPIView):
    @extend_schema("tasks_exports_retrieve", responses=ExportedFileSerializer)
    def get(self, request: Request, task_id: int, export_id: int) -> Response:
        """Return the metadata of an exported file."""
        return self.serialized(self.file(export_id), ExportedFileSerializer)


class ExportContentView(ExportAPIView):
    sends_file = True

    @extend_schema(
        "export_content",
        responses={
            **{
                (status, content_type): _schema_type(content_type)
                for status in (200, 206)
                for content_type in _CONTENT_TYPES
            },
            416: OpenApiResponse(description="Range not satisfiable."),
        },
    )
    def get(self, request: Request, task_id: int, export_id: int) -> HttpResponseBase:
        """Return the file, or the range requested by `Range`."""
        return file_answer(request.headers, self.file(export_id))
