"""Input of reports: judgments, data recorded with a request, and notes on the input."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import inf
from typing import Any, NamedTuple, NotRequired, Protocol, TypedDict

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from campaign.formats.errors import Loss
from campaign.formats.json_text import JSONObject
from campaign.models.system import system_in_sentence
from campaign.texts.counted import counted
from campaign.texts.joining import comma_list, from_to
from campaign.texts.languages import language_name
from campaign.texts.studies import study_name
from ranking.core.arrays import Int64Array
from ranking.core.beside import JudgedTask, ScoredTask
from ranking.core.counting.counts import Tallies, tally
from ranking.core.diagnosis.one_system import CommentedBlock, SkippedBlock
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.registry import METHODS
from ranking.core.metrics.machine_judges import MachineAnswers
from ranking.core.metrics.people import Metric
from ranking.core.rankings.counted_judgments import (
    CountedJudgments,
    EffectiveUnits,
    effective_units,
    effective_units_of_sizes,
)
from ranking.files.records import IgnoredBecause, JudgmentFacts, JudgmentsRead
from ranking.reports.tables import Report, ReportData, Table
from version import code_version


@dataclass(frozen=True, slots=True)
class Remarks:
    """Skipped blocks, and blocks that were ranked with a comment."""

    skips: Sequence[SkippedBlock]
    comments: Sequence[CommentedBlock]


class JudgesWork(NamedTuple):
    """Blocks, words and seconds of each judge."""

    blocks: Sequence[int]
    words: Sequence[float]
    seconds: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkFacts:
    """Input of forecasts of hours and days, and the settings of the ranking.

    Attributes
    ----------
    judged : int
        Blocks judged in the test set by all judges.
    counted : int or None
        Judgments that count in its latest ranking and for its stopping rule: not those of excluded judges, nor
        of judges outside the selected group. None without a ranking.
    wanted : int or None
        Target number of blocks.
    rule_judgments : int or None
        Number of judgments at which its stopping rule is met.
    today : int
        Blocks judged by people who are not excluded since midnight, after `days`.
    days : sequence of int
        Blocks judged by people who are not excluded on each of the last seven whole days; empty with fewer days.
    pace : sequence of (blocks, words, seconds)
        Totals of each judge in the latest timed judgments.
    base_words, output_words : float or None
        Average words of source and references in a block, and of an output; None without texts.
    most_shown : int
        Maximum number of outputs in a block by the protocol.
    ranked_by : mapping or None
        Method and recorded parameters of its latest ranking; None without a ranking.
    excluded : int
        Blocks judged by judges whom the ranking leaves out, which do not count toward the target.
    """

    judged: int
    wanted: int | None
    rule_judgments: int | None
    today: int
    days: Sequence[int]
    pace: Sequence[tuple[int, float, float]]
    base_words: float | None
    output_words: float | None
    counted: int | None
    most_shown: int
    ranked_by: Mapping[str, Any] | None = None
    excluded: int = 0

    @property
    def of_judges(self) -> "JudgesWork":
        """The totals of each judge, as columns."""
        if not self.pace:
            return JudgesWork((), (), ())
        return JudgesWork(*zip(*self.pace, strict=True))

    @property
    def wanted_more(self) -> float:
        """Judgments until the target is reached; 0 without a target."""
        return max(0.0, float((self.wanted or 0) - (self.judged - self.excluded)))

    @property
    def rule_more(self) -> float:
        """Judgments that must still count to meet the stopping rule; 0 if it has no number of judgments."""
        counted = self.judged if self.counted is None else self.counted
        return max(0.0, float((self.rule_judgments or 0) - counted))

    def of_everybody(self, counting: float) -> float:
        """Return the number of judgments to make until `counting` more count, as `today` and `days` count them.

        The share that counts is that of judges who are not excluded, because the others judge no more.
        """
        if not counting or self.counted is None:
            return counting
        if not self.counted:
            return inf
        return counting * max(1.0, (self.judged - self.excluded) / self.counted)

    def words(self, outputs: float) -> float | None:
        """Return the number of words in a block with `outputs` outputs."""
        if self.base_words is None or self.output_words is None:
            return None
        return self.base_words + outputs * self.output_words


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRead:
    """A task up to a watermark.

    Attributes
    ----------
    protocol : str
        A value of `campaign.models.Protocol`, which identifies the task within its test set.
    watermark : int
        0 without a judgment.
    judged : JudgedTask, ScoredTask or None
        None if no judgment counts.
    rules : mapping
        Those of the task.
    untimed : int
        Number of judgments without active time.
    excluded_judges : sequence of str
        Judges whose judgments do not count.
    """

    protocol: str
    watermark: int
    judged: JudgedTask | ScoredTask | None
    rules: Mapping[str, object] = field(default_factory=dict)
    untimed: int = 0
    excluded_judges: Sequence[str] = ()

    @property
    def name(self) -> str:
        """Name of the task's study."""
        return study_name(self.protocol, self.rules)


