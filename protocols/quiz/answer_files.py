"""Files of readings as answers of a quiz, and answers as such a file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from annotation.answer_files import (
    AnswerFiles,
    FileAnswer,
    FileContent,
    Lose,
    RefuseAnswer,
)
from campaign.formats import InputFile
from campaign.models import Segment, Task
from protocols.quiz.files import Reading, ReadingsOfLines
from protocols.quiz.models import Snippet
from protocols.quiz.reading_lines import reading_lines
from ranking.files.json_objects import json_lines

JSONL: Final = "quiz-jsonl"
#: Texts are shown once.
_PART: Final = 1


def _read(file: InputFile, _format: str | None) -> FileContent:
    answers = [
        FileAnswer(
            line=number,
            judge=said.judge,
            segment=said.snippet,
            candidates=(said.systems,),
            said=said,
            duration_ms=said.duration_ms,
        )
        for number, said in json_lines(file, ReadingsOfLines().take)
    ]
    return FileContent(file_format=JSONL, answers=answers, losses=())


def _of_task(
    task: Task, answers: Iterable[FileAnswer], refuse: RefuseAnswer
) -> Iterator[FileAnswer]:
    """Yield an answer for each segment of a snippet: the last one has what was said, the others that they were read."""
    snippets = {each.name: each for each in Snippet.objects.filter(task=task)}
    numbers = _numbers(task, snippets.values())
    for answer in answers:
        reading: Reading = answer.said
        snippet = snippets.get(reading.snippet)
        if snippet is None:
            known = ", ".join(list(snippets)[:20]) or "no snippets"
            refuse(
                answer,
                "snippet",
                f"the snippet {reading.snippet} is unknown",
                f"correct the name, or upload the snippets of this quiz first; it has {known}",
            )
        if list(reading.expected) != snippet.expected:
            refuse(
                answer,
                "expected",
                f"the snippet {reading.snippet} expects other answers in this task",
                "give the file of the readings of these statements, or upload the statements that were read first",
            )
        *before, last = numbers[snippet.pk]
        for number in before:
            yield replace(answer, segment=str(number), said=(), duration_ms=None)
        yield replace(answer, segment=str(last), said=reading.answers)


def _numbers(task: Task, snippets: Iterable[Snippet]) -> dict[int, list[int]]:
    """Return the numbers of the segments of each snippet, in their order. One query."""
    rows = Segment.objects.filter(test_set=task.test_set_id).order_by("number")
    by_document: dict[int, list[tuple[int, int]]] = {}
    for document, position, number in rows.values_list("document", "position", "number"):
        by_document.setdefault(document, []).append((position, number))
    return {
        each.pk: [
            number
            for position, number in by_document[each.document_id]
            if each.first <= position <= each.last
        ]
        for each in snippets
    }


def _answer(
    said: Sequence[bool | None],
    _texts: Sequence[str | None],
    _rules: Mapping[str, Any],
    _lose: Lose,
) -> dict[str, Any]:
    return {"answers": list(said)}


QUIZ_FILES: Final = AnswerFiles(
    formats=(JSONL,),
    read=_read,
    of_task=_of_task,
    answer=_answer,
    part=lambda _answer: _PART,
    written={JSONL: "jsonl"},
    write=lambda task, _format: reading_lines(task=task),
)
