"""Files of ranked blocks of two as answers about two outputs, and answers as such files."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from annotation.answer_files import AnswerFiles, AnswerRefusedError, FileWritten, Lose
from campaign.formats.losses import Loss
from campaign.models import Task
from protocols.two_outputs.models import Answer, Verdict
from ranking.export.ranked_answers import WRITTEN, ranked_file_write
from ranking.importing.ranked_answers import (
    RANKED_FORMATS,
    Ranks,
    complete_ranks,
    ranked_answers_read,
)


def _answer(
    ranks: Ranks, _texts: Sequence[str | None], rules: Mapping[str, Any], lose: Lose
) -> dict[str, str]:
    first, second = complete_ranks(ranks)
    if {first, second} not in ({1}, {1, 2}):
        lose("by how many ranks outputs differ, or at which they tie")
    if first == second and rules["four_answers"]:
        raise AnswerRefusedError(
            "two outputs are tied, and judges of this task say whether both are fine or both wrong",
            "import it into a task with three answers (four_answers: false)",
        )
    if first == second:
        return {"verdict": str(Verdict.SAME)}
    return {"verdict": str(Verdict.FIRST if first < second else Verdict.SECOND)}


def _row(answer: Mapping[str, str]) -> dict[str, str]:
    return {"verdict": answer["verdict"]}


def _write(task: Task, file_format: str) -> FileWritten:
    written = ranked_file_write(task, file_format)
    if not task.rules.get("four_answers"):
        return written
    count = Answer.objects.filter(
        judgment__task=task, verdict__in=[Verdict.BOTH_FINE, Verdict.BOTH_WRONG]
    ).count()
    lost = Loss("whether both outputs are fine or both wrong", count, "judgment 1")
    return FileWritten(lines=written.lines, losses=[*written.losses, *([lost] if count else [])])


TWO_OUTPUTS_FILES: Final = AnswerFiles(
    formats=RANKED_FORMATS,
    read=ranked_answers_read,
    answer=_answer,
    model=Answer,
    row=_row,
    written=WRITTEN,
    write=_write,
)
