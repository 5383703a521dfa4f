"""Uploads of texts in parts, and the jobs that check and import them, for the organisers of a campaign."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from campaign.api.operations import Address, operation, row_found
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
            *("id", "kind", "name", "state", "done", "total", "error", "result", "attempts"),
            *("created_at", "started_at", "finished_at", "cancel_asked_at"),
        ]
        read_only_fields = fields


class UploadedFileSerializer(serializers.ModelSerializer[KeptFile]):
    size = serializers.IntegerField(read_only=True, min_value=0, max_value=2**63 - 1)
    received = serializers.SerializerMethodField(help_text="Bytes received.")
    content = serializers.SerializerMethodField(
        help_text="URL for the next part, sent with `?offset=` set to the bytes received."
    )

    class Meta:
        model = KeptFile
        fields = ["id", "name", "size", "received", "content"]
        read_only_fields = fields

    def get_received(self, file: KeptFile) -> int:
        held = getattr(file, "held", None)
        return received(file) if held is None else int(held)

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
        child=ChosenRoleSerializer(), required=False, help_text="Chosen roles, by file name."
    )
    job = JobSerializer(allow_null=True, read_only=True, help_text="Latest check or import.")

    class Meta:
        model = Upload
        fields = [
            *("id", "name", "source_language", "target_language", "by_paragraph"),
            "common_documents",
            *(
                "reference_use",
                "protocol",
                "blocks_wanted",
                "roles",
                "files",
                "report",
                "job",
                "test_set",
            ),
            *("created_at", "changed_at"),
        ]
        read_only_fields = ["id", "report", "test_set", "created_at", "changed_at"]


class FileSentSerializer(PlainSerializer):
    name = serializers.CharField(max_length=500, help_text="File name, including folders.")
    size = serializers.IntegerField(min_value=1, max_value=2**62)


class ReceivedSerializer(PlainSerializer):
    received = serializers.IntegerField(help_text="Bytes received.")
    detail = serializers.CharField(required=False)


class _UploadAddress(Address):
    ordering = "-created_at"

    def upload(self, upload_id: UUID) -> Upload:
        said = "Upload not found in this campaign."
        upload = row_found(Upload.objects.filter(campaign=self.campaign), said, pk=upload_id)
        upload.campaign = self.campaign
        return upload

    def file(self, upload_id: UUID, file_id: int) -> KeptFile:
        upload = self.upload(upload_id)
        said = "File not found in this upload."
        file = row_found(KeptFile.objects.filter(upload=upload), said, pk=file_id)
        file.upload = upload
        return file

    def rows(self, page: Any) -> Any:
        return uploads_read(campaign=self.campaign, uploads=page)

    def shown(self, upload: Upload) -> Upload:
        self.rows([upload])
        return upload


class UploadsView(_UploadAddress):
    @operation("uploads_list", UploadSerializer(many=True))
    def get(self) -> QuerySet[Upload]:
        """List the uploads that have not been imported yet, newest first."""
        return drafts(campaign=self.campaign)

    @operation("uploads_create", {201: UploadSerializer})
    def post(self) -> Upload:
        """Begin an upload."""
        upload = upload_begin(campaign=self.campaign, user=self.user)
        return self.shown(self.upload(upload.pk))


class UploadView(_UploadAddress):
    @operation("uploads_read", UploadSerializer)
    def get(self, upload_id: UUID) -> Upload:
        """Return an upload with its files and the findings about them."""
        return self.shown(self.upload(upload_id))

    @operation(
        "uploads_change",
        UploadSerializer,
        takes=UploadSerializer,
        refusals={LanguageTagError: "detail"},
    )
    def patch(self, upload_id: UUID) -> Upload:
        """Set name, languages, roles of files and use of the reference; omitted fields stay unchanged."""
        return self.shown(upload_change(upload=self.upload(upload_id), **self.sent))

    @operation("uploads_give_up")
    def delete(self, upload_id: UUID) -> None:
        """Discard the files, and stop the job that uses them."""
        upload_give_up(upload=self.upload(upload_id))


class UploadFilesView(_UploadAddress):
    @operation("uploads_add_file", UploadedFileSerializer, takes=FileSentSerializer)
    def post(self, upload_id: UUID) -> KeptFile:
        """Announce a file; a file announced before keeps its parts."""
        return upload_file_add(upload=self.upload(upload_id), **self.sent)


class UploadFileView(_UploadAddress):
    @operation("uploads_remove_file")
    def delete(self, upload_id: UUID, file_id: int) -> None:
        """Remove a file from the upload."""
        upload_file_remove(file=self.file(upload_id, file_id))


class UploadContentView(_UploadAddress):
    parser_classes = [BytesParser]

    @operation(
        "uploads_send_part",
        {200: ReceivedSerializer, 409: ReceivedSerializer},
        takes={"application/octet-stream": OpenApiTypes.BINARY},
        parameters=[OpenApiParameter("offset", int, required=True)],
    )
    def put(self, upload_id: UUID, file_id: int) -> Response:
        """Send the next bytes of a file, at most 2 MiB; 409 if they do not continue the stored ones."""
        file, offset = self.file(upload_id, file_id), _offset(self.request)
        try:
            held = upload_part_store(file=file, offset=offset, content=body_of(self.request))
        except UploadRefusedError as error:
            there = received(file)
            if there == offset:
                raise
            return Response({"received": there, "detail": str(error)}, status=409)
        return Response({"received": held})


class _JobAddress(Address):
    def job(self, job_id: int) -> Job:
        return row_found(
            jobs_of(campaign=self.campaign), "Job not found in this campaign.", pk=job_id
        )


class UploadCheckView(_UploadAddress, _JobAddress):
    @operation("uploads_check", {202: JobSerializer})
    def post(self, upload_id: UUID) -> Job:
        """Have a worker check the files; the report is then part of the upload."""
        return self.job(upload_check(upload=self.upload(upload_id), user=self.user).pk)


class UploadImportView(_UploadAddress, _JobAddress):
    @operation("uploads_import", {202: JobSerializer})
    def post(self, upload_id: UUID) -> Job:
        """Have a worker import the files as a test set; after an error, nothing is imported."""
        return self.job(upload_import(upload=self.upload(upload_id), user=self.user).pk)


class JobsView(Address):
    @operation("jobs_list", JobSerializer(many=True))
    def get(self) -> QuerySet[Job]:
        """List the background jobs of a campaign, the newest first."""
        return jobs_of(campaign=self.campaign)


class JobView(_JobAddress):
    @operation("jobs_read", JobSerializer)
    def get(self, job_id: int) -> Job:
        """Return a job and its progress."""
        return self.job(job_id)


class JobStopView(_JobAddress):
    @operation("jobs_stop", JobSerializer)
    def post(self, job_id: int) -> Job:
        """Stop the job and undo its changes so far. One that has ended is unchanged."""
        return self.job(job_cancel(job=self.job(job_id)).pk)


class JobAgainView(_JobAddress):
    @operation("jobs_again", {202: JobSerializer})
    def post(self, job_id: int) -> Job:
        """Restart a job that failed or was stopped."""
        return self.job(job_retry(job=self.job(job_id), user=self.user).pk)


def _offset(request: Request) -> int:
    text = request.query_params.get("offset", "")
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise ParseError(
            "Pass ?offset= with the number of bytes of the file that come before this part."
        )
    return int(text)
