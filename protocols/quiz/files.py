"""Answers to quizzes as JSON Lines, one object per reading (`docs/formats-judgments.md`), and as
task files.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from annotation.protocols.answer_files import FileAnswer, Lose, RefuseAnswer
from annotation.protocols.answer_kinds import CompleteRules
from campaign.formats.cells import Refuse
from campaign.models import Task
from protocols.frame.lines import AnswerLines, CountedAnswers, LineValues, MakeRow
from protocols.quiz.answers import QuizAnswerJSON
from protocols.quiz.snippets import segments_read_together, snippets_of
from protocols.quiz.statistics import Reading
from ranking.core.beside import OutputScores
from ranking.files.labels import (
    boolean_of,
    each_of,
    judge_named,
    system_of,
    systems_in,
    text_of,
    whole,
)
from ranking.reports.analyses.kind import ChosenJudgments


def _reading_maker() -> MakeRow[Reading]:
    expected: dict[str, tuple[bool, ...]] = {}

    def make(values: LineValues, refuse: Refuse) -> Reading:
        if ("system" in values) == ("systems" in values):
            refuse(
                "system",
                "the line has both system and systems"
                if "system" in values
                else "the key is missing",
                "write system, or systems if several wrote the same text",
            )
        if "system" in values:
            systems = (values.pop("system"),)
        else:
            systems = values.pop("systems")
        reading = Reading(**values, systems=tuple(sorted(systems)))
        if not reading.expected or len(reading.answers) != len(reading.expected):
            refuse(
                "answers",
                f"the reading has {len(reading.answers)} answers to {len(reading.expected)} questions",
                "write one answer per question, null for no answer",
            )
        if expected.setdefault(reading.snippet, reading.expected) != reading.expected:
            refuse(
                "expected",
                f"the expected answers for {reading.snippet} differ from those of an earlier reading",
                "use the same expected answers for every reading of the snippet",
            )
        return reading

    return make


#: Texts are shown once.
_PART: Final = 1


def _answers(lines: Sequence[tuple[int, Reading]]) -> Iterator[FileAnswer]:
    for number, line in lines:
        yield FileAnswer(
            line=number,
            judge=line.judge,
            segment=line.snippet,
            candidates=(line.systems,),
            content=line,
            duration_ms=line.duration_ms,
        )


def _answers_for_task(
    task: Task,
    answers: Iterable[FileAnswer],
    refuse: RefuseAnswer,
) -> Iterator[FileAnswer]:
    """Yield an answer for each segment of a snippet; only the last one has the reader's answers."""
    read = zip(snippets_of(task), segments_read_together(task), strict=True)
    snippets = {}
    for snippet, segments in read:
        snippets[snippet.name] = (snippet.expected, segments)
    for answer in answers:
        reading: Reading = answer.content
        if reading.snippet not in snippets:
            names = ", ".join(list(snippets)[:20]) or "no snippets"
            refuse(
                answer,
                "snippet",
                f"the snippet {reading.snippet} is unknown",
                f"correct the name, or upload the snippets of this quiz first; it has {names}",
            )
        expected, (*before, last) = snippets[reading.snippet]
        if list(reading.expected) != expected:
            refuse(
                answer,
                "expected",
                f"the snippet {reading.snippet} expects other answers in this task",
                "provide readings of these statements, or upload the statements of the file first",
            )
        for number in before:
            yield replace(answer, segment=str(number), content=(), duration_ms=None)
        yield replace(answer, segment=str(last), content=reading.answers)


def _readings(counted: CountedAnswers) -> Iterator[Reading]:
    """Yield readings from the answers given with the last segment of each snippet.

    A reading counts for all systems with the same outputs throughout the snippet.
    """
    rows_read: list[Any] = list(
        counted.judgments.filter(quizanswer__answers__len__gt=0).values_list(
            "block_id",
            "judge__pseudonym",
            "quizanswer__answers",
            "block__segment__document_id",
            "block__segment__position",
            "block__segment__number",
            named=True,
        ),
    )
    snippets = {}
    for snippet in snippets_of(counted.task):
        snippets[(snippet.document_id, snippet.last)] = snippet
    wrote = counted.wrote({row.block_id for row in rows_read})
    for row in rows_read:
        snippet = snippets[
            row.block__segment__document_id,
            row.block__segment__position,
        ]
        [systems] = wrote[row.block_id]
        if systems:
            yield Reading(
                snippet=snippet.name,
                systems=tuple(sorted(systems)),
                judge=row.judge__pseudonym,
                answers=tuple(row.quizanswer__answers),
                expected=tuple(snippet.expected),
                segment=row.block__segment__number,
            )


def _reading_answer(key: str, value: object, refuse: Refuse) -> bool | None:
    if value is None:
        return None
    return boolean_of(key, value, refuse)


def _statements(reading: Reading) -> Mapping[Hashable, Hashable]:
    statements: dict[Hashable, Hashable] = {}
    for system in reading.systems:
        statements[reading.snippet, system, reading.judge] = reading.answers
    return statements


LINES: Final = AnswerLines(
    name="quiz-jsonl",
    keys={
        "snippet": text_of,
        "system": system_of,
        "systems": systems_in,
        "judge": judge_named,
        "answers": each_of(_reading_answer),
        "expected": each_of(boolean_of),
        "duration_ms": whole(0),
    },
    # Exactly one of the first two.
    optional=("system", "systems", "duration_ms"),
    row_maker=_reading_maker,
    statements=_statements,
    of_task=_readings,
    answers=_answers,
)


def output_scores(
    task: Task,
    watermark: int,
    chosen: ChosenJudgments,
) -> OutputScores | None:
    """Return the share of correct answers of each reading as a score of its snippet's last segment.

    That is where the statements are asked. Only the selected judgments 1…`watermark` count. None
    without readings.
    """
    scores = []
    for reading in LINES.chosen(task, watermark, chosen).rows:
        for system in reading.systems:
            scores.append(
                (
                    reading.segment,
                    reading.judge,
                    system,
                    reading.right / len(reading.expected),
                ),
            )
    return OutputScores.of_rows(scores)


def _answer(
    answers: Sequence[bool | None],
    _texts: Sequence[str | None],
    _rules: CompleteRules,
    _lose: Lose,
) -> QuizAnswerJSON:
    return {"answers": list(answers)}


def _part(_answer: QuizAnswerJSON, _rules: CompleteRules) -> int:
    return _PART


FILES: Final = LINES.files(of_task=_answers_for_task, answer=_answer, part=_part)
