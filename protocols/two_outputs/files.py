"""Answers about two outputs as JSON Lines: an object an answer; `docs/formats.md` describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from campaign.formats import system_name_problem
from protocols.two_outputs.arranged import ChoicesRead, Said, choices_arranged
from protocols.two_outputs.models import Verdict
from ranking.files import SelectionError
from ranking.files.json_objects import integer_of, keys_check, list_of, read_objects, text_of
from ranking.files.labels import Refuse, judge_of
from ranking.files.records import FileRead
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
        first, second = (_systems(values, key, refuse) for key in ("first", "second"))
        if both := set(first) & set(second):
            refuse(
                "second",
                f"the system {min(both)} is compared with itself",
                "name the systems of two outputs that differ",
            )
        judge = judge_of(text_of("judge", values["judge"], refuse), "judge", refuse)
        verdict = self._verdict(values["answer"], refuse)
        duration_ms = values.get("duration_ms")
        if duration_ms is not None:
            duration_ms = integer_of("duration_ms", duration_ms, 0, refuse)
        said = Said(segment, first, second, judge, verdict)
        self.said.append(said)
        return ChoiceLine(said, duration_ms)

    def _verdict(self, value: object, refuse: Refuse) -> Verdict:
        if not isinstance(value, str) or value not in Verdict:
            refuse(
                "answer",
                f"{value!r} is none of {', '.join(Verdict)}",
                'write "first" or "second" for the better output, otherwise "same", or one of "both_fine" and "both_wrong"',
            )
        verdict = Verdict(value)
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
        judges = sorted({each.judge for each in self.said})
        if unknown := [judge for judge in excluded if judge not in judges]:
            raise SelectionError(f"there is no judge {unknown[0]!r}; there are {', '.join(judges)}")
        names = sorted({name for each in self.said for name in (*each.first, *each.second)})
        if unknown := [name for name in systems or () if name not in names]:
            raise SelectionError(f"there is no system {unknown[0]!r}; there are {', '.join(names)}")
        read = choices_arranged(
            (each for each in self.said if each.judge not in excluded),
            systems=systems,
            four_answers=bool(_OF_FOUR & self.verdicts),
        )
        if not read.choices.items:
            raise SelectionError("nothing is left of these judges and systems")
        return read


def _systems(values: Mapping[str, Any], key: str, refuse: Refuse) -> tuple[str, ...]:
    """Take the name of a system, or a list of those that wrote the same."""
    value = values[key]
    names = list_of(key, value, refuse) if not isinstance(value, str) else [value]
    if not names:
        refuse(key, "the list is empty", "name a system at least")
    for name in names:
        if problem := system_name_problem(text_of(key, name, refuse)):
            refuse(key, problem, "write the name of one system as everywhere else")
        if names.count(name) > 1:
            refuse(key, f"{name} stands there twice", "name each system once")
    return tuple(sorted(names))