def domain_of(document: str) -> str:
    """Return the domain in the name of a document; "" without one."""
    domain, slash, _rest = document.partition("/")
    if slash:
        return domain
    return ""


class Texts(Protocol):
    """The judged texts; segments are numbered from 1."""

    def words(self) -> Int64Array:
        """Return the number of words in each source by segment number; -1 if unknown, and at index 0."""

    def of(self, system: str) -> Sequence[str | None] | None:
        """Return the outputs of a system; segment number s is at index s − 1. None if unknown."""


class Corpora(Protocol):
    """All texts of a test set."""

    def sides(self, test_set: str = "") -> Mapping[str, Sequence[str]]:
        """Return the known texts of sources (""), references (their number) and systems, the latter by name.

        With `test_set`, those of another test set of the campaign; ValueError if there is none.
        """


@dataclass(frozen=True)
class JudgedInput:
    """Judgments that were read, and those in the report.

    Attributes
    ----------
    read : JudgmentsRead
    blocks : Blocks
        Blocks of `read`, without the reference if it is excluded.
    reference : str or None
        The reference among the systems of `read`, even if excluded.
    """

    read: JudgmentsRead
    blocks: Blocks
    reference: str | None

    @property
    def is_reference_excluded(self) -> bool:
        """True if there is a reference that the report leaves out."""
        return self.reference is not None and self.reference not in self.blocks.systems

    @property
    def documents(self) -> tuple[str, ...]:
        """Names of the documents by their numbers in `blocks`; empty if unknown."""
        return self.read.documents

    @property
    def judged_blocks(self) -> int:
        """Number of judged blocks."""
        return len(self.blocks)

    @cached_property
    def tallies(self) -> Tallies:
        """Wins and ties of the judgments."""
        return tally(self.blocks)

    def units(self, method: str) -> tuple[int, int | None, EffectiveUnits]:
        """Return the numbers of segments, of documents (if known) and of effective units of a ranking by a method."""
        document = self.blocks.document
        documents = None if document is None else len(np.unique(document))
        effective = effective_units(self.blocks, METHODS[method])
        return len(np.unique(self.blocks.segment)), documents, effective


@dataclass(frozen=True)
class Input(JudgedInput):
    """Judgments with what else an analysis needs; None if it was not requested or is not known.

    Attributes
    ----------
    texts : Texts or None
    leave_out : tuple of str or None
        The judges left out by an analysis of their influence; None if the judgments do not name them.
    groups : mapping of str to sequence of str, or None
        Judges by group.
    work : WorkFacts or None
        Judges' pace.
    skips_by_system : mapping of str to (int, int), or None
        For each system, the number of skipped blocks with it, and with it and the reference.
    remarks : Remarks or None
        Skips and comments.
    beside : sequence of TaskRead, or None
        This task first, then the others of its test set.
    answers
        Answers of a protocol beyond labels, as its analysis reads them.
    metrics : sequence of Metric, or None
    machines : sequence of MachineAnswers, or None
        Answers of machine judges.
    corpora : Corpora or None
        All texts, if they are stored.
    document_of : mapping of int to str, or None
        Document of each segment of the test set, judged or not, in the chosen documents.
    is_drawn_at_random : bool or None
        Whether designs draw the judged segments at random from these.
    """

    texts: Texts | None = None
    leave_out: tuple[str, ...] | None = None
    groups: Mapping[str, Sequence[str]] | None = None
    work: WorkFacts | None = None
    skips_by_system: Mapping[str, Sequence[int]] | None = None
    remarks: Remarks | None = None
    beside: Sequence[TaskRead] | None = None
    answers: Any = None
    metrics: Sequence[Metric] | None = None
    machines: Sequence[MachineAnswers] | None = None
    corpora: Corpora | None = None
    document_of: Mapping[int, str] | None = None
    is_drawn_at_random: bool | None = None

    @property
    def judged(self) -> JudgedTask | ScoredTask | None:
        """The task itself, which comes first among those of its test set; None if they were not requested."""
        if self.beside:
            return self.beside[0].judged
        return None


