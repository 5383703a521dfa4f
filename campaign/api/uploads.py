"""Uploads of texts in parts, and the jobs that check and import them, for the organisers of a campaign."""

from typing import Any
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from campaign.api.base import CampaignAPIView, refused_at, row_or_404
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.requests import BodyParser, body_of
from campaign.formats.recognising import FileRole
from campaign.models import Job, KeptFile, Upload
from campaign.selectors.jobs import jobs_of
from campaign.selectors.uploads import drafts, uploads_read
from campaign.services.jobs import job_cancel, job_retry
from campaign.services.uploads import (
    MAX_PART_BYTES,
    UploadRefusedError,
    received,
    upload_begin,
    upload_change,
    upload_check,
    upload_file_add,
    upload_file_remove,
    upload_give_up,
    upload_import,
    upload_part_store,
)
from campaign.texts.languages import LanguageTagError


class BytesParser(BodyParser):
    """Passes on a part of a file unchanged."""

    media_type = "application/octet-stream"
    most_bytes = MAX_PART_BYTES


class JobSerializer(serializers.ModelSerializer[Job]):
    """Background job: `done` of `total` bytes; `result` once it is done, `error` if it failed."""

    class Meta:
        model = Job
        fields = [
            "id",
            "kind",
            "name",
            "state",
            "done",
            "total",
            "error",
            "result",
            "attempts",
            "created_at",
            "started_at",
            "finished_at",
            "cancel_asked_at",
        ]
        read_only_fields = fields


class UploadedFileSerializer(serializers.ModelSerializer[KeptFile]):
    size = serializers.IntegerField(read_only=True, min_value=0, max_value=2**63 - 1)
    received = serializers.SerializerMethodField(help_text="Bytes received.")
    content = serializers.SerializerMethodField(
        help_text="URL for the next part, sent with `?offset=` set to the bytes received.",
    )

    class Meta:
        model = KeptFile
        fields = ["id", "name", "size", "received", "content"]
        read_only_fields = fields

    def get_received(self, file: KeptFile) -> int:
        byte_count = getattr(file, "bytes_received", None)
        if byte_count is None:
            return received(file)
        return int(byte_count)

    def get_content(self, file: KeptFile) -> str:
        args = [self.context["view"].kwargs["slug"], file.upload_id, file.pk]
        return str(reverse("api-upload-content", args=args))


class ChosenRoleSerializer(PlainSerializer):
    role = serializers.ChoiceField(choices=[str(role) for role in FileRole])
    system = serializers.CharField(required=False, allow_blank=True, max_length=200)


class UploadSerializer(serializers.ModelSerializer[Upload]):
    """Files that are to become a test set. `report` holds the findings of the last check."""

    files = UploadedFileSerializer(many=True, read_only=True, source="sent")
    roles = serializers.DictField(
        child=ChosenRoleSerializer(),
        required=False,
        help_text="Chosen roles, by file name.",
    )
    job = JobSerializer(
        allow_null=True,
        read_only=True,
        help_text="Latest check or import.",
    )

    class Meta:
        model = Upload
        fields = [
            "id",
            "name",
            "source_language",
            "target_language",
            "by_paragraph",
            "common_documents",
            "reference_use",
            "protocol",
            "preset",
            "blocks_wanted",
            "roles",
            "files",
            "report",
            "job",
            "test_set",
            "created_at",
            "changed_at",
        ]
        read_only_fields = ["id", "report", "test_set", "created_at", "changed_at"]


class FileSentSerializer(PlainSerializer):
    name = serializers.CharField(
        max_length=500,
        help_text="File name, including folders.",
    )
    size = serializers.IntegerField(min_value=1, max_value=2**62)


class ReceivedSerializer(PlainSerializer):
    received = serializers.IntegerField(help_text="Bytes received.")
    detail = serializers.CharField(required=False)


class _UploadAPIView(CampaignAPIView):
    ordering = "-created_at"

    def upload(self, upload_id: UUID) -> Upload:
        message = "Upload not found in this campaign."
        upload = row_or_404(
            Upload.objects.filter(campaign=self.campaign),
            message,
            pk=upload_id,
        )
        upload.campaign = self.campaign
        return upload

    def file(self, upload_id: UUID, file_id: int) -> KeptFile:
        upload = self.upload(upload_id)
        message = "File not found in this upload."
        file = row_or_404(KeptFile.objects.filter(upload=upload), message, pk=file_id)
        file.upload = upload
        return file

    def page_rows(self, page: Any) -> Any:
        return uploads_read(campaign=self.campaign, uploads=page)

    def upload_with_files(self, upload: Upload) -> Upload:
        self.page_rows([upload])
        return upload


