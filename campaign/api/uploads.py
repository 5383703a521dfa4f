"""Uploads of texts, in parts, and the jobs that check and import them: for the organisers of a campaign."""

from collections.abc import Mapping, Sequence
from typing import IO, Any
from uuid import UUID

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound, ParseError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.views import APIView

from campaign.api.access import organised_campaign, reader
from campaign.api.pages import CursorPages, paged
from campaign.formats.recognising import FileRole
from campaign.models import Campaign, Job, KeptFile, Upload
from campaign.selectors.jobs import jobs_of
from campaign.selectors.uploads import drafts, upload_states
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
from campaign.texts.language_tags import LanguageTagError


class BytesParser(BaseParser):
    """A part of a file, as it is."""

    media_type = "application/octet-stream"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Mapping[str, bytes]:
        """Return the body as `content`; of one that is too long, enough to see that."""
        del media_type, parser_context
        return {"content": stream.read(MAX_PART_BYTES + 1)}


class JobSerializer(serializers.ModelSerializer[Job]):
    """Long work: `done` of `total` bytes; `result` once it is done, `error` if it failed."""

    class Meta:
        model = Job
        fields = [
            *("id", "kind", "name", "state", "done", "total", "error", "result", "attempts"),
            *("created_at", "started_at", "finished_at", "cancel_asked_at"),
        ]
        read_only_fields = fields


class UploadedFileSerializer(serializers.ModelSerializer[KeptFile]):
    received = serializers.SerializerMethodField(help_text="Bytes received.")
    content = serializers.SerializerMethodField(
        help_text="URL for the next part, sent with `?offset=` set to the bytes received."
    )

    class Meta:
        model = KeptFile
        fields = ["id", "name", "size", "received", "content"]

    def get_received(self, file: KeptFile) -> int:
        held = getattr(file, "held", None)
        return received(file) if held is None else int(held)

    def get_content(self, file: KeptFile) -> str:
        args = [self.context["slug"], file.upload_id, file.pk]
        return str(reverse("api-upload-content", args=args))


class ChosenRoleSerializer(serializers.Serializer[Any]):
    role = serializers.ChoiceField(choices=[str(role) for role in FileRole])
    system = serializers.CharField(required=False, allow_blank=True, max_length=200)


class UploadSerializer(serializers.ModelSerializer[Upload]):
    """Files that are to become a test set. `report` holds the findings of the last check."""

    files = serializers.SerializerMethodField()
    roles = serializers.DictField(
        child=ChosenRoleSerializer(), required=False, help_text="Chosen roles, by file name."
    )
    job = serializers.SerializerMethodField(help_text="Latest check or import.")

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

    @extend_schema_field(UploadedFileSerializer(many=True))
    def get_files(self, upload: Upload) -> Any:
        files = self.context["states"][upload.pk].files
        return UploadedFileSerializer(files, many=True, context=self.context).data

    @extend_schema_field(JobSerializer(allow_null=True))
    def get_job(self, upload: Upload) -> Any:
        job = self.context["states"][upload.pk].job
        return JobSerializer(job).data if job else None


class FileSentSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=500, help_text="File name, including folders.")
    size = serializers.IntegerField(min_value=1, max_value=2**62)


class ReceivedSerializer(serializers.Serializer[Any]):
    received = serializers.IntegerField(help_text="Bytes received.")
    detail = serializers.CharField(required=False)


class _UploadView(APIView):
    """Lookup shared by all addresses of an upload."""

    def found(self, request: Request, slug: str, upload_id: UUID) -> Upload:
        campaign = organised_campaign(request, slug)
        upload = Upload.objects.filter(campaign=campaign, pk=upload_id).first()
        if upload is None:
            raise NotFound(_("Upload not found in this campaign."))
        upload.campaign = campaign
        return upload

    def shown(self, upload: Upload, status_code: int = 200) -> Response:
        (shown,) = self.uploads_shown(upload.campaign, [upload])
        return Response(shown, status=status_code)

    def uploads_shown(self, campaign: Campaign, uploads: Sequence[Upload]) -> Any:
        context = {
            "slug": campaign.slug,
            "states": upload_states(campaign=campaign, uploads=uploads),
        }
        return UploadSerializer(uploads, many=True, context=context).data

    def file(self, request: Request, slug: str, upload_id: UUID, file_id: int) -> KeptFile:
        upload = self.found(request, slug, upload_id)
        file = KeptFile.objects.filter(upload=upload, pk=file_id).first()
        if file is None:
            raise NotFound(_("File not found in this upload."))
        file.upload = upload
        return file

    def handle_exception(self, exc: Exception) -> Response:
        """Answer refusals in words."""
        if isinstance(exc, UploadRefusedError | LanguageTagError):
            exc = serializers.ValidationError({"detail": str(exc)})
        return super().handle_exception(exc)