@dataclass(frozen=True)
class AnswersOfFiles:
    """Answers of a protocol read from files, with their texts if given."""

    answers: Any
    texts: Texts | None = None


@dataclass(frozen=True)
class CountedInput:
    """Judgments that were counted in shards and are not in memory.

    Attributes
    ----------
    read : JudgmentFacts
    counted : mapping of str to CountedJudgments
        Counts by method; at least one.
    reference : str or None
    """

    read: JudgmentFacts
    counted: Mapping[str, CountedJudgments]
    reference: str | None

    @property
    def _any(self) -> CountedJudgments:
        return next(iter(self.counted.values()))

    @property
    def is_reference_excluded(self) -> bool:
        """True if there is a reference and it is excluded."""
        return self.reference is not None and self.reference not in self._any.systems

    @property
    def judged_blocks(self) -> int:
        """Number of judged blocks."""
        return self._any.blocks

    @property
    def tallies(self) -> Tallies:
        """Wins and ties of the judgments."""
        return self._any.tallies

    def units(self, method: str) -> tuple[int, int | None, EffectiveUnits]:
        """Return the numbers of segments, of documents (if known) and of effective units of a ranking by a method."""
        counted = self.counted[method]
        return (
            counted.segments,
            counted.documents or None,
            effective_units_of_sizes(counted.sizes),
        )


AnyInput = JudgedInput | CountedInput


class FileData(TypedDict):
    """A file of judgments."""

    name: str
    sha256: str


class NotReadData(TypedDict, total=False):
    """Content of files that was not read, if any."""

    not_read: list[JSONObject]


class InputData(NotReadData):
    """The input of a report: its judgments, comparisons, ties and systems."""

    watermark: NotRequired[int]
    files: list[FileData]
    format: str | None
    source_language: str
    target_language: str
    reference: str | None
    reference_excluded: bool
    blocks: int
    skipped: int
    blank_labels: int
    comparisons: int
    ties: int
    judges: int
    excluded_judges: list[str]
    systems: int
    documents_ignored: IgnoredBecause | None
    repeated: NotRequired[int]


def input_data(inputs: AnyInput) -> InputData:
    """Return the input as plain data."""
    read = inputs.read
    tallies = inputs.tallies
    source, target = read.languages
    files: list[FileData] = []
    for file in read.files:
        files.append({"name": file.name, "sha256": file.sha256})
    ignored = read.ignored_documents
    data: InputData = {
        "files": files,
        "format": read.input_format,
        "source_language": source,
        "target_language": target,
        "reference": inputs.reference,
        "reference_excluded": inputs.is_reference_excluded,
        "blocks": inputs.judged_blocks,
        "skipped": read.skipped,
        "blank_labels": read.blank_labels,
        "comparisons": tallies.comparisons,
        "ties": tallies.tied,
        "judges": read.judges,
        "excluded_judges": list(read.excluded_judges),
        "systems": len(tallies.systems),
        "documents_ignored": None if ignored is None else ignored.reason,
    }
    if read.repeated:
        data["repeated"] = read.repeated
    if read.losses:
        data["not_read"] = list(map(asdict, read.losses))
    if read.watermark is None:
        return data
    return {"watermark": read.watermark, **data}


