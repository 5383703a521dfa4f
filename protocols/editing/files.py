"""Edits and their acceptances as JSON Lines, an object an edit (`docs/formats-judgments.md`), and as files of a task."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np

from annotation.answer_files import (
    AnswerFiles,
    AnswerRefusedError,
    FileAnswer,
    FileContent,
    Lose,
)
from annotation.export.five_way import systems_shown
from campaign.formats import InputFile
from campaign.formats.errors import Loss
from campaign.models import Output, Task
from protocols.editing.answers import MAX_CHARACTERS, MAX_KEYSTROKES
from protocols.editing.statistics import FEWEST_EDITS, OUTCOMES, Edits, Outcome, character_distance
from protocols.frame.stored import answers_written, counted_of, judgments_counted, system_names
from protocols.models import EditingAnswer
from ranking.analyses.kind import ChosenJudgments
from ranking.core.beside import OutputScores
from ranking.files.labels import (
    Refuse,
    boolean_of,
    candidate_of,
    count_of,
    integer_of,
    json_lines,
    judge_of,
    keys_check,
    list_of,
    read_objects,
    text_of,
    word_of,
)
from ranking.files.records import FileRead
from ranking.files.sources import ReadingProgress
from ranking.files.vocabulary import systems_by_row

_REQUIRED = ("segment", "systems", "judge", "outcome", "acceptances")
_OPTIONAL = ("output", "text", "keystrokes", "active_ms", "segment_id")


@dataclass(frozen=True)
class Edit:
    """An edit of a file or of a task.

    Attributes
    ----------
    segment : int
        Its number in the test set.
    systems : tuple of str
        That wrote the output.
    judge : str
    outcome : Outcome
    output : str or None
        None where a file does not have it.
    text : str or None
        What came out, of an edited output alone.
    keystrokes, active_ms : int or None
    acceptances : tuple of (str, bool)
        Judge and answer; of outputs that the editor was unable to correct, of these as they are.
    """

    segment: int
    systems: tuple[str, ...]
    judge: str
    outcome: Outcome
    output: str | None
    text: str | None
    keystrokes: int | None
    active_ms: int | None
    acceptances: tuple[tuple[str, bool], ...]

    @property
    def votes(self) -> tuple[bool, ...]:
        """Acceptances that count: none for outputs that could not be corrected."""
        is_unable = self.outcome is Outcome.UNABLE
        return () if is_unable else tuple(said for _judge, said in self.acceptances)

    @property
    def distance(self) -> int:
        """Characters changed; -1 where that is not known."""
        result = {Outcome.EDITED: self.text, Outcome.UNCHANGED: self.output}.get(self.outcome)
        if self.output is None or result is None:
            return -1
        return character_distance(self.output, result)


def edits_of(edits: Sequence[Edit]) -> Edits:
    """Return edits as columns; systems by name."""
    systems, wrote = systems_by_row([edit.systems for edit in edits])
    editors = {name: number for number, name in enumerate(sorted({e.judge for e in edits}))}
    columns = np.array(
        [
            (
                edit.segment,
                editors[edit.judge],
                OUTCOMES.index(edit.outcome),
                sum(edit.votes),
                len(edit.votes),
                edit.distance,
                -1 if edit.output is None else len(edit.output),
                -1 if edit.active_ms is None else edit.active_ms,
            )
            for edit in edits
        ],
        dtype=np.int64,
    ).reshape(-1, 8)
    return Edits(systems, wrote, *columns.T)


@dataclass(frozen=True, eq=False)
class EditsRead:
    """Edits of files, or those of a task that count.

    Attributes
    ----------
    edits : Edits
    editors, acceptors : int
        People who edited, and who accepted or rejected.
    files : tuple of FileRead
    own_segment : int
        In files: acceptances by judges who knew the segment from editing another system's output.
    uncorrected : (int, int)
        Of a task: outputs that could not be corrected, but were accepted unchanged: number of acceptances, of judgments.
    """

    edits: Edits
    editors: int
    acceptors: int
    files: tuple[FileRead, ...] = ()
    own_segment: int = 0
    uncorrected: tuple[int, int] = (0, 0)


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
        With line and key, if a file is invalid; if a judge edits a segment twice, accepts their own edit, or accepts an edit twice; if there is a text exactly where nothing was edited, or none
        where something was.
    """
    reading = EditsOfLines()
    files = read_objects(names, reading.take, progress)
    return reading.result(files)