class UploadsView(_UploadAPIView):
    @extend_schema("uploads_list", responses=UploadSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the uploads that have not been imported yet, newest first."""
        return self.paginated(drafts(campaign=self.campaign), UploadSerializer)

    @extend_schema("uploads_create", request=None, responses={201: UploadSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Begin an upload."""
        upload = upload_begin(campaign=self.campaign, user=self.user)
        return self.serialized(
            self.upload_with_files(self.upload(upload.pk)),
            UploadSerializer,
            status=201,
        )


class UploadView(_UploadAPIView):
    @extend_schema("uploads_read", responses=UploadSerializer)
    def get(self, request: Request, slug: str, upload_id: UUID) -> Response:
        """Return an upload with its files and the findings about them."""
        return self.serialized(
            self.upload_with_files(self.upload(upload_id)),
            UploadSerializer,
        )

    @extend_schema(
        "uploads_change",
        request=UploadSerializer,
        responses=UploadSerializer,
    )
    def patch(self, request: Request, slug: str, upload_id: UUID) -> Response:
        """Set name, languages, roles of files and use of the reference; omitted fields stay unchanged."""
        data = self.validated(UploadSerializer)
        with refused_at("detail", LanguageTagError):
            upload = upload_change(upload=self.upload(upload_id), **data)
        return self.serialized(self.upload_with_files(upload), UploadSerializer)

    @extend_schema("uploads_give_up", request=None, responses={204: None})
    def delete(self, request: Request, slug: str, upload_id: UUID) -> Response:
        """Discard the files, and stop the job that uses them."""
        upload_give_up(upload=self.upload(upload_id))
        return Response(status=204)


class UploadFilesView(_UploadAPIView):
    @extend_schema(
        "uploads_add_file",
        request=FileSentSerializer,
        responses=UploadedFileSerializer,
    )
    def post(self, request: Request, slug: str, upload_id: UUID) -> Response:
        """Announce a file; a file announced before keeps its parts."""
        data = self.validated(FileSentSerializer)
        return self.serialized(
            upload_file_add(upload=self.upload(upload_id), **data),
            UploadedFileSerializer,
        )


class UploadFileView(_UploadAPIView):
    @extend_schema("uploads_remove_file", request=None, responses={204: None})
    def delete(
        self,
        request: Request,
        slug: str,
        upload_id: UUID,
        file_id: int,
    ) -> Response:
        """Remove a file from the upload."""
        upload_file_remove(file=self.file(upload_id, file_id))
        return Response(status=204)


class UploadContentView(_UploadAPIView):
    parser_classes = [BytesParser]

    @extend_schema(
        "uploads_send_part",
        parameters=[OpenApiParameter("offset", int, required=True)],
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={200: ReceivedSerializer, 409: ReceivedSerializer},
    )
    def put(
        self,
        request: Request,
        slug: str,
        upload_id: UUID,
        file_id: int,
    ) -> Response:
        """Send the next bytes of a file, at most 2 MiB; 409 if they do not continue the stored ones."""
        file = self.file(upload_id, file_id)
        offset = _offset(request)
        try:
            byte_count = upload_part_store(
                file=file,
                offset=offset,
                content=body_of(request),
            )
        except UploadRefusedError as error:
            there = received(file)
            if there == offset:
                raise
            return Response({"received": there, "detail": str(error)}, status=409)
        return Response({"received": byte_count})


class _JobAPIView(CampaignAPIView):
    def job(self, job_id: int) -> Job:
        return row_or_404(
            jobs_of(campaign=self.campaign),
            "Job not found in this campaign.",
            pk=job_id,
        )


class UploadCheckView(_UploadAPIView, _JobAPIView):
    @extend_schema("uploads_check", request=None, responses={202: JobSerializer})
    def post(self, request: Request, slug: str, upload_id: UUID) -> Response:
        """Have a worker check the files; the report is then part of the upload."""
        return self.serialized(
            self.job(upload_check(upload=self.upload(upload_id), user=self.user).pk),
            JobSerializer,
            status=202,
        )


class UploadImportView(_UploadAPIView, _JobAPIView):
    @extend_schema("uploads_import", request=None, responses={202: JobSerializer})
    def post(self, request: Request, slug: str, upload_id: UUID) -> Response:
        """Have a worker import the files as a test set; after an error, nothing is imported."""
        return self.serialized(
            self.job(upload_import(upload=self.upload(upload_id), user=self.user).pk),
            JobSerializer,
            status=202,
        )


class JobsView(CampaignAPIView):
    @extend_schema("jobs_list", responses=JobSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the background jobs of a campaign, the newest first."""
        return self.paginated(jobs_of(campaign=self.campaign), JobSerializer)


class JobView(_JobAPIView):
    @extend_schema("jobs_read", responses=JobSerializer)
    def get(self, request: Request, slug: str, job_id: int) -> Response:
        """Return a job and its progress."""
        return self.serialized(self.job(job_id), JobSerializer)


class JobStopView(_JobAPIView):
    @extend_schema("jobs_stop", request=None, responses=JobSerializer)
    def post(self, request: Request, slug: str, job_id: int) -> Response:
        """Stop the job and undo its changes so far. One that has ended is unchanged."""
        return self.serialized(
            self.job(job_cancel(job=self.job(job_id)).pk),
            JobSerializer,
        )


class JobAgainView(_JobAPIView):
    @extend_schema("jobs_again", request=None, responses={202: JobSerializer})
    def post(self, request: Request, slug: str, job_id: int) -> Response:
        """Restart a job that failed or was stopped."""
        return self.serialized(
            self.job(job_retry(job=self.job(job_id), user=self.user).pk),
            JobSerializer,
            status=202,
        )


def _offset(request: Request) -> int:
    text = request.query_params.get("offset", "")
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise ParseError(
            "Pass ?offset= with the number of bytes of the file that come before this part.",
        )
    return int(text)
