"""Answers to quizzes as JSON Lines: an object a reading; `docs/formats.md` describes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from campaign.formats import system_name_problem
from protocols.quiz.statistics.answers import Readings
from ranking.files.json_objects import boolean_of, keys_check, list_of, read_objects, text_of
from ranking.files.labels import Refuse, judge_of
from ranking.files.records import FileRead
from ranking.files.sources import ReadingProgress

_REQUIRED = ("snippet", "system", "judge", "answers", "expected")
_OPTIONAL = ("duration_ms",)


@dataclass(frozen=True, eq=False)
class QuizRead:
    """The readings of all files."""

    files: tuple[FileRead, ...]
    readings: Readings


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
    reading = _Reading()
    files = read_objects(names, reading.take, progress)
    return QuizRead(files, reading.result())


@dataclass
class _Reading:
    expected: dict[str, list[bool]] = field(default_factory=dict)
    rows: dict[tuple[str, str, str], tuple[int, int, int]] = field(default_factory=dict)

    def take(self, values: dict[str, Any], refuse: Refuse) -> None:
        keys_check(values, _REQUIRED, _OPTIONAL, refuse)
        snippet = text_of("snippet", values["snippet"], refuse)
        system = text_of("system", values["system"], refuse)
        problem = system_name_problem(system)
        if problem:
            refuse("system", problem, "write the name of one system")
        judge = judge_of(text_of("judge", values["judge"], refuse), "judge", refuse)
        expected = [
            boolean_of("expected", each, refuse)
            for each in list_of("expected", values["expected"], refuse)
        ]
        answers = [
            None if each is None else boolean_of("answers", each, refuse)
            for each in list_of("answers", values["answers"], refuse)
        ]
        if not expected or len(answers) != len(expected):
            refuse(
                "answers",
                f"there are {len(answers)} answers to {len(expected)} questions",
                "give one answer a question, null where the judge gave none",
            )
        if self.expected.setdefault(snippet, expected) != expected:
            refuse(
                "expected",
                f"the expected answers about {snippet} were others before",
                "expect the same answers wherever the snippet is read",
            )
        if (snippet, system, judge) in self.rows:
            refuse("judge", f"{judge} answers about this output a second time", "keep one of them")
        right = sum(answer == each for answer, each in zip(answers, expected, strict=True))
        self.rows[snippet, system, judge] = len(expected), right, answers.count(None)

    def result(self) -> Readings:
        snippets, systems, judges = (
            tuple(sorted({key[column] for key in self.rows})) for column in range(3)
        )
        columns = np.array(
            [
                (systems.index(system), snippets.index(snippet), judges.index(judge), *row)
                for (snippet, system, judge), row in sorted(self.rows.items())
            ],
            dtype=np.int64,
        )
        return Readings(systems, snippets, judges, *columns.T)
