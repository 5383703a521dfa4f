"""Import the answers of a task from the file formats of other tools."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.importing.answers import ImportOptions, sent_answers_import
from annotation.importing.stored_answers import NoLongerInFile
from annotation.protocols.answer_files import formats_read
from campaign.api.base import TaskAPIView, refused_at
from campaign.api.plain_serializer import PlainSerializer
from campaign.formats import FormatError
from campaign.importing.errors import ImportRefusedError
from campaign.selectors.uploads import judgments_imports


class AnswersSentSerializer(PlainSerializer):
    """A file of answers."""

    file = serializers.FileField(help_text="Plain or .gz, up to 5 MB.")
    file_format = serializers.CharField(
        required=False,
        allow_blank=True,
        default="",
        help_text="Detected automatically if empty.",
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
        help_text="Name and version of the machine judge that gave all answers (“judgebot 2026-11”). If empty, judges so named in the file are machine judges, and those with `machine`, which are added.",
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
    already_there = serializers.IntegerField(
        help_text="Answers and skips equal to those imported before; others are in `losses`.",
    )
    repeated = serializers.IntegerField(
        help_text="Answers that a judge repeated on purpose, with the same content. Each counts.",
    )
    by_machines = serializers.IntegerField(
        default=0,
        help_text="Answers and skips of machine judges stored, which are not in the other numbers.",
    )
    machines = serializers.IntegerField(
        default=0,
        help_text="Machine judges that the file describes and were added.",
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
    imports = AnswersImportSerializer(
        many=True,
        read_only=True,
        help_text="Newest first.",
    )


class AnswersView(TaskAPIView):
    """Answers of a task in files."""

    parser_classes = [MultiPartParser]

    @extend_schema("answers_formats", responses=AnswerFormatsSerializer)
    def get(self, request: Request, task_id: int) -> Response:
        """List the formats that can be imported, and the earlier imports."""
        return self.serialized(
            {
                "read": formats_read(self.task),
                "imports": judgments_imports(task=self.task),
            },
            AnswerFormatsSerializer,
        )

    @extend_schema(
        "answers_import",
        request=AnswersSentSerializer,
        responses=AnswersImportedSerializer,
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Import the answers in a file; on any error, nothing is imported. Importing a file again changes nothing."""
        data = self.validated(AnswersSentSerializer)
        choice = data["no_longer_in_file"]
        options = ImportOptions(
            file_format=data["file_format"] or None,
            no_longer_in_file=NoLongerInFile(choice) if choice else None,
            machine=data["machine"],
            by=self.user,
        )
        with refused_at("file", FormatError, ImportRefusedError):
            imported = sent_answers_import(
                task=self.task,
                sent=data["file"],
                options=options,
            )
        return self.serialized(imported, AnswersImportedSerializer)
