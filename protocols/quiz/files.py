"""Answers to quizzes as JSON Lines, an object a reading (`docs/formats-judgments.md`), and as files of a task."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from annotation.answer_files import (
    AnswerFiles,
    FileAnswer,
    FileContent,
    Lose,
    RefuseAnswer,
)
from annotation.export.five_way import systems_shown
from campaign.formats import InputFile
from campaign.models import Segment, Task
from protocols.frame.stored import answers_written, counted_of, judgments_counted, system_names
from protocols.models import Snippet
from protocols.quiz.statistics import Readings
from ranking.analyses.kind import ChosenJudgments
from ranking.core.beside import OutputScores
from ranking.files.labels import (
    Refuse,
    boolean_of,
    count_of,
    json_lines,
    judge_of,
    keys_check,
    list_of,
    read_objects,
    system_of,
    systems_in,
    text_of,
)
from ranking.files.records import FileRead
from ranking.files.sources import ReadingProgress
from ranking.files.vocabulary import systems_by_row

_REQUIRED = ("snippet", "judge", "answers", "expected")
#: Exactly one of the first two.
_OPTIONAL = ("system", "systems", "duration_ms")


@dataclass(frozen=True, eq=False)
class QuizRead:
    """The readings of files, or those of a task that count."""

    readings: Readings
    files: tuple[FileRead, ...] = ()


def read_quiz(
    names: Sequence[str], *, progress: ReadingProgress = lambda _read, _total: None
) -> QuizRead:
    """Read answers; snippets, systems and judges of the same name are the same in all files.

    Parameters
    ----------
    names : sequence of str
        Files, plain or gzip; ``-`` is standard input.
    progress : callable

    Returns
    -------
    QuizRead

    Raises
    ------
    FormatError
        With line and key, if a file is not in order, if a judge answers about one output twice, or if a snippet's expected answers differ
        from those in an earlier line.
    """
    reading = ReadingsOfLines()
    files = read_objects(names, reading.take, progress)
    return QuizRead(readings_of(reading.rows), files)


@dataclass(frozen=True, slots=True)
class Reading:
    """One judge's reading of a snippet by `systems`, whose outputs are all the same.

    `segment` is the number of its last one in a test set; 0 of a file, which does not say.
    """

    snippet: str
    systems: tuple[str, ...]
    judge: str
    answers: tuple[bool | None, ...]
    expected: tuple[bool, ...]
    segment: int = 0
    duration_ms: int | None = None

    @property
    def right(self) -> int:
        """The number of right answers."""
        return sum(a == b for a, b in zip(self.answers, self.expected, strict=True))


def readings_of(given: Iterable[Reading]) -> Readings:
    """Return readings as arrays, in any order."""
    rows = sorted(given, key=lambda each: (each.snippet, each.systems, each.judge))
    systems, wrote = systems_by_row([each.systems for each in rows])
    snippets = {name: place for place, name in enumerate(sorted({row.snippet for row in rows}))}
    judges = {name: place for place, name in enumerate(sorted({row.judge for row in rows}))}
    columns = np.array(
        [
            (
                snippets[each.snippet],
                judges[each.judge],
                len(each.expected),
                each.right,
                each.answers.count(None),
            )
            for each in rows
        ],
        dtype=np.int64,
    ).reshape(-1, 5)
    return Readings(systems, tuple(snippets), tuple(judges), wrote, *columns.T)


@dataclass
class ReadingsOfLines:
    """Readings collected so far, and the expected answers of each snippet."""

    expected: dict[str, tuple[bool, ...]] = field(default_factory=dict)
    seen: set[tuple[str, str, str]] = field(default_factory=set)
    rows: list[Reading] = field(default_factory=list)

    def take(self, values: dict[str, Any], refuse: Refuse) -> Reading:
        """Take a line, and return it. Raises FormatError."""
        keys_check(values, _REQUIRED, _OPTIONAL, refuse)
        duration_ms = count_of("duration_ms", values, refuse)
        snippet = text_of("snippet", values["snippet"], refuse)
        systems = _systems(values, refuse)
        judge = judge_of(text_of("judge", values["judge"], refuse), "judge", refuse)
        expected = tuple(
            boolean_of("expected", each, refuse)
            for each in list_of("expected", values["expected"], refuse)
        )
        answers = tuple(
            None if each is None else boolean_of("answers", each, refuse)
            for each in list_of("answers", values["answers"], refuse)
        )
        if not expected or len(answers) != len(expected):
            refuse(
                "answers",
                f"there are {len(answers)} answers to {len(expected)} questions",
                "give one answer per question, null for no answer",
            )
        if self.expected.setdefault(snippet, expected) != expected:
            refuse(
                "expected",
                f"the expected answers about {snippet} were others before",
                "give the same expected answers for every reading of the snippet",
            )
        keys = {(snippet, system, judge) for system in systems}
        if not self.seen.isdisjoint(keys):
            refuse("judge", f"{judge} answers about this output a second time", "keep one of them")
        self.seen |= keys
        reading = Reading(snippet, systems, judge, answers, expected, duration_ms=duration_ms)
        self.rows.append(reading)
        return reading


def _systems(values: dict[str, Any], refuse: Refuse) -> tuple[str, ...]:
    """Take `system`, or `systems` that wrote the same."""
    if ("system" in values) == ("systems" in values):
        refuse(
            "system",
            "both system and systems are given" if "system" in values else "the key is missing",
            "give system, or systems if several wrote the same text",
        )
    if "system" in values:
        return (system_of("system", values["system"], refuse),)
    return tuple(sorted(systems_in("systems", values["systems"], refuse)))


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
    """Yield an answer for each segment of a snippet: the last one has the reader's answers, the others only that they
    were read.
    """
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
                "give the readings of these statements, or upload the statements of the file first",
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


def readings_stored(
    *,
    task: Task,
    watermark: int,
    without: Collection[str] = (),
    documents: Collection[str] | None = None,
    systems: Collection[str] | None = None,
) -> list[Reading]:
    """Read the current readings 1…`watermark` of a task by number: the answers given with the last segment of a
    snippet.

    Judges named in `without` do not count; `systems` and `documents` are those that do, None for all. A reading is of all
    systems whose outputs are the same in the whole snippet. As many queries, whatever the number of readings.
    """
    judgments = judgments_counted(
        task=task, watermark=watermark, without=without, documents=documents
    )
    found = list(
        judgments.filter(quizanswer__answers__len__gt=0)
        .order_by("numbered__number")
        .values_list(
            *("block_id", "judge__pseudonym", "quizanswer__answers"),
            *("block__segment__document_id", "block__segment__position"),
            "block__segment__number",
        )
    )
    snippets = {(each.document_id, each.last): each for each in Snippet.objects.filter(task=task)}
    names = system_names(task, systems)
    shown = systems_shown({row[0] for row in found})
    return [
        Reading(
            snippet=(snippet := snippets[document, position]).name,
            systems=tuple(wrote),
            judge=judge,
            answers=tuple(answers),
            expected=tuple(snippet.expected),
            segment=number,
        )
        for block, judge, answers, document, position, number in found
        if (wrote := sorted(names[id_] for id_ in shown[block][0] if id_ in names))
    ]


def _line(reading: Reading) -> dict[str, Any]:
    return {
        "snippet": reading.snippet,
        "systems": list(reading.systems),
        "judge": reading.judge,
        "answers": list(reading.answers),
        "expected": list(reading.expected),
    }


def output_scores(task: Task, watermark: int, chosen: ChosenJudgments) -> OutputScores | None:
    """Return the share of correct answers of each reading, as a score of the last segment of its snippet.

    That is where the statements are. Of the selected judgments 1…`watermark`; None without
    readings.
    """
    return OutputScores.of_rows(
        (reading.segment, reading.judge, system, reading.right / len(reading.expected))
        for reading in readings_stored(task=task, watermark=watermark, **counted_of(chosen))
        for system in reading.systems
    )


FILES: Final = AnswerFiles(
    formats=(JSONL,),
    read=_read,
    of_task=_of_task,
    answer=_answer,
    part=lambda _answer: _PART,
    written=[JSONL],
    write=lambda task, _format: answers_written(task=task, read=readings_stored, line=_line),
)
