"""Answers to quizzes as JSON Lines: an object a reading; `docs/formats.md` describes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from protocols.quiz.statistics.answers import Readings
from ranking.files.json_objects import (
    boolean_of,
    count_of,
    keys_check,
    list_of,
    read_objects,
    system_of,
    systems_in,
    text_of,
)
from ranking.files.labels import Refuse, judge_of
from ranking.files.records import FileRead
from ranking.files.sources import ReadingProgress
from ranking.files.vocabulary import systems_by_row

_REQUIRED = ("snippet", "judge", "answers", "expected")
#: Exactly one of the first two.
_OPTIONAL = ("system", "systems", "duration_ms")


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
    reading = ReadingsOfLines()
    files = read_objects(names, reading.take, progress)
    return QuizRead(files, reading.result())


@dataclass(frozen=True, slots=True)
class Reading:
    """Somebody read a snippet: of `systems`, which all wrote the same.

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
    """Return readings as arrays, whatever their order."""
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
    """The readings taken so far, and what is expected of each snippet."""

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
                "give one answer a question, null where the judge gave none",
            )
        if self.expected.setdefault(snippet, expected) != expected:
            refuse(
                "expected",
                f"the expected answers about {snippet} were others before",
                "expect the same answers wherever the snippet is read",
            )
        keys = {(snippet, system, judge) for system in systems}
        if not self.seen.isdisjoint(keys):
            refuse("judge", f"{judge} answers about this output a second time", "keep one of them")
        self.seen |= keys
        reading = Reading(snippet, systems, judge, answers, expected, duration_ms=duration_ms)
        self.rows.append(reading)
        return reading

    def result(self) -> Readings:
        return readings_of(self.rows)


def _systems(values: dict[str, Any], refuse: Refuse) -> tuple[str, ...]:
    """Take `system`, or `systems` that wrote the same."""
    if ("system" in values) == ("systems" in values):
        refuse(
            "system",
            "there are system and systems" if "system" in values else "the key is missing",
            "name the system, or in systems those that wrote the same",
        )
    if "system" in values:
        return (system_of("system", values["system"], refuse),)
    return tuple(sorted(systems_in("systems", values["systems"], refuse)))
