"""Answers as JSON Lines: a protocol declares the keys of a line and reads the answers of a task; the rest is shared."""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from annotation.export.five_way import comments_lost, systems_shown
from annotation.models import Judgment
from annotation.models.judgment import JudgmentQuerySet
from annotation.protocols.answer_files import (
    AnswerFiles,
    FileAnswer,
    FileContent,
    FileRecords,
    FileWritten,
)
from annotation.protocols.answer_kinds import Rules
from annotation.selectors.judges import excluded_judges
from campaign.formats import InputFile
from campaign.formats.cells import Refuse, refuse_at
from campaign.formats.errors import Loss
from campaign.formats.json_text import JSONObject
from campaign.models import Task
from campaign.texts.canonical_json import json_line
from protocols.frame.repeats import CountedRows
from ranking.files.answer_records import json_records
from ranking.files.labels import (
    Objects,
    Take,
    candidate_of,
    lines_of,
    read_objects,
    values_taken,
)
from ranking.files.records import FileRead, refuse_unknown
from ranking.files.sources import ReadingProgress
from ranking.reports.analyses.kind import ChosenJudgments

Row = TypeVar("Row")
#: Values of a line by key, each as its function in `AnswerLines.keys` returned it.
LineValues = dict[str, Any]
#: Makes a row from the values of a line; refuses values that contradict each other or earlier
#: lines.
MakeRow = Callable[[LineValues, Refuse], Row]
#: Values to be written in a line, by key.
WrittenValues = Mapping[str, object]


def _no_losses(_lines: Sequence[tuple[int, Any]]) -> Sequence[Loss]:
    return ()


def _no_values(_row: Any) -> WrittenValues:
    return {}


def _nothing_lost(_task: Task, _rows: Sequence[Any]) -> list[Loss]:
    return []


def _ignore_progress(_read: int, _total: int) -> None:
    pass


def wrote_the_same(key: str, value: object, refuse: Refuse) -> tuple[str, ...]:
    """Take the name of a system, or a list of systems that wrote the same text."""
    return tuple(sorted(candidate_of(key, value, refuse)))


@dataclass(frozen=True)
class AnswersRead(Generic[Row]):
    """Answers from files, or the answers of a task that count, with its rules; the excluded judges; and the losses
    of the files.
    """

    rows: list[Row]
    files: tuple[FileRead, ...] = ()
    excluded_judges: tuple[str, ...] = ()
    losses: tuple[Loss, ...] = ()
    rules: Rules = field(default_factory=dict)


@dataclass(frozen=True)
class CountedAnswers:
    """Judgments of a task that count, by number, and the names of the participating systems, by
    ID.
    """

    task: Task
    judgments: JudgmentQuerySet
    systems: Mapping[int, str]

    def wrote(self, block_ids: Iterable[int]) -> dict[int, list[tuple[str, ...]]]:
        """Return the participating systems behind each candidate of the blocks. One query."""
        return {
            block: [
                tuple(self.systems[pk] for pk in ids if pk in self.systems)
                for ids in candidates
            ]
            for block, candidates in systems_shown(block_ids).items()
        }


def judgments_of(
    judgments: JudgmentQuerySet,
    *,
    without: Collection[str],
    documents: Collection[str] | None,
) -> JudgmentQuerySet:
    """Return the judgments of the documents (None: all), except those by the judges `without`."""
    judgments = judgments.exclude(judge__pseudonym__in=list(without))
    if documents is None:
        return judgments
    return judgments.filter(block__segment__document__name__in=list(documents))


def counted_answers(
    task: Task,
    watermark: int,
    *,
    without: Collection[str] = (),
    documents: Collection[str] | None = None,
    systems: Collection[str] | None = None,
    without_blocks: Collection[int] = (),
) -> CountedAnswers:
    """Return the current answers 1…`watermark` of a task, without controls, judges `without` and some blocks by key.

    Count only `documents` and `systems`; None means all. One query.
    """
    current = Judgment.objects.of(task.pk).counted().current(watermark=watermark)
    counted = judgments_of(current, without=without, documents=documents)
    if without_blocks:
        counted = counted.exclude(block__in=without_blocks)
    names = task.test_set.systems.values_list("id", "name")
    chosen_judges = {}
    for pk, name in names:
        if systems is None or name in systems:
            chosen_judges[pk] = name
    return CountedAnswers(
        task,
        counted.order_by("numbered__number"),
        chosen_judges,
    )


def chosen_answers(
    task: Task,
    watermark: int,
    chosen: ChosenJudgments,
) -> CountedAnswers:
    """Return the chosen answers among 1…`watermark` of a task; the reference counts if it
    participates.
    """
    if chosen.with_reference and chosen.reference:
        reference = [chosen.reference]
    else:
        reference = []
    return counted_answers(
        task,
        watermark,
        without=chosen.without,
        documents=chosen.documents,
        systems={*chosen.systems, *reference},
        without_blocks=chosen.without_blocks or (),
    )


def _json_lines(rows: Sequence[WrittenValues]) -> list[str]:
    return [json_line(row) for row in rows]


