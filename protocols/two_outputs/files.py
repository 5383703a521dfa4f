"""Answers about two outputs as JSON Lines: an object an answer; `docs/formats.md` describes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from protocols.two_outputs.arranged import ChoicesRead, Said, choices_arranged
from protocols.two_outputs.models import Verdict
from ranking.files import SelectionError
from ranking.files.json_objects import (
    candidate_of,
    count_of,
    integer_of,
    keys_check,
    read_objects,
    text_of,
    word_of,
)
from ranking.files.labels import Refuse, judge_of
from ranking.files.records import FileRead, refuse_unknown
from ranking.files.sources import ReadingProgress

_REQUIRED = ("segment", "first", "second", "judge", "answer")
_OPTIONAL = ("duration_ms",)
_OF_FOUR = frozenset({Verdict.BOTH_FINE, Verdict.BOTH_WRONG})


@dataclass(frozen=True, eq=False)
class ChoicesOfFiles:
    """The answers of all files."""

    files: tuple[FileRead, ...]
    read: ChoicesRead
    excluded_judges: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChoiceLine:
    """What a line says."""

    said: Said
    duration_ms: int | None


def read_choices(
    names: Sequence[str],
    *,
    systems: tuple[str, str] | None = None,
    exclude_judges: Sequence[str] = (),
    progress: ReadingProgress = lambda _read, _total: None,
) -> ChoicesOfFiles:
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
    ChoicesOfFiles

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
    return ChoicesOfFiles(files, reading.result(systems, excluded), excluded)


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
                "name the systems of two outputs that differ",
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
        others = _OF_FOUR if verdict is Verdict.SAME else frozenset({Verdict.SAME})
        if verdict in {Verdict.SAME, *_OF_FOUR} and others & self.verdicts:
            refuse(
                "answer",
                f"{value} stands beside {min(others)}",
                "give files of three answers, or of four, and not of both",
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
            raise SelectionError("nothing is left of these judges and systems")
        return read
