"""Comparisons of two outputs as JSON Lines, a judge's answer a line, and as files of a task."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
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
from campaign.formats.errors import Loss, Losses
from campaign.models import Task
from protocols.frame.stored import answers_written
from protocols.sorting.sorts import answers_given
from protocols.sorting.statistics.merge_insertion import Pair, pair_of
from protocols.sorting.statistics.verdicts import Answer
from ranking.core.rankings.two_systems import PairJudgments
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
_SIGNS = {"first": 1, "second": -1, "same": 0, "identical": None}


@dataclass(frozen=True, slots=True)
class ComparisonsRead:
    """Judged comparisons of a task or of files.

    Attributes
    ----------
    judged : mapping of pair to PairJudgments
        Each pair's judgments that are counted, for the system whose name comes first.
    files : tuple of FileRead
    excluded_judges : tuple of str
    """

    judged: Mapping[Pair, PairJudgments]
    files: tuple[FileRead, ...] = ()
    excluded_judges: tuple[str, ...] = ()

    @property
    def counted(self) -> dict[str, int]:
        """The number of judgments, of those of identical outputs, and of judges."""
        every = self.judged.values()
        return {
            "answers": sum(map(len, every)),
            "identical": sum(int(each.identical.sum()) for each in every),
            "judges": len({name for each in every for name in each.judges}),
        }


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
    answers: _Answers = {}
    files = read_objects(names, partial(_take, answers), progress)
    excluded = tuple(dict.fromkeys(exclude_judges))
    refuse_unknown("judge", excluded, {judge for _pair, _segment, judge in answers})
    kept = {key: answer for key, answer in answers.items() if key[2] not in excluded}
    if not kept:
        raise SelectionError("no answers are left without these judges")
    return ComparisonsRead(_by_pair(kept), files, excluded)


#: r for the system whose name comes first, None for identical outputs; by pair, segment and judge.
_Answers = dict[tuple[Pair, int, str], int | None]


def _take(answers: _Answers, values: dict[str, Any], refuse: Refuse) -> dict[str, Any]:
    """Add the answer of a line, and return the line. Raises FormatError."""
    keys_check(values, _REQUIRED, _OPTIONAL, refuse)
    count_of("duration_ms", values, refuse)
    segment = integer_of("segment", values["segment"], 1, refuse)
    judge = judge_of(text_of("judge", values["judge"], refuse), "judge", refuse)
    first, second = (system_of(key, values[key], refuse) for key in ("first", "second"))
    if first == second:
        refuse("second", f"the system {first} is compared with itself", "name two systems")
    answer = _SIGNS[word_of("answer", values["answer"], _SIGNS, refuse, _REMEDY)]
    key = pair_of(first, second), segment, judge
    if key in answers:
        refuse(
            "judge",
            f"the judge {judge} answers a second time for segment {segment} of {first} and {second}",
            "keep only the last answer of a judge for a segment and pair",
        )
    answers[key] = -answer if answer and first > second else answer
    return values


def _by_pair(answers: _Answers) -> dict[Pair, PairJudgments]:
    """Return columns by pair, in an order that is not that of the lines."""
    rows: dict[Pair, list[tuple[str, int, int | None]]] = {}
    for pair, segment, judge in sorted(answers):
        rows.setdefault(pair, []).append((judge, segment, answers[pair, segment, judge]))
    return {pair: PairJudgments.of_rows(pair, own) for pair, own in rows.items()}


JSONL: Final = "comparisons-jsonl"


def _read(file: InputFile, _format: str | None) -> FileContent:
    known: _Answers = {}
    losses, answers = Losses(), []
    for number, said in json_lines(file, partial(_take, known)):
        is_identical = said["answer"] == "identical"
        losses.add(
            "identical outputs, which are not shown to judges", f"line {number}", is_identical
        )
        if not is_identical:
            answers.append(
                FileAnswer(
                    line=number,
                    judge=said["judge"],
                    segment=str(said["segment"]),
                    candidates=((said["first"],), (said["second"],)),
                    said=said["answer"],
                    duration_ms=said.get("duration_ms"),
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
    """Return the current answers, including late ones, as a file.

    Ranked blocks of two do not say the order of comparisons, and are not read back into a sort.
    """
    if file_format != JSONL:
        return ranked_file_write(task, file_format)
    return answers_written(task=task, read=_stored, line=_line, lost=_lost)


def _stored(*, task: Task, watermark: int, without: Collection[str]) -> list[tuple[Answer, Pair]]:
    """Return answers by number, each with the two systems."""
    systems = sorted(task.test_set.systems.values_list("name", flat=True))
    given = answers_given(
        task=task, watermark=watermark, pairs=combinations(systems, 2), without=without
    )
    found = [(each, pair) for pair, own in given.items() for each in own if each.is_current]
    return sorted(found, key=lambda row: row[0].number)


def _line(stored: tuple[Answer, Pair]) -> dict[str, Any]:
    answer, (first, second) = stored
    return {
        "segment": answer.segment,
        "judge": answer.judge,
        "first": first,
        "second": second,
        "answer": next(word for word, sign in _SIGNS.items() if sign == answer.answer),
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