@dataclass(frozen=True, kw_only=True)
class AnswerLines(Generic[Row]):
    """JSON Lines of a protocol's answers (`docs/formats-judgments.md`).

    Attributes
    ----------
    name : str
        Name of the format.
    keys : mapping of str to callable or None
        Function that checks and converts the value of each key; None for keys that are not read.
        Rows have attributes with these names, and keys are written in this order.
    optional : collection of str
        Keys that may be missing or null.
    row_maker : callable
        Returns a function that makes the rows of one file, or of several read together.
    statements : callable or None
        Returns a row's answer by what it is about, including its judge; of rows about the same thing, one counts. None
        if judges may repeat answers on purpose.
    of_task : callable
        Reads the answers of a task. The number of queries is constant.
    answers : callable
        Returns the judges' answers contained in numbered lines.
    losses : callable
        Returns the losses: data of numbered lines that answers cannot hold.
    written : callable
        Returns the values of a line that differ from its row's attributes.
    objects : callable
        Reads the objects of a file; JSON Lines by default.
    lost : callable
        Returns the losses other than comments: data of a task that lines cannot hold, or that cannot be imported.
    """

    name: str
    keys: Mapping[str, Take | None]
    optional: Collection[str]
    row_maker: Callable[[], MakeRow[Row]]
    statements: Callable[[Row], Mapping[Hashable, Hashable]] | None
    of_task: Callable[[CountedAnswers], Iterable[Row]]
    answers: Callable[[Sequence[tuple[int, Row]]], Iterable[FileAnswer]]
    losses: Callable[[Sequence[tuple[int, Row]]], Sequence[Loss]] = _no_losses
    written: Callable[[Row], WrittenValues] = _no_values
    lost: Callable[[Task, Sequence[Row]], list[Loss]] = _nothing_lost
    objects: Callable[[InputFile], Objects] | None = None

    def read(
        self,
        names: Sequence[str],
        *,
        exclude_judges: Sequence[str] = (),
        progress: ReadingProgress = _ignore_progress,
    ) -> AnswersRead[Row]:
        """Read files, plain or gzip; ``-`` is standard input. Names mean the same judges, systems
        and texts in all files.

        Raises
        ------
        FormatError
            With file, line and key, if a file is invalid.
        SelectionError
            If an excluded judge is not in the files.
        """
        rows = CountedRows(self.statements)
        take = self._taking()

        def add(file: str, line: int, values: JSONObject, refuse: Refuse) -> None:
            rows.add(file, line, take(values, refuse), refuse)

        objects = self.objects or lines_of(self.name)
        files = read_objects(names, add, progress, objects)
        counted, losses = rows.counted()
        excluded = tuple(dict.fromkeys(exclude_judges))
        refuse_unknown("judge", excluded, {row.judge for _line, row in counted})  # type: ignore[attr-defined]
        remaining_rows = [row for _line, row in counted if row.judge not in excluded]  # type: ignore[attr-defined]
        return AnswersRead(remaining_rows, files, excluded, losses=losses.counted())

    def content(self, records: FileRecords) -> FileContent:
        """Return the judges' answers in the records of a file. Raises FormatError."""
        rows = CountedRows(self.statements, is_one_file=True)
        take = self._taking()
        for line, values in records.records:
            refuse = refuse_at(records.name, line)
            rows.add(records.name, line, take(values, refuse), refuse)
        lines, repeats = rows.counted()
        return FileContent(
            file_format=records.file_format,
            answers=self.answers(lines),
            losses=[*self.losses(lines), *repeats.counted()],
        )

    def stored(
        self,
        *,
        task: Task,
        watermark: int,
        without: Collection[str] = (),
    ) -> list[Row]:
        """Return the current answers 1…`watermark` of a task by number, except those by the judges
        `without`.
        """
        return list(self.of_task(counted_answers(task, watermark, without=without)))

    def chosen(
        self,
        task: Task,
        watermark: int,
        judgments: ChosenJudgments,
    ) -> AnswersRead[Row]:
        """Return the chosen answers among 1…`watermark` of a task."""
        rows = list(self.of_task(chosen_answers(task, watermark, judgments)))
        return AnswersRead(rows, excluded_judges=judgments.without, rules=task.rules)

    def write(
        self,
        task: Task,
        watermark: int,
        lines: Callable[[Sequence[WrittenValues]], list[str]] = _json_lines,
    ) -> FileWritten:
        """Return the current answers 1…`watermark` of a task, without excluded judges.

        `lines` returns the lines of the file for the values of all rows.
        """
        excluded = excluded_judges(campaign_id=task.test_set.campaign_id)
        rows = self.stored(task=task, watermark=watermark, without=excluded)
        return FileWritten(
            lines=lines([self._line(row) for row in rows]),
            losses=[
                *self.lost(task, rows),
                *comments_lost(task=task, watermark=watermark),
            ],
        )

    def files(self, **particular: Any) -> AnswerFiles:
        """Return the files of a protocol with this format only; `particular` are the other fields
        of `AnswerFiles`.
        """
        return AnswerFiles(
            formats=(self.name,),
            parse=partial(json_records, self.name),
            content=self.content,
            writers={self.name: self.write},
            **particular,
        )

    def _taking(self) -> Callable[[JSONObject, Refuse], Row]:
        make = self.row_maker()

        def take(values: JSONObject, refuse: Refuse) -> Row:
            row_values = values_taken(values, self.keys, self.optional, refuse)
            return make(row_values, refuse)

        return take

    def _line(self, row: Row) -> WrittenValues:
        values = {key: getattr(row, key, None) for key in self.keys}
        own = self.written(row)
        present = {}
        for key, value in {**values, **own}.items():
            if value is not None:
                present[key] = value
        return present