@dataclass
class EditsOfLines:
    """Edits read so far, with their editors and acceptances."""

    edits: list[Edit] = field(default_factory=list)
    edited: set[tuple[int, str]] = field(default_factory=set)
    voted: list[tuple[int, str]] = field(default_factory=list)

    def take(self, values: dict[str, Any], refuse: Refuse) -> Edit:
        """Take a line, and return it. Raises FormatError."""
        keys_check(values, _REQUIRED, _OPTIONAL, refuse)
        segment = integer_of("segment", values["segment"], 1, refuse)
        judge = judge_of(text_of("judge", values["judge"], refuse), "judge", refuse)
        if (segment, judge) in self.edited:
            refuse(
                "judge",
                f"{judge} edits segment {segment} a second time",
                "keep one edit per judge and segment",
            )
        self.edited.add((segment, judge))
        outcome = Outcome(word_of("outcome", values["outcome"], Outcome, refuse))
        output = values.get("output")
        line = Edit(
            segment=segment,
            systems=candidate_of("systems", values["systems"], refuse),
            judge=judge,
            outcome=outcome,
            output=None if output is None else text_of("output", output, refuse),
            text=_edited_text(outcome, values.get("text"), refuse),
            # Informational: not used in computations.
            keystrokes=count_of("keystrokes", values, refuse),
            active_ms=count_of("active_ms", values, refuse),
            acceptances=self._votes(values["acceptances"], segment, judge, outcome, refuse),
        )
        self.edits.append(line)
        return line

    def _votes(
        self, value: object, segment: int, editor: str, outcome: Outcome, refuse: Refuse
    ) -> tuple[tuple[str, bool], ...]:
        votes: dict[str, bool] = {}
        for each in list_of("acceptances", value, refuse):
            if not isinstance(each, dict) or set(each) != {"judge", "acceptable"}:
                refuse(
                    "acceptances",
                    "an acceptance has keys other than judge and acceptable",
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
                "there is nothing to accept if the editor was unable",
                "write an empty list",
            )
        return tuple(votes.items())

    def result(self, files: tuple[FileRead, ...]) -> EditsRead:
        return EditsRead(
            files=files,
            edits=edits_of(self.edits),
            editors=len({judge for _segment, judge in self.edited}),
            acceptors=len({judge for _segment, judge in self.voted}),
            own_segment=sum(each in self.edited for each in self.voted),
        )


def _edited_text(outcome: Outcome, value: object, refuse: Refuse) -> str | None:
    """Return the text of an edited output; None for others."""
    if outcome is Outcome.EDITED:
        if value is None:
            refuse("text", "the text is missing", "add the edited text")
        return text_of("text", value, refuse)
    if value is not None:
        refuse("text", f"there is a text, but the outcome is {outcome}", "remove one of them")
    return None


JSONL: Final = "edits-jsonl"


def _read(file: InputFile, _format: str | None) -> FileContent:
    reading = EditsOfLines()
    lines = list(json_lines(file, reading.take))
    return FileContent(file_format=JSONL, answers=_answers(lines), losses=())


def _answers(lines: Sequence[tuple[int, Edit]]) -> Iterator[FileAnswer]:
    """Yield each edit, followed by its acceptances."""
    place = 0
    for number, line in lines:
        edit = place
        yield FileAnswer(
            line=number,
            judge=line.judge,
            segment=str(line.segment),
            candidates=(line.systems,),
            said=line,
            texts=(line.output,),
            active_ms=line.active_ms,
        )
        for judge, acceptable in line.acceptances:
            yield FileAnswer(
                line=number,
                judge=judge,
                segment=str(line.segment),
                candidates=(line.systems,),
                said=acceptable,
                about=edit,
            )
        place += 1 + len(line.acceptances)


def _answer(
    said: Edit | bool, texts: Sequence[str | None], _rules: Mapping[str, Any], _lose: Lose
) -> dict[str, Any]:
    if isinstance(said, bool):
        return {"acceptable": said}
    if (said.keystrokes or 0) > MAX_KEYSTROKES:
        raise AnswerRefusedError(
            f"there are {said.keystrokes:,} keystrokes", f"correct them: {MAX_KEYSTROKES:,} at most"
        )
    if said.outcome is not Outcome.EDITED:
        return {"outcome": said.outcome.value, "keystrokes": said.keystrokes}
    if len(said.text or "") > MAX_CHARACTERS:
        raise AnswerRefusedError(
            f"what came out has {len(said.text or ''):,} characters",
            f"shorten it to {MAX_CHARACTERS:,}",
        )
    if said.text == texts[0]:
        raise AnswerRefusedError(
            "the edited text equals the output", 'write "unchanged", without a text'
        )
    return {"outcome": said.outcome.value, "text": said.text, "keystrokes": said.keystrokes}


