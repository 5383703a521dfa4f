"""Import and export the answers of a task in the file formats of other tools."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response

from annotation.answer_files import answer_files
from annotation.export.answers import answers_response, answers_written, formats_written
from annotation.importing.answers import sent_answers_import
from campaign.api.operations import Address, operation
from campaign.export.downloads import MEDIA_TYPES
from campaign.formats import FormatError
from campaign.importing.errors import ImportRefusedError
from campaign.selectors.uploads import judgments_imports


class AnswersSentSerializer(serializers.Serializer[Any]):
    """A file of answers."""

    file = serializers.FileField(help_text="Plain or .gz, up to 5 MB.")
    file_format = serializers.CharField(
        required=False, allow_blank=True, default="", help_text="Detected automatically if empty."
    )


class LossSerializer(serializers.Serializer[Any]):
    """Content of a file that could not be imported."""

    what = serializers.CharField()
    count = serializers.IntegerField()
    first = serializers.CharField()


class AnswersImportedSerializer(serializers.Serializer[Any]):
    """Result of an import."""

    judgments = serializers.IntegerField(help_text="Answers stored.")
    skips = serializers.IntegerField(help_text="Skips stored.")
    already_there = serializers.IntegerField(help_text="Answers and skips imported before.")
    repeated = serializers.IntegerField(
        help_text="Answers that repeat an earlier one exactly. Each counts."
    )
    losses = LossSerializer(many=True)


class ImportedFileSerializer(serializers.Serializer[Any]):
    """A file that was imported, with the hash of its bytes as stored."""

    name = serializers.CharField()
    file_format = serializers.CharField()
    sha256 = serializers.CharField()


class AnswersImportSerializer(AnswersImportedSerializer):
    """An earlier import."""

    imported_at = serializers.DateTimeField()
    files = ImportedFileSerializer(many=True)


class AnswerFormatsSerializer(serializers.Serializer[Any]):
    """Formats for import and export, and earlier imports."""

    read = serializers.ListField(child=serializers.CharField(), read_only=True)
    written = serializers.ListField(child=serializers.CharField(), read_only=True)
    imports = AnswersImportSerializer(many=True, read_only=True, help_text="Newest first.")


class AnswersView(Address):
    """Answers of a task in files."""

    parser_classes = [MultiPartParser]

    @operation(
        "answers_formats_or_file",
        {
            (200, "application/json"): AnswerFormatsSerializer,
            **{
                (200, MEDIA_TYPES[ending]): OpenApiResponse(
                    OpenApiTypes.STR,
                    description="The file. The header Not-Carried-Over lists what it lacks.",
                )
                for ending in ("csv", "jsonl", "tsv", "xml")
            },
        },
        parameters=[OpenApiParameter("as", str, description="Format; returns the file.")],
    )
    def get(self) -> Response | HttpResponse:
        """List the formats; with `as`, return the current answers in that format."""
        task, wanted = self.task, self.request.query_params.get("as", "")
        if not wanted:
            files = answer_files(task.protocol)
            known = {
                "read": [] if files is None else files.formats,
                "written": formats_written(task),
                "imports": judgments_imports(task=task),
            }
            return self.answer(known, AnswerFormatsSerializer, 200)
        written = answers_written(task=task, file_format=wanted)
        if written is None:
            raise ValidationError({"as": ["Format not available for this task."]})
        return answers_response(task=task, file_format=wanted, written=written)

    @operation(
        "answers_import",
        AnswersImportedSerializer,
        takes=AnswersSentSerializer,
        refusals={FormatError: "file", ImportRefusedError: "file"},
    )
    def post(self) -> Any:
        """Import the answers in a file; on any error, nothing is imported. Importing a file again changes nothing."""
        return sent_answers_import(
            task=self.task,
            sent=self.sent["file"],
            file_format=self.sent["file_format"] or None,
        )
