"""Answers about two outputs as arrays, as JSON Lines (`docs/formats-judgments.md`), and as files of a task."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from annotation.export.five_way import systems_shown
from campaign.formats import InputFile
from campaign.formats.errors import Loss
from campaign.formats.streams import peek
from campaign.models import Task
from protocols.frame.stored import answers_written, counted_of, judgments_counted, system_names
from protocols.models import TwoOutputsAnswer, Verdict
from protocols.two_outputs.statistics import Choice, Choices
from ranking.analyses.kind import ChosenJudgments
from ranking.export.writing import WRITTEN, ranked_file_write
from ranking.files.labels import (
    Refuse,
    candidate_of,
    count_of,
    integer_of,
    json_lines,
    judge_of,
    keys_check,
    read_objects,
    text_of,
    word_of,
)
from ranking.files.records import FileRead, SelectionError, refuse_unknown
from ranking.files.sources import ReadingProgress
from ranking.importing.ranked_answers import (
    RANKED_FORMATS,
    Ranks,
    complete_ranks,
    ranked_answers_read,
)

#: Names of systems whose outputs are the same text.
_SAME_TEXT: Final = " = "
_CHOICES: Final = {
    Verdict.FIRST: Choice.X,
    Verdict.SECOND: Choice.Y,
    Verdict.SAME: Choice.SAME,
    Verdict.BOTH_FINE: Choice.SAME,
    Verdict.BOTH_WRONG: Choice.BOTH_WRONG,
}
_MIRRORED: Final = {Choice.X: Choice.Y, Choice.Y: Choice.X}


@dataclass(frozen=True, slots=True)
class Said:
    """An answer about the output of `first`, which was shown first, and of `second`; of systems that wrote the same, all."""

    segment: int
    first: tuple[str, ...]
    second: tuple[str, ...]
    judge: str
    verdict: Verdict


@dataclass(frozen=True)
class ChoicesRead:
    """Answers about two outputs.

    Attributes
    ----------
    choices : Choices
    systems : tuple of two str, optional
        Which system X is and which Y, if all items are of the same two; None for several pairs.
    four_answers : bool
        Whether "both fine" and "both wrong" are told apart.
    files : tuple of FileRead
    excluded_judges : tuple of str
        Of files, those left out.
    """

    choices: Choices
    systems: tuple[str, str] | None
    four_answers: bool
    files: tuple[FileRead, ...] = ()
    excluded_judges: tuple[str, ...] = ()


def choices_arranged(
    said: Iterable[Said], *, systems: tuple[str, str] | None = None, four_answers: bool
) -> ChoicesRead:
    """Return answers as arrays; those about two systems if they are named."""
    rows = list(_rows_of(said, systems))
    pairs = {pair for _segment, pair, _judge, _choice in rows}
    items = {each: n for n, each in enumerate(sorted({row[:2] for row in rows}))}
    judges = sorted({judge for _segment, _pair_of, judge, _choice in rows})
    places = {judge: n for n, judge in enumerate(judges)}
    columns = [
        (items[segment, pair], places[judge], choice) for segment, pair, judge, choice in rows
    ]
    item, judge, choice = np.array(columns, dtype=np.int64).reshape(-1, 3).T
    return ChoicesRead(
        choices=Choices(item, judge, choice, tuple(judges), len(items)),
        systems=systems or (pairs.pop() if len(pairs) == 1 else None),
        four_answers=four_answers,
    )


def _rows_of(
    said: Iterable[Said], systems: tuple[str, str] | None
) -> Iterator[tuple[int, tuple[str, str], str, Choice]]:
    """Yield segment, the two systems, judge and choice of each answer."""
    for each in said:
        choice = _CHOICES[each.verdict]
        pair = _pair_of(each.first, each.second, systems)
        if pair is not None:
            yield each.segment, pair, each.judge, choice
            continue
        pair = _pair_of(each.second, each.first, systems)
        if pair is not None:
            yield each.segment, pair, each.judge, _MIRRORED.get(choice, choice)


def _pair_of(
    first: tuple[str, ...], second: tuple[str, ...], systems: tuple[str, str] | None
) -> tuple[str, str] | None:
    """Return X and Y if they are the first and the second; None if not, or not in this order."""
    if systems is not None:
        return systems if systems[0] in first and systems[1] in second else None
    one, other = (_SAME_TEXT.join(sorted(each)) for each in (first, second))
    return (one, other) if one < other else None


_REQUIRED = ("segment", "first", "second", "judge", "answer")
_OPTIONAL = ("duration_ms",)
_OF_THREE = frozenset({Verdict.SAME})
_OF_FOUR = frozenset({Verdict.BOTH_FINE, Verdict.BOTH_WRONG})


@dataclass(frozen=True, slots=True)
class ChoiceLine:
    """A line of a file."""

    said: Said
    duration_ms: int | None


def read_choices(
    names: Sequence[str],
    *,
    systems: tuple[str, str] | None = None,
    exclude_judges: Sequence[str] = (),
    progress: ReadingProgress = lambda _read, _total: None,
) -> ChoicesRead:
    """Read answers; systems and judges of the same name are the same in all files.

    Parameters
    ----------
    names : sequence of str
        Files, plain or gzip; ``-`` is standard input.
    systems : tuple of two str, optional
        Those whose outputs the answers are about; all if not given.
    exclude_judges : sequence of str
        Judges whose answers are left out.
    progress : callable

    Returns
    -------
    ChoicesRead

    Raises
    ------
    FormatError
        With file, line and key, if a file is not in order, or if three answers are mixed with four.
    SelectionError
        If a system or judge is not there, or nothing is left.
    """
    reading = ChoicesOfLines()
    files = read_objects(names, reading.take, progress)
    excluded = tuple(dict.fromkeys(exclude_judges))
    read = reading.result(systems, excluded)
    return replace(read, files=files, excluded_judges=excluded)


@dataclass
class ChoicesOfLines:
    """The answers taken so far. A judge may answer about the same outputs again."""

    said: list[Said] = field(default_factory=list)
    verdicts: set[Verdict] = field(default_factory=set)

    def take(self, values: dict[str, Any], refuse: Refuse) -> ChoiceLine:
        """Take a line, and return it. Raises FormatError."""
        keys_check(values, _REQUIRED, _OPTIONAL, refuse)
        segment = integer_of("segment", values["segment"], 1, refuse)
        first, second = (
            tuple(sorted(candidate_of(key, values[key], refuse))) for key in ("first", "second")
        )
        if both := set(first) & set(second):
            refuse(
                "second",
                f"the system {min(both)} is compared with itself",
                "name two different systems",
            )
        judge = judge_of(text_of("judge", values["judge"], refuse), "judge", refuse)
        verdict = self._verdict(values["answer"], refuse)
        said = Said(segment, first, second, judge, verdict)
        self.said.append(said)
        return ChoiceLine(said, count_of("duration_ms", values, refuse))

    def _verdict(self, value: object, refuse: Refuse) -> Verdict:
        remedy = 'write "first" or "second" for the better output, otherwise "same", or one of "both_fine" and "both_wrong"'
        verdict = Verdict(word_of("answer", value, Verdict, refuse, remedy))
        self.verdicts.add(verdict)
        others = _OF_FOUR if verdict is Verdict.SAME else _OF_THREE
        if verdict in _OF_THREE | _OF_FOUR and others & self.verdicts:
            refuse(
                "answer",
                f"{value} stands beside {min(others)}",
                "give files with three answers or with four, not both",
            )
        return verdict

    def result(self, systems: tuple[str, str] | None, excluded: tuple[str, ...]) -> ChoicesRead:
        """Return the answers, without those of excluded judges. Raises SelectionError."""
        refuse_unknown("judge", excluded, {each.judge for each in self.said})
        names = {name for each in self.said for name in (*each.first, *each.second)}
        refuse_unknown("system", systems or (), names)
        read = choices_arranged(
            (each for each in self.said if each.judge not in excluded),
            systems=systems,
            four_answers=bool(_OF_FOUR & self.verdicts),
        )
        if not read.choices.items:
            raise SelectionError("no answers are left for these judges and systems")
        return read


def choices_read(
    *,
    task: Task,
    watermark: int,
    judgments: ChosenJudgments,
    systems: tuple[str, str] | None = None,
) -> ChoicesRead:
    """Read the selected answers 1…`watermark` of a task of two outputs; if two systems are named, only those about
    them.

    Controls are left out, as of rankings. Where a text is of several systems, it counts for each of
    those named. The number of queries is constant.
    """
    said = _said(task=task, watermark=watermark, **counted_of(judgments))
    return choices_arranged(
        (each for each, _duration_ms in said),
        systems=systems,
        four_answers=bool(task.rules.get("four_answers")),
    )


def _line(stored: tuple[Said, int | None]) -> dict[str, Any]:
    said, duration_ms = stored
    return {
        "segment": said.segment,
        "first": list(said.first),
        "second": list(said.second),
        "judge": said.judge,
        "answer": said.verdict.value,
        **({} if duration_ms is None else {"duration_ms": duration_ms}),
    }


def _said(
    *,
    task: Task,
    watermark: int,
    without: Collection[str],
    documents: Collection[str] | None = None,
    systems: Collection[str] | None = None,
) -> Iterator[tuple[Said, int | None]]:
    """Yield the answers that count with their time, not by these judges, of these documents and systems; None for all."""
    judgments = judgments_counted(
        task=task, watermark=watermark, without=without, documents=documents
    )
    found = list(
        judgments.order_by("pk").values_list(
            *("block_id", "block__segment__number", "judge__pseudonym", "duration_ms"),
            "twooutputsanswer__verdict",
        )
    )
    names = system_names(task, systems)
    shown = systems_shown(block for block, *_others in found)
    for block, segment, judge, duration_ms, verdict in found:
        first, second = (
            tuple(sorted(names[id_] for id_ in ids if id_ in names)) for ids in shown[block]
        )
        if first and second:
            yield Said(segment, first, second, judge, Verdict(verdict)), duration_ms


JSONL: Final = "choices-jsonl"
_SNIFFED_BYTES: Final = 64 * 1024


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
        lose("rank differences and tied ranks")
    if first == second and rules["four_answers"]:
        raise AnswerRefusedError(
            "two outputs are tied, but this task needs “both fine” or “both wrong”",
            "import it into a task with three answers (four_answers: false)",
        )
    if first == second:
        return {"verdict": str(Verdict.SAME)}
    return {"verdict": str(Verdict.FIRST if first < second else Verdict.SECOND)}


def _write(task: Task, file_format: str) -> FileWritten:
    if file_format == JSONL:
        return answers_written(task=task, read=_said, line=_line)
    written = ranked_file_write(task, file_format)
    if not task.rules.get("four_answers"):
        return written
    count = TwoOutputsAnswer.objects.filter(judgment__task=task, verdict__in=_OF_FOUR).count()
    lost = Loss("whether both outputs are fine or both wrong", count, "judgment 1")
    return FileWritten(lines=written.lines, losses=[*written.losses, *([lost] if count else [])])


FILES: Final = AnswerFiles(
    formats=(JSONL, *RANKED_FORMATS),
    read=_read,
    answer=_answer,
    written=[JSONL, *WRITTEN],
    write=_write,
)
