"""The edits of a task and their acceptances as JSON Lines, which `measure_edits` reads."""

from typing import Any

from annotation.answer_files import FileWritten
from annotation.export.losses import comments_lost
from annotation.selectors import excluded_judges
from annotation.services import judgments_number
from campaign.formats.losses import Loss
from campaign.models import Task
from campaign.texts.json_lines import json_line
from protocols.editing.edits_read import StoredEdit, edits_stored
from protocols.editing.statistics.edits import Outcome


def edit_lines(*, task: Task, watermark: int | None = None) -> FileWritten:
    """Return the current edits of a task as JSON Lines: `docs/formats.md`.

    Judges who are excluded now are left out. Judgments without a number get one first, unless a watermark is given.
    """
    until = judgments_number(task_id=task.pk) if watermark is None else watermark
    edits = edits_stored(
        task=task,
        watermark=until,
        without=excluded_judges(campaign_id=task.test_set.campaign_id),
    )
    losses = comments_lost(task=task, watermark=until)
    unable = sum(len(edit.acceptances) for edit in edits if edit.outcome is Outcome.UNABLE)
    if unable:
        words = "acceptances of outputs that their editor was unable to correct"
        losses.insert(0, Loss(words, unable, "edits that are unable"))
    lines = [json_line(_line(edit)) for edit in edits]
    return FileWritten(lines=lines, losses=losses, watermark=until)


def _line(edit: StoredEdit) -> dict[str, Any]:
    is_unable = edit.outcome is Outcome.UNABLE
    return {
        "segment": edit.segment,
        "systems": list(edit.systems),
        "judge": edit.judge,
        "outcome": edit.outcome.value,
        "output": edit.output,
        **({"text": edit.text} if edit.outcome is Outcome.EDITED else {}),
        **({} if edit.keystrokes is None else {"keystrokes": edit.keystrokes}),
        **({} if edit.active_ms is None else {"active_ms": edit.active_ms}),
        "acceptances": []
        if is_unable
        else [{"judge": judge, "acceptable": said} for judge, said in edit.acceptances],
    }
