"""The answers of blind editing as a file."""

from typing import Final

from annotation.answer_files import AnswerFiles, FileWritten
from annotation.export.comments import comments_lost
from campaign.models import Task
from protocols.editing.edit_lines import edit_lines

JSONL: Final = "edits-jsonl"


def _write(task: Task, _format: str) -> FileWritten:
    written = edit_lines(task=task)
    return FileWritten(
        lines=written.lines, losses=comments_lost(task=task, watermark=written.watermark)
    )


EDITING_FILES: Final = AnswerFiles(written={JSONL: "jsonl"}, write=_write)
