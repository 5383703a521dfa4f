"""Answers in a file that came with a request: small enough to be imported while somebody waits."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.core.files.uploadedfile import UploadedFile

from annotation.importing.answers import AnswersImported, answers_import
from campaign.formats import ByteStream, InputFile
from campaign.formats.streams import byte_chunks
from campaign.importing.errors import ImportRefusedError
from campaign.importing.judgment_files import JudgmentsFile
from campaign.models import Task

#: As sent, and unpacked; larger ones come by the command.
MAX_BYTES: Final = 5_000_000
MAX_UNPACKED_BYTES: Final = 20_000_000
_BY_COMMAND: Final = "use the command import_answers, or divide the file"


def sent_answers_import(
    *, task: Task, sent: "UploadedFile[Any]", file_format: str | None = None
) -> AnswersImported:
    """Import the answers of a file that was sent.

    Raises FormatError and ImportRefusedError, also for a file that is too large.
    """
    if (sent.size or 0) > MAX_BYTES:
        raise ImportRefusedError(f"the file has more than {MAX_BYTES // 1_000_000} MB", _BY_COMMAND)

    @contextmanager
    def opened() -> Iterator[ByteStream]:
        sent.seek(0)
        yield sent

    file = JudgmentsFile(sent.name or "file", opened)
    with file.open() as stream:
        unpacked = 0
        for chunk in byte_chunks(InputFile(file.name, stream)):
            unpacked += len(chunk)
            if unpacked > MAX_UNPACKED_BYTES:
                raise ImportRefusedError(
                    f"the file has more than {MAX_UNPACKED_BYTES // 1_000_000} MB unpacked",
                    _BY_COMMAND,
                )
    return answers_import(task=task, files=[file], file_format=file_format)
