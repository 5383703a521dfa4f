"""Comparisons of two outputs as JSON Lines: a judge's answer a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from protocols.sorting.statistics.judgments import PairJudgments
from ranking.files import SelectionError
from ranking.files.json_objects import (
    count_of,
    integer_of,
    keys_check,
    read_objects,
    system_of,
    text_of,
    word_of,
)
from ranking.files.labels import Refuse, judge_of
from ranking.files.records import FileRead, refuse_unknown
from ranking.files.sources import ReadingProgress

_REQUIRED = ("segment", "judge", "first", "second", "answer")
_OPTIONAL = ("duration_ms",)
_REMEDY = 'write "first" or "second" for the better output, "same" for the same quality, or "identical" for the same text'
#: r of each answer, for the first system; None for outputs that are the same text, which nobody was shown.
_ANSWERS = {"first": 1, "second": -1, "same": 0, "identical": None}


@dataclass(frozen=True, slots=True)
class ComparisonsRead:
    """The comparisons of all files.

    Attributes
    ----------
    files : tuple of FileRead
    systems : tuple of str
        Those that occur, by name.
    judges : tuple of str
        Those that are counted, by name.
    judged : mapping of pair to PairJudgments
        Each pair's judgments, for the system whose name comes first.
    answers : int
        Number of lines that are counted.
    identical : int
        Lines with identical outputs among them.
    excluded_judges : tuple of str
    """

    files: tuple[FileRead, ...]
    systems: tuple[str, ...]
    judges: tuple[str, ...]
    judged: Mapping[frozenset[str], PairJudgments]
    answers: int
    identical: int
    excluded_judges: tuple[str, ...] = ()


def read_comparisons(
    names: Sequence[str], *, exclude_judges: Sequence[str] = (), progress: ReadingProgress
) -> ComparisonsRead:
    """Read comparisons of two outputs; judges and systems of the same name are the same in all files.

    Parameters
    ----------
    names : sequence of str
        Files, plain or gzip; ``-`` is standard input.
    exclude_judges : sequence of str
        Judges whose answers are left out.
    progress : callable
        Called with the bytes read so far and those of all files.

    Returns
    -------
    ComparisonsRead

    Raises
    ------
    FormatError
        With file, line and key, if a file is not in order, is empty, or a judge answers twice for a segment and a pair.
    SelectionError
        If a judge to be left out is not there, or nothing is left.
    """
    reading = ComparisonsOfLines()
    files = read_objects(names, reading.take, progress)
    return reading.result(files, tuple(dict.fromkeys(exclude_judges)))


@dataclass(frozen=True, slots=True)
class ComparisonLine:
    """What a line says: `systems` and `answer` in its order."""

    segment: int
    judge: str
    systems: tuple[str, str]
    answer: str
    duration_ms: int | None


#: Pair by name, segment, judge.
_Key = tuple[tuple[str, str], int, str]


@dataclass
class ComparisonsOfLines:
    """The answers read so far: r for the system whose name comes first; None for identical outputs."""

    answers: dict[_Key, int | None] = field(default_factory=dict)

    def take(self, values: dict[str, Any], refuse: Refuse) -> ComparisonLine:
        """Take a line, and return it. Raises FormatError."""
        keys_check(values, _REQUIRED, _OPTIONAL, refuse)
        duration_ms = count_of("duration_ms", values, refuse)
        segment = integer_of("segment", values["segment"], 1, refuse)
        judge = judge_of(text_of("judge", values["judge"], refuse), "judge", refuse)
        first, second = (system_of(key, values[key], refuse) for key in ("first", "second"))
        if first == second:
            refuse("second", f"the system {first} is compared with itself", "name two systems")
        answer = _ANSWERS[word_of("answer", values["answer"], _ANSWERS, refuse, _REMEDY)]
        pair = (first, second) if first < second else (second, first)
        if (pair, segment, judge) in self.answers:
            refuse(
                "judge",
                f"the judge {judge} answers a second time for segment {segment} of {first} and {second}",
                "keep one answer a judge, segment and pair, the last",
            )
        is_turned = answer is not None and first > second
        self.answers[pair, segment, judge] = -(answer or 0) if is_turned else answer
        return ComparisonLine(segment, judge, (first, second), values["answer"], duration_ms)

    def result(self, files: tuple[FileRead, ...], excluded: tuple[str, ...]) -> ComparisonsRead:
        there = sorted({judge for _pair, _segment, judge in self.answers})
        refuse_unknown("judge", excluded, there)
        kept = {key: answer for key, answer in self.answers.items() if key[2] not in excluded}
        if not kept:
            raise SelectionError("without these judges there are no answers")
        return ComparisonsRead(
            files=files,
            systems=tuple(sorted({name for pair, _segment, _judge in kept for name in pair})),
            judges=tuple(judge for judge in there if judge not in excluded),
            judged=_by_pair(kept),
            answers=len(kept),
            identical=sum(answer is None for answer in kept.values()),
            excluded_judges=excluded,
        )


def _by_pair(answers: Mapping[_Key, int | None]) -> dict[frozenset[str], PairJudgments]:
    """Return columns by pair, in an order that is not that of the lines."""
    rows: dict[tuple[str, str], list[tuple[int, str, int | None]]] = {}
    for pair, segment, judge in sorted(answers):
        rows.setdefault(pair, []).append((segment, judge, answers[pair, segment, judge]))
    return {
        frozenset(pair): PairJudgments(
            first=pair[0],
            second=pair[1],
            judges=[judge for _segment, judge, _answer in of_pair],
            segments=np.array([segment for segment, _judge, _answer in of_pair], dtype=np.int64),
            answers=np.array([answer or 0 for _segment, _judge, answer in of_pair], dtype=np.int8),
            identical=np.array([answer is None for _segment, _judge, answer in of_pair]),
        )
        for pair, of_pair in rows.items()
    }