def edits_stored(
    *,
    task: Task,
    watermark: int,
    without: Collection[str] = (),
    documents: Collection[str] | None = None,
    systems: Collection[str] | None = None,
) -> list[Edit]:
    """Read the current edits 1…`watermark` of a task by number, with their acceptances.

    Judges named in `without` count neither as editors nor as acceptors; `systems` and `documents` are those that count,
    None for all. As many queries, whatever the number of edits.
    """
    judgments = judgments_counted(
        task=task, watermark=watermark, without=without, documents=documents
    )
    answers = list(
        EditingAnswer.objects.filter(judgment__in=judgments)
        .select_related("judgment__judge", "judgment__block__segment")
        .order_by("judgment__numbered__number")
    )
    votes: dict[int | None, list[tuple[str, bool]]] = defaultdict(list)
    for answer in answers:
        if answer.acceptable is not None:
            votes[answer.edit_id].append((answer.judgment.judge.pseudonym, answer.acceptable))
    edits = [answer for answer in answers if answer.acceptable is None]
    shown = systems_shown(edit.judgment.block_id for edit in edits)
    names = system_names(task, systems)
    texts = dict(
        Output.objects.filter(
            pk__in=[edit.judgment.block.outputs[0] for edit in edits]
        ).values_list("pk", "text")
    )
    return [
        Edit(
            segment=edit.judgment.block.segment.number,
            systems=tuple(wrote),
            judge=edit.judgment.judge.pseudonym,
            outcome=(outcome := Outcome(edit.outcome)),
            output=texts[edit.judgment.block.outputs[0]] or "",
            text=edit.text if outcome is Outcome.EDITED else None,
            keystrokes=edit.keystrokes,
            active_ms=edit.judgment.active_ms,
            acceptances=tuple(votes[edit.pk]),
        )
        for edit in edits
        if (wrote := [names[id_] for id_ in shown[edit.judgment.block_id][0] if id_ in names])
    ]


def task_edits(*, task: Task, watermark: int, chosen: ChosenJudgments) -> EditsRead:
    """Return the edits of a task that were chosen, of systems that are."""
    stored = edits_stored(task=task, watermark=watermark, **counted_of(chosen))
    as_they_are = [
        said
        for edit in stored
        if edit.outcome is Outcome.UNABLE
        for _judge, said in edit.acceptances
    ]
    return EditsRead(
        edits=edits_of(stored),
        editors=len({edit.judge for edit in stored}),
        acceptors=len({judge for edit in stored for judge, _said in edit.acceptances}),
        uncorrected=(sum(as_they_are), len(as_they_are)),
    )


def _lost(edits: Sequence[Edit]) -> list[Loss]:
    unable = sum(len(edit.acceptances) for edit in edits if edit.outcome is Outcome.UNABLE)
    words = "acceptances of outputs that the editor was unable to correct"
    return [Loss(words, unable, "edits with outcome “unable”")] if unable else []


def _line(edit: Edit) -> dict[str, Any]:
    is_unable = edit.outcome is Outcome.UNABLE
    return {
        "segment": edit.segment,
        "systems": list(edit.systems),
        "judge": edit.judge,
        "outcome": edit.outcome.value,
        "output": edit.output,
        **({} if edit.text is None else {"text": edit.text}),
        **({} if edit.keystrokes is None else {"keystrokes": edit.keystrokes}),
        **({} if edit.active_ms is None else {"active_ms": edit.active_ms}),
        "acceptances": []
        if is_unable
        else [{"judge": judge, "acceptable": said} for judge, said in edit.acceptances],
    }


#: Returns the current edits of a task as JSON Lines, as `answers_written` does.
edit_lines = partial(answers_written, read=edits_stored, line=_line, lost=_lost)


def output_scores(task: Task, watermark: int, chosen: ChosenJudgments) -> OutputScores | None:
    """Return 1 for each acceptance of an edit and 0 for each rejection, of the judgments 1…`watermark` that were chosen.

    An output that its editor was unable to correct has 0, from the editor. Systems with fewer decided edits than
    `FEWEST_EDITS` have no score: a share of few deceives (Bojar et al. 2011, §4.1).
    """
    rows: list[tuple[int, str, str, float]] = []
    decided: Counter[str] = Counter()
    for edit in edits_stored(task=task, watermark=watermark, **counted_of(chosen)):
        is_unable = edit.outcome is Outcome.UNABLE
        said = ((edit.judge, False),) if is_unable else edit.acceptances
        if said:
            decided.update(edit.systems)
        rows += [
            (edit.segment, judge, system, float(accepted))
            for system in edit.systems
            for judge, accepted in said
        ]
    return OutputScores.of_rows(row for row in rows if decided[row[2]] >= FEWEST_EDITS)


FILES: Final = AnswerFiles(
    formats=(JSONL,),
    read=_read,
    answer=_answer,
    written=[JSONL],
    write=lambda task, _format: edit_lines(task=task),
)