class UploadsView(_UploadView):
    pagination_class = CursorPages
    ordering = "-created_at"

    @extend_schema(operation_id="uploads_list", responses=UploadSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the uploads that no test set was made of yet, the newest first."""
        campaign = organised_campaign(request, slug)
        return paged(
            self, drafts(campaign=campaign), lambda page: self.uploads_shown(campaign, page)
        )

    @extend_schema(operation_id="uploads_create", request=None, responses={201: UploadSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Begin an upload."""
        campaign = organised_campaign(request, slug)
        upload = upload_begin(campaign=campaign, user=reader(request))
        upload.refresh_from_db()
        upload.campaign = campaign
        return self.shown(upload, status.HTTP_201_CREATED)


class UploadView(_UploadView):
    @extend_schema(operation_id="uploads_read", responses=UploadSerializer)
    def get(self, request: Request, slug: str, upload_id: UUID) -> Response:
        """Return an upload with its files and the findings about them."""
        return self.shown(self.found(request, slug, upload_id))

    @extend_schema(
        operation_id="uploads_change", request=UploadSerializer, responses=UploadSerializer
    )
    def patch(self, request: Request, slug: str, upload_id: UUID) -> Response:
        """Set name, languages, roles of files and use of the reference; omitted fields stay unchanged."""
        upload = self.found(request, slug, upload_id)
        sent = UploadSerializer(upload, data=request.data, partial=True, context={"slug": slug})
        sent.is_valid(raise_exception=True)
        return self.shown(upload_change(upload=upload, **sent.validated_data))

    @extend_schema(operation_id="uploads_give_up", responses={204: None})
    def delete(self, request: Request, slug: str, upload_id: UUID) -> Response:
        """Discard the files, and stop the job that uses them."""
        upload_give_up(upload=self.found(request, slug, upload_id))
        return Response(status=status.HTTP_204_NO_CONTENT)


class UploadFilesView(_UploadView):
    @extend_schema(
        operation_id="uploads_add_file",
        request=FileSentSerializer,
        responses={200: UploadedFileSerializer},
    )
    def post(self, request: Request, slug: str, upload_id: UUID) -> Response:
        """Announce a file; a file announced before keeps its parts."""
        upload = self.found(request, slug, upload_id)
        sent = FileSentSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        file = upload_file_add(upload=upload, **sent.validated_data)
        return Response(UploadedFileSerializer(file, context={"slug": slug}).data)


class UploadFileView(_UploadView):
    @extend_schema(operation_id="uploads_remove_file", responses={204: None})
    def delete(self, request: Request, slug: str, upload_id: UUID, file_id: int) -> Response:
        """Take a file out of the upload."""
        upload_file_remove(file=self.file(request, slug, upload_id, file_id))
        return Response(status=status.HTTP_204_NO_CONTENT)


class UploadContentView(_UploadView):
    parser_classes = [BytesParser]

    @extend_schema(
        operation_id="uploads_send_part",
        parameters=[OpenApiParameter("offset", int, required=True)],
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={200: ReceivedSerializer, 409: ReceivedSerializer},
    )
    def put(self, request: Request, slug: str, upload_id: UUID, file_id: int) -> Response:
        """Send the next bytes of a file, at most 2 MiB; 409 if they do not continue the stored ones."""
        file = self.file(request, slug, upload_id, file_id)
        offset = _offset(request)
        try:
            held = upload_part_store(file=file, offset=offset, content=_content(request))
        except UploadRefusedError as error:
            there = received(file)
            if there == offset:
                raise
            return Response({"received": there, "detail": str(error)}, status=409)
        return Response({"received": held})


class UploadCheckView(_UploadView):
    @extend_schema(operation_id="uploads_check", request=None, responses={202: JobSerializer})
    def post(self, request: Request, slug: str, upload_id: UUID) -> Response:
        """Let a worker look at the files; the report is with the upload then."""
        job = upload_check(upload=self.found(request, slug, upload_id), user=reader(request))
        return _job_answer(job, status.HTTP_202_ACCEPTED)


class UploadImportView(_UploadView):
    @extend_schema(operation_id="uploads_import", request=None, responses={202: JobSerializer})
    def post(self, request: Request, slug: str, upload_id: UUID) -> Response:
        """Let a worker make a test set of the files: all of it or, after any error, nothing."""
        job = upload_import(upload=self.found(request, slug, upload_id), user=reader(request))
        return _job_answer(job, status.HTTP_202_ACCEPTED)


class JobsView(APIView):
    pagination_class = CursorPages
    ordering = "-id"

    @extend_schema(operation_id="jobs_list", responses=JobSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the long work of a campaign, the newest first."""
        found = jobs_of(campaign=organised_campaign(request, slug))
        return paged(self, found, lambda page: JobSerializer(page, many=True).data)


class _JobView(APIView):
    def found(self, request: Request, slug: str, job_id: int) -> Job:
        job = jobs_of(campaign=organised_campaign(request, slug)).filter(pk=job_id).first()
        if job is None:
            raise NotFound(_("Job not found in this campaign."))
        return job


class JobView(_JobView):
    @extend_schema(operation_id="jobs_read", responses=JobSerializer)
    def get(self, request: Request, slug: str, job_id: int) -> Response:
        """Return long work, and how far it is."""
        return _job_answer(self.found(request, slug, job_id))


class JobStopView(_JobView):
    @extend_schema(operation_id="jobs_stop", request=None, responses=JobSerializer)
    def post(self, request: Request, slug: str, job_id: int) -> Response:
        """Stop the job and undo its changes so far. One that has ended is unchanged."""
        return _job_answer(job_cancel(job=self.found(request, slug, job_id)))


class JobAgainView(_JobView):
    @extend_schema(operation_id="jobs_again", request=None, responses={202: JobSerializer})
    def post(self, request: Request, slug: str, job_id: int) -> Response:
        """Begin it again if it failed or was stopped."""
        job = job_retry(job=self.found(request, slug, job_id), user=reader(request))
        return _job_answer(job, status.HTTP_202_ACCEPTED)


def _job_answer(job: Job, status_code: int = 200) -> Response:
    job.refresh_from_db()
    return Response(JobSerializer(job).data, status=status_code)


def _content(request: Request) -> bytes:
    sent = request.data
    return bytes(sent.get("content", b"")) if isinstance(sent, Mapping) else b""


def _offset(request: Request) -> int:
    text = request.query_params.get("offset", "")
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise ParseError(
            _("Pass ?offset= with the number of bytes of the file that come before this part.")
        )
    return int(text)
