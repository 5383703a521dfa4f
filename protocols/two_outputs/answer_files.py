"""Files of answers about two outputs, and of ranked blocks of two, as answers of a task; and answers as such files."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from annotation.answer_files import (
    AnswerFiles,
    AnswerRefusedError,
    FileAnswer,
    FileContent,
    FileWritten,
    Lose,
)
from campaign.formats import InputFile
from campaign.formats.losses import Loss
from campaign.formats.streams import peek
from campaign.models import Task
from protocols.two_outputs.choices import choice_lines
from protocols.two_outputs.files import ChoicesOfLines
from protocols.two_outputs.models import Answer, Verdict
from ranking.export.ranked_answers import WRITTEN, ranked_file_write
from ranking.files.json_objects import json_lines
from ranking.importing.ranked_answers import (
    RANKED_FORMATS,
    Ranks,
    complete_ranks,
    ranked_answers_read,
)

JSONL: Final = "choices-jsonl"
_SNIFFED_BYTES: Final = 64 * 1024
_OF_THREE: Final = frozenset({Verdict.SAME})
_OF_FOUR: Final = frozenset({Verdict.BOTH_FINE, Verdict.BOTH_WRONG})


def _read(file: InputFile, file_format: str | None) -> FileContent:
    if file_format is None:
        start, file = peek(file, _SNIFFED_BYTES)
        # Blocks have candidates, or outputs, and no "second".
        is_own = start.lstrip().startswith(b"{") and b'"second"' in start.lstrip().split(b"\n")[0]
        file_format = JSONL if is_own else None
    if file_format != JSONL:
        return ranked_answers_read(file, file_format)
    answers = [
        FileAnswer(
            line=number,
            judge=line.said.judge,
            segment=str(line.said.segment),
            candidates=(line.said.first, line.said.second),
            said=line.said.verdict,
            duration_ms=line.duration_ms,
        )
        for number, line in json_lines(file, ChoicesOfLines().take)
    ]
    return FileContent(file_format=JSONL, answers=answers, losses=())


def _answer(
    said: Ranks | Verdict, _texts: Sequence[str | None], rules: Mapping[str, Any], lose: Lose
) -> dict[str, str]:
    return _chosen(said, rules) if isinstance(said, Verdict) else _ranked(said, rules, lose)


def _chosen(verdict: Verdict, rules: Mapping[str, Any]) -> dict[str, str]:
    four = rules["four_answers"]
    if verdict in (_OF_THREE if four else _OF_FOUR):
        raise AnswerRefusedError(
            f'"{verdict}" is none of the answers of this task',
            f"import it into a task with {'three' if four else 'four'} answers "
            f"(four_answers: {'false' if four else 'true'})",
        )
    return {"verdict": str(verdict)}


def _ranked(ranks: Ranks, rules: Mapping[str, Any], lose: Lose) -> dict[str, str]:
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


def _write(task: Task, file_format: str) -> FileWritten:
    if file_format == JSONL:
        return choice_lines(task=task)
    written = ranked_file_write(task, file_format)
    if not task.rules.get("four_answers"):
        return written
    count = Answer.objects.filter(
        judgment__task=task, verdict__in=[Verdict.BOTH_FINE, Verdict.BOTH_WRONG]
    ).count()
    lost = Loss("whether both outputs are fine or both wrong", count, "judgment 1")
    return FileWritten(lines=written.lines, losses=[*written.losses, *([lost] if count else [])])


TWO_OUTPUTS_FILES: Final = AnswerFiles(
    formats=(JSONL, *RANKED_FORMATS),
    read=_read,
    answer=_answer,
    written={JSONL: "jsonl", **WRITTEN},
    write=_write,
)
