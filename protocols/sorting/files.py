"""Comparisons of two outputs as JSON Lines, a judge's answer a line, and as files of a task."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

import numpy as np

from annotation.answer_files import (
    AnswerFiles,
    AnswerRefusedError,
    FileAnswer,
    FileContent,
    FileWritten,
    Lose,
)
from campaign.formats import InputFile
from campaign.formats.errors import Loss, Losses
from campaign.models import Task
from protocols.frame.stored import answers_written
from protocols.sorting.sorts import PairOf, answers_given, pair_of
from protocols.sorting.statistics.comparison import PairJudgments
from protocols.sorting.statistics.verdicts import Answer
from ranking.export.writing import WRITTEN, ranked_file_write
from ranking.files.labels import (
    Refuse,
    count_of,
    integer_of,
    json_lines,
    judge_of,
    keys_check,
    read_objects,
    system_of,
    text_of,
    word_of,
)
from ranking.files.records import FileRead, SelectionError, refuse_unknown
from ranking.files.sources import ReadingProgress

_REQUIRED = ("segment", "judge", "first", "second", "answer")
_OPTIONAL = ("duration_ms",)
_REMEDY = 'write "first" or "second" for the better output, "same" for equal quality, or "identical" for identical texts'
#: r of each answer, for the first system; None for identical outputs, which are never shown.
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
    """A line of a file; `systems` and `answer` in its order."""

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
                "keep only the last answer of a judge for a segment and pair",
            )
        is_turned = answer is not None and first > second
        self.answers[pair, segment, judge] = -(answer or 0) if is_turned else answer
        return ComparisonLine(segment, judge, (first, second), values["answer"], duration_ms)

    def result(self, files: tuple[FileRead, ...], excluded: tuple[str, ...]) -> ComparisonsRead:
        there = sorted({judge for _pair, _segment, judge in self.answers})
        refuse_unknown("judge", excluded, there)
        kept = {key: answer for key, answer in self.answers.items() if key[2] not in excluded}
        if not kept:
            raise SelectionError("no answers are left without these judges")
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


JSONL: Final = "comparisons-jsonl"


def _read(file: InputFile, _format: str | None) -> FileContent:
    reading, losses = ComparisonsOfLines(), Losses()
    answers = []
    for number, line in json_lines(file, reading.take):
        is_identical = line.answer == "identical"
        losses.add(
            "identical outputs, which are not shown to judges", f"line {number}", is_identical
        )
        if not is_identical:
            answers.append(
                FileAnswer(
                    line=number,
                    judge=line.judge,
                    segment=str(line.segment),
                    candidates=tuple((system,) for system in line.systems),
                    said=line.answer,
                    duration_ms=line.duration_ms,
                )
            )
    return FileContent(file_format=JSONL, answers=answers, losses=losses.found())


def _answer(
    said: str, texts: Sequence[str | None], _rules: Mapping[str, Any], _lose: Lose
) -> dict[str, str]:
    first, second = texts
    if first == second:
        raise AnswerRefusedError(
            "both systems wrote the same text, so they cannot be compared",
            'write "identical", or import into the test set whose texts were judged',
        )
    return {"verdict": said}


def _why(candidates: Sequence[Sequence[str]]) -> dict[str, Any]:
    (first,), (second,) = candidates
    return {"comparison": list(pair_of(first, second))}


def _write(task: Task, file_format: str) -> FileWritten:
    """Return a file; ranked blocks of two do not say the order of comparisons, and are not read back into a sort."""
    return _comparisons(task) if file_format == JSONL else ranked_file_write(task, file_format)


def _comparisons(task: Task) -> FileWritten:
    """Return the current answers to the comparisons of the sort, including late ones."""
    return answers_written(task=task, watermark=None, read=_stored, line=_line, lost=_lost)


def _stored(*, task: Task, watermark: int, without: Collection[str]) -> list[tuple[Answer, PairOf]]:
    """Return answers by number, each with the two systems."""
    systems = sorted(task.test_set.systems.values_list("name", flat=True))
    given = answers_given(
        task=task, watermark=watermark, pairs=combinations(systems, 2), without=without
    )
    found = [
        (each.answer, pair)
        for pair, answers in given.items()
        for each in answers
        if each.is_current
    ]
    return sorted(found, key=lambda row: row[0].number)


def _line(stored: tuple[Answer, PairOf]) -> dict[str, Any]:
    answer, (first, second) = stored
    return {
        "segment": answer.segment,
        "judge": answer.judge,
        "first": first,
        "second": second,
        "answer": {1: "first", 0: "same", -1: "second"}[answer.answer],
    }


def _lost(answers: Sequence[object]) -> list[Loss]:
    return [Loss("which output was shown first", len(answers), "judgment 1")] if answers else []


FILES: Final = AnswerFiles(
    formats=(JSONL,),
    read=_read,
    answer=_answer,
    why=_why,
    written=[JSONL, *WRITTEN],
    write=_write,
)
