"""Import the answers of a task from the file formats of other tools."""

from typing import Any

from rest_framework import serializers
from rest_framework.parsers import MultiPartParser

from annotation.importing.answers import ImportOptions, sent_answers_import
from annotation.importing.stored_answers import NoLongerInFile
from annotation.protocols.answer_files import formats_read
from campaign.api.operations import Address, operation
from campaign.api.plain_serializer import PlainSerializer
from campaign.formats import FormatError
from campaign.importing.errors import ImportRefusedError
from campaign.selectors.uploads import judgments_imports


class AnswersSentSerializer(PlainSerializer):
    """A file of answers."""

    file = serializers.FileField(help_text="Plain or .gz, up to 5 MB.")
    file_format = serializers.CharField(
        required=False, allow_blank=True, default="", help_text="Detected automatically if empty."
    )
    no_longer_in_file = serializers.ChoiceField(
        choices=list(NoLongerInFile),
        required=False,
        allow_blank=True,
        default="",
        help_text="What happens to answers of an earlier import that the file no longer has. If empty, they are counted in a 400, and nothing is imported.",
    )

    machine = serializers.CharField(
        required=False,
        allow_blank=True,
        default="",
        help_text="Name and version of the machine judge that gave all answers (“judgebot 2026-11”). If empty, judges so named in the file are machine judges.",
    )


class LossSerializer(PlainSerializer):
    """Content of a file that could not be imported."""

    what = serializers.CharField()
    count = serializers.IntegerField()
    first = serializers.CharField()


class AnswersImportedSerializer(PlainSerializer):
    """Result of an import."""

    judgments = serializers.IntegerField(help_text="Answers stored.")
    skips = serializers.IntegerField(help_text="Skips stored.")
    already_there = serializers.IntegerField(help_text="Answers and skips imported before.")
    repeated = serializers.IntegerField(
        help_text="Answers that a judge repeated on purpose, with the same content. Each counts."
    )
    by_machines = serializers.IntegerField(
        default=0,
        help_text="Answers and skips of machine judges stored, which are not in the other numbers.",
    )
    losses = LossSerializer(many=True)


class ImportedFileSerializer(PlainSerializer):
    """A file that was imported, with the hash of its bytes as stored."""

    name = serializers.CharField()
    file_format = serializers.CharField()
    sha256 = serializers.CharField()


class AnswersImportSerializer(AnswersImportedSerializer):
    """An earlier import."""

    imported_at = serializers.DateTimeField()
    files = ImportedFileSerializer(many=True)


class AnswerFormatsSerializer(PlainSerializer):
    """Formats for import, and earlier imports."""

    read = serializers.ListField(child=serializers.CharField(), read_only=True)
    imports = AnswersImportSerializer(many=True, read_only=True, help_text="Newest first.")


class AnswersView(Address):
    """Answers of a task in files."""

    parser_classes = [MultiPartParser]

    @operation("answers_formats", AnswerFormatsSerializer)
    def get(self) -> dict[str, Any]:
        """List the formats that can be imported, and the earlier imports."""
        return {"read": formats_read(self.task), "imports": judgments_imports(task=self.task)}

    @operation(
        "answers_import",
        AnswersImportedSerializer,
        takes=AnswersSentSerializer,
        refusals={FormatError: "file", ImportRefusedError: "file"},
    )
    def post(self) -> Any:
        """Import the answers in a file; on any error, nothing is imported. Importing a file again changes nothing."""
        choice = self.sent["no_longer_in_file"]
        options = ImportOptions(
            file_format=self.sent["file_format"] or None,
            no_longer_in_file=NoLongerInFile(choice) if choice else None,
            machine=self.sent["machine"],
        )
        return sent_answers_import(task=self.task, sent=self.sent["file"], options=options)
