"""The answers of a quiz as a file."""

from typing import Final

from annotation.answer_files import AnswerFiles, FileWritten
from annotation.export.comments import comments_lost
from campaign.models import Task
from protocols.quiz.reading_lines import reading_lines

JSONL: Final = "quiz-jsonl"


def _write(task: Task, _format: str) -> FileWritten:
    written = reading_lines(task=task)
    return FileWritten(
        lines=written.lines, losses=comments_lost(task=task, watermark=written.watermark)
    )


QUIZ_FILES: Final = AnswerFiles(written={JSONL: "jsonl"}, write=_write)
