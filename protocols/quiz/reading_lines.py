"""The readings of a task as JSON Lines, which `score_quiz` reads."""

from typing import Any

from annotation.answer_files import FileWritten
from annotation.export.losses import comments_lost
from annotation.selectors import excluded_judges
from annotation.services import judgments_number
from campaign.models import Task
from campaign.texts.json_lines import json_line
from protocols.quiz.files import Reading
from protocols.quiz.readings_read import readings_stored


def reading_lines(*, task: Task, watermark: int | None = None) -> FileWritten:
    """Return the current readings of a task as JSON Lines: `docs/formats.md`.

    Judges who are excluded now are left out. Judgments without a number get one first, unless a watermark is given.
    """
    until = judgments_number(task_id=task.pk) if watermark is None else watermark
    readings = readings_stored(
        task=task,
        watermark=until,
        without=excluded_judges(campaign_id=task.test_set.campaign_id),
    )
    lines = [json_line(_line(each)) for each in readings]
    losses = comments_lost(task=task, watermark=until)
    return FileWritten(lines=lines, losses=losses, watermark=until)


def _line(reading: Reading) -> dict[str, Any]:
    return {
        "snippet": reading.snippet,
        "systems": list(reading.systems),
        "judge": reading.judge,
        "answers": list(reading.answers),
        "expected": list(reading.expected),
    }
