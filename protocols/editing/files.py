"""Edits and their acceptances as JSON Lines: an object an edit; `docs/formats.md` describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from protocols.editing.statistics.distance import character_distance
from protocols.editing.statistics.edits import OUTCOMES, Edits, Outcome
from ranking.files.json_objects import (
    boolean_of,
    candidate_of,
    count_of,
    integer_of,
    keys_check,
    list_of,
    read_objects,
    text_of,
    word_of,
)
from ranking.files.labels import Refuse, judge_of
from ranking.files.records import FileRead
from ranking.files.sources import ReadingProgress
from ranking.files.vocabulary import systems_by_row

_REQUIRED = ("segment", "systems", "judge", "outcome", "acceptances")
_OPTIONAL = ("output", "text", "keystrokes", "active_ms", "segment_id")


@dataclass(frozen=True)
class EditRecord:
    """An edit, with what others said of it; see `Edits` for what its fields are there."""

    segment: int
    systems: tuple[str, ...]
    editor: str
    outcome: Outcome
    votes: tuple[bool, ...]
    distance: int
    length: int
    active_ms: int


@dataclass(frozen=True)
class EditLine:
    """An edit as a line of a file has it, with its acceptances by judge.

    `text` is what came out, of an edited output alone; `output` is None where the file does not have it.
    """

    segment: int
    systems: tuple[str, ...]
    judge: str
    outcome: Outcome
    output: str | None
    text: str | None
    keystrokes: int | None
    active_ms: int | None
    votes: Mapping[str, bool]

    @property
    def record(self) -> EditRecord:
        """What counts of it."""
        known = {Outcome.EDITED: self.text, Outcome.UNCHANGED: self.output}.get(self.outcome)
        return EditRecord(
            segment=self.segment,
            systems=self.systems,
            editor=self.judge,
            outcome=self.outcome,
            votes=tuple(self.votes.values()),
            distance=-1
            if self.output is None or known is None
            else character_distance(self.output, known),
            length=-1 if self.output is None else len(self.output),
            active_ms=-1 if self.active_ms is None else self.active_ms,
        )


def edits_of(records: Sequence[EditRecord]) -> Edits:
    """Return edits as columns; systems by name."""
    systems, wrote = systems_by_row([edit.systems for edit in records])
    editors = {name: number for number, name in enumerate(sorted({e.editor for e in records}))}
    columns = np.array(
        [
            (
                edit.segment,
                editors[edit.editor],
                OUTCOMES.index(edit.outcome),
                sum(edit.votes),
                len(edit.votes),
                edit.distance,
                edit.length,
                edit.active_ms,
            )
            for edit in records
        ],
        dtype=np.int64,
    ).reshape(-1, 8)
    return Edits(systems, wrote, *columns.T)


@dataclass(frozen=True, eq=False)
class EditsRead:
    """The edits of all files.

    Attributes
    ----------
    files : tuple of FileRead
    edits : Edits
    editors, acceptors : int
        People who edited, and who accepted or rejected.
    own_segment : int
        Acceptances by somebody who edited the same segment, of another system: they knew it.
    """

    files: tuple[FileRead, ...]
    edits: Edits
    editors: int
    acceptors: int
    own_segment: int


def read_edits(
    names: Sequence[str], *, progress: ReadingProgress = lambda _read, _total: None
) -> EditsRead:
    """Read edits; judges and systems of the same name are the same in all files.

    Parameters
    ----------
    names : sequence of str
        Files, plain or gzip; ``-`` is standard input.
    progress : callable

    Returns
    -------
    EditsRead

    Raises
    ------
    FormatError
        With line and key, if a file is not in order; if somebody edits a segment twice, accepts what they
        edited, or accepts an edit twice; if there is a text exactly where nothing was edited, or none
        where something was.
    """
    reading = EditsOfLines()
    files = read_objects(names, reading.take, progress)
    return reading.result(files)


@dataclass
class EditsOfLines:
    """The edits read so far, and who edited and accepted what."""

    edits: list[EditRecord] = field(default_factory=list)
    edited: set[tuple[int, str]] = field(default_factory=set)
    voted: list[tuple[int, str]] = field(default_factory=list)

    def take(self, values: dict[str, Any], refuse: Refuse) -> EditLine:
        """Take a line, and return it. Raises FormatError."""
        keys_check(values, _REQUIRED, _OPTIONAL, refuse)
        segment = integer_of("segment", values["segment"], 1, refuse)
        judge = judge_of(text_of("judge", values["judge"], refuse), "judge", refuse)
        if (segment, judge) in self.edited:
            refuse(
                "judge",
                f"{judge} edits segment {segment} a second time",
                "keep one edit a judge and segment, whatever the system",
            )
        self.edited.add((segment, judge))
        outcome = Outcome(word_of("outcome", values["outcome"], Outcome, refuse))
        output = values.get("output")
        line = EditLine(
            segment=segment,
            systems=candidate_of("systems", values["systems"], refuse),
            judge=judge,
            outcome=outcome,
            output=None if output is None else text_of("output", output, refuse),
            text=_edited_text(outcome, values.get("text"), refuse),
            # For whoever reads the file: nothing is computed of them.
            keystrokes=count_of("keystrokes", values, refuse),
            active_ms=count_of("active_ms", values, refuse),
            votes=self._votes(values["acceptances"], segment, judge, outcome, refuse),
        )
        self.edits.append(line.record)
        return line

    def _votes(
        self, value: object, segment: int, editor: str, outcome: Outcome, refuse: Refuse
    ) -> Mapping[str, bool]:
        votes: dict[str, bool] = {}
        for each in list_of("acceptances", value, refuse):
            if not isinstance(each, dict) or set(each) != {"judge", "acceptable"}:
                refuse(
                    "acceptances",
                    "an acceptance has other keys than judge and acceptable",
                    'write {"judge": "j2", "acceptable": true}',
                )
            judge = judge_of(text_of("acceptances", each["judge"], refuse), "acceptances", refuse)
            if judge == editor or judge in votes:
                again = "their own edit" if judge == editor else "the edit a second time"
                refuse(
                    "acceptances", f"{judge} accepts or rejects {again}", "remove this acceptance"
                )
            votes[judge] = boolean_of("acceptances", each["acceptable"], refuse)
            self.voted.append((segment, judge))
        if votes and outcome is Outcome.UNABLE:
            refuse(
                "acceptances",
                "there is nothing to accept where the editor was unable",
                "write an empty list",
            )
        return votes

    def result(self, files: tuple[FileRead, ...]) -> EditsRead:
        return EditsRead(
            files=files,
            edits=edits_of(self.edits),
            editors=len({judge for _segment, judge in self.edited}),
            acceptors=len({judge for _segment, judge in self.voted}),
            own_segment=sum(each in self.edited for each in self.voted),
        )


def _edited_text(outcome: Outcome, value: object, refuse: Refuse) -> str | None:
    """Return what came out of an edited output; None of others."""
    if outcome is Outcome.EDITED:
        if value is None:
            refuse("text", "the text is missing", "write what came out of the edit")
        return text_of("text", value, refuse)
    if value is not None:
        refuse("text", f"there is a text, but the outcome is {outcome}", "remove one of them")
    return None
