"""Files of edits as answers of blind editing, and answers as such a file."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from annotation.answer_files import (
    AnswerFiles,
    AnswerRefusedError,
    FileAnswer,
    FileContent,
    Lose,
)
from campaign.formats import InputFile
from protocols.editing.answers import MAX_CHARACTERS, MAX_KEYSTROKES
from protocols.editing.edit_lines import edit_lines
from protocols.editing.files import EditLine, EditsOfLines
from protocols.editing.statistics.edits import Outcome
from ranking.files.json_objects import json_lines

JSONL: Final = "edits-jsonl"


def _read(file: InputFile, _format: str | None) -> FileContent:
    reading = EditsOfLines()
    lines = list(json_lines(file, reading.take))
    return FileContent(file_format=JSONL, answers=_answers(lines), losses=())


def _answers(lines: Sequence[tuple[int, EditLine]]) -> Iterator[FileAnswer]:
    """Yield each edit, and then what others said of it."""
    place = 0
    for number, line in lines:
        edit = place
        yield FileAnswer(
            line=number,
            judge=line.judge,
            segment=str(line.segment),
            candidates=(line.systems,),
            said=line,
            texts=(line.output,),
            active_ms=line.active_ms,
        )
        for judge, acceptable in line.votes.items():
            yield FileAnswer(
                line=number,
                judge=judge,
                segment=str(line.segment),
                candidates=(line.systems,),
                said=acceptable,
                about=edit,
            )
        place += 1 + len(line.votes)


def _answer(
    said: EditLine | bool, texts: Sequence[str | None], _rules: Mapping[str, Any], _lose: Lose
) -> dict[str, Any]:
    if isinstance(said, bool):
        return {"acceptable": said}
    if (said.keystrokes or 0) > MAX_KEYSTROKES:
        raise AnswerRefusedError(
            f"there are {said.keystrokes:,} keystrokes", f"correct them: {MAX_KEYSTROKES:,} at most"
        )
    if said.outcome is not Outcome.EDITED:
        return {"outcome": said.outcome.value, "keystrokes": said.keystrokes}
    if len(said.text or "") > MAX_CHARACTERS:
        raise AnswerRefusedError(
            f"what came out has {len(said.text or ''):,} characters",
            f"shorten it to {MAX_CHARACTERS:,}",
        )
    if said.text == texts[0]:
        raise AnswerRefusedError(
            "what came out of the edit is the output as it was", 'write "unchanged", without a text'
        )
    return {"outcome": said.outcome.value, "text": said.text, "keystrokes": said.keystrokes}


EDITING_FILES: Final = AnswerFiles(
    formats=(JSONL,),
    read=_read,
    answer=_answer,
    written={JSONL: "jsonl"},
    write=lambda task, _format: edit_lines(task=task),
)