def input_notes(inputs: AnyInput) -> list[str]:
    """Return sentences about the input."""
    data = input_data(inputs)
    blocks = counted("%(count)s block", "%(count)s blocks", data["blocks"])
    source = _language(inputs, data["source_language"])
    target = _language(inputs, data["target_language"])
    notes = [
        _("%(languages)s: %(blocks)s, %(skipped)s skipped, %(blank)s labels blank")
        % {
            "languages": target if source == target else from_to(source, target),
            "blocks": blocks,
            "skipped": number_format(data["skipped"]),
            "blank": number_format(data["blank_labels"]),
        },
    ]
    if data["comparisons"]:
        judges = counted("%(count)s judge", "%(count)s judges", data["judges"])
        notes.append(
            _(
                "%(comparisons)s comparisons (%(ties)s ties), %(judges)s, %(systems)s systems",
            )
            % {
                "judges": judges,
                "comparisons": number_format(data["comparisons"]),
                "ties": number_format(data["ties"]),
                "systems": number_format(data["systems"]),
            },
        )
    if inputs.is_reference_excluded:
        notes.append(
            _("Left out: %(systems)s.")
            % {"systems": system_in_sentence(str(inputs.reference))},
        )
    if repeated := inputs.read.repeated:
        notes.append(
            counted(
                "%(number)s block is an exact duplicate (judge, segment, systems, ranks) and is counted.",
                "%(number)s blocks are exact duplicates (judge, segment, systems, ranks) and are counted.",
                repeated,
                number=repeated,
            ),
        )
    notes += not_read_notes(inputs.read.losses)
    return [*notes, *excluded_notes(inputs.read.excluded_judges)]


def report_on(
    inputs: AnyInput,
    *,
    notes: Sequence[str],
    tables: Sequence[Table],
    data: ReportData,
) -> Report:
    """Return a report that begins with its input and names the code version."""
    return Report(
        about=input_notes(inputs),
        notes=notes,
        tables=tables,
        data={"input": input_data(inputs), **data, "version": code_version()},
    )


def not_read_data(losses: Sequence[Loss]) -> NotReadData:
    """Return the unread content of the files as plain data; empty if there is none."""
    if losses:
        return {"not_read": list(map(asdict, losses))}
    return {}


def not_read_notes(losses: Sequence[Loss]) -> list[str]:
    """Return notes on the unread content of the files."""
    notes = []
    for loss in losses:
        count = number_format(loss.count)
        message = _("Not read: %(what)s (%(number)s times, first: %(place)s).")
        notes.append(
            message % {"what": loss.what, "number": count, "place": loss.first},
        )
    return notes


def excluded_notes(excluded: Sequence[str]) -> list[str]:
    """Return a note on judges excluded from the figures, if any."""
    if not excluded:
        return []
    return [
        counted(
            "Without %(count)d judge: %(names)s.",
            "Without %(count)d judges: %(names)s.",
            len(excluded),
            names=comma_list(excluded),
        ),
    ]


def _language(inputs: AnyInput, language: str) -> str:
    """Return the name of a language; as spelled in files, if the judgments are from files."""
    if not language:
        return pgettext("language", "unknown")
    if inputs.read.watermark is None:
        return language
    return language_name(language)


def ignored_documents_notes(inputs: AnyInput) -> list[str]:
    """Return a note on known documents that rank ranges ignore."""
    ignored = inputs.read.ignored_documents
    if ignored is None:
        return []
    if ignored.reason == IgnoredBecause.SOME_UNNAMED:
        note = _(
            "Warning: only %(naming)s of %(blocks)s judged blocks name a document, so rank ranges ignore "
            "documents and treat segments as independent. Name the document of every block or of none.",
        )
    elif ignored.reason == IgnoredBecause.ONE:
        note = _(
            "All judged blocks are from one document, so rank ranges do not generalise to other documents.",
        )
    else:
        note = _(
            "Warning: at least one segment is in two documents, so rank ranges ignore documents and treat "
            "segments as independent. Name the same document for every block of a segment.",
        )
    return [
        note
        % {
            "naming": number_format(ignored.naming),
            "blocks": number_format(inputs.judged_blocks),
        },
    ]
