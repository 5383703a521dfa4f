"""Kinds of analyses of a task or of all test sets of a campaign, and the judgments they use."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from hashlib import blake2b
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from campaign.formats.json_text import JSONObject
from campaign.models import Task
from ranking.core.methods.newton import NotConvergedError
from ranking.files.sources import ReadingProgress
from ranking.reports import Report
from ranking.reports.analyses.options import (
    AnalysisOptions,
    AnyOption,
    Option,
    Words,
    completed,
)
from ranking.reports.inputs import Remarks, WorkFacts
from ranking.reports.records import read_record
from ranking.reports.tables import plain
from ranking.reports.wording.methods import METHOD_WORDS
from ranking.reports.wording.stopping_rules import RuleState

REFERENCE = Option(
    "reference",
    _("Reference"),
    "exclude",
    choices={"exclude": _("Left out"), "include": _("Ranked as a system")},
)
GROUP: Option[str] = Option("judge_group", _("Group of judges"))
EXCLUDED = Option(
    "excluded_judges",
    _("Excluded judges"),
    "leave_out",
    choices={"leave_out": _("Left out"), "count": _("Included")},
)
WITHOUT: Option[tuple[str, ...]] = Option(
    "without",
    _("Judges to leave out"),
    (),
    help=_(
        "Judges are left out of this analysis only, not excluded from the campaign.",
    ),
)
DOCUMENTS: Option[tuple[str, ...]] = Option("documents", _("Documents"), ())
DOMAINS: Option[tuple[str, ...]] = Option(
    "domains",
    _("Domains"),
    (),
    help=_("The part of a document’s name before “/”."),
)
#: Options of every analysis of a test set.
JUDGMENT_OPTIONS = (REFERENCE, GROUP, EXCLUDED, WITHOUT, DOCUMENTS, DOMAINS)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgmentSelection:
    """Judgments that count, selected by name, so that later changes do not affect them.

    Attributes
    ----------
    systems : tuple of str
        Systems included.
    reference : str or None
        The reference, if the test set has one.
    with_reference : bool
        Whether the reference is ranked.
    without : tuple of str
        Pseudonyms of judges whose judgments do not count.
    documents : tuple of str or None
        The documents whose segments count; None for all.
    without_blocks : tuple of int or None
        Keys of blocks that do not count; None for none.
    of_chosen_systems : bool
        Whether a design of the task was limited to some systems; reports then name systems not judged.
    rules : mapping or None
        Rules of the task that can change while it is judged, at request time; None if it has none.
    """

    systems: tuple[str, ...]
    reference: str | None
    with_reference: bool
    without: tuple[str, ...]
    documents: tuple[str, ...] | None
    without_blocks: tuple[int, ...] | None = None
    of_chosen_systems: bool = False
    rules: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenJudgments(JudgmentSelection):
    """The judgments of an analysis, and what else it needs, as it was at request time; None if its kind does not.

    Attributes
    ----------
    skipped : dict of str to int
        Number of sentences skipped by each judge.
    leave_out : tuple of str or None
        Judges whose influence is analysed by leaving them out.
    groups : dict of str to list of str, or None
        The judges in each group of the campaign who judged the test set.
    work : WorkFacts or None
        Judges' pace.
    shown : dict of str to (int, int), or None
        For each system, the number of these skipped blocks with it, and with it and the reference.
    remarks : Remarks or None
        Skips and comments.
    rule : RuleState or None
        Progress towards the stopping rule; None without one, too.
    beside : tuple of TaskBeside or None
        The other tasks of its test set.
    metrics : tuple of str or None
        Digests of the metrics of its test set.
    machines : tuple of str or None
        Machine judges of the task with their last answers, as `machine_digests` names them; None if there are none, too.
    """

    skipped: Mapping[str, int]
    leave_out: tuple[str, ...] | None = None
    groups: Mapping[str, Sequence[str]] | None = None
    work: WorkFacts | None = None
    shown: Mapping[str, Sequence[int]] | None = None
    remarks: Remarks | None = None
    rule: RuleState | None = None
    beside: "tuple[TaskBeside, ...] | None" = None
    metrics: tuple[str, ...] | None = None
    machines: tuple[str, ...] | None = None

    @property
    def recorded(self) -> JSONObject:
        """Plain values for `from_record`, without those that the kind does not need."""
        always = ("reference", "with_reference", "documents")
        values = {}
        for name, value in plain(self).items():
            is_empty = value is None or value is False
            if name in always or not is_empty:
                values[name] = value
        return values

    @classmethod
    def from_record(cls, values: JSONObject) -> "ChosenJudgments":
        """Return the judgments from `ChosenJudgments.recorded`."""
        return read_record(cls, values)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskBeside:
    """The judgments of another task on the same test set, for comparison.

    Attributes
    ----------
    protocol : str
        Protocol of the task; a test set has at most one task per protocol.
    watermark : int
        Number of its last judgment; 0 without any.
    judgments : ChosenJudgments or None
        Judgments that count; None without any, or if they are chosen as for the task itself.
    """

    protocol: str
    watermark: int
    judgments: ChosenJudgments | None = None


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """An answer in JSON, with the systems behind each candidate."""

    segment: int
    judge: str
    candidates: Sequence[tuple[str, ...]]
    answer: JSONObject


#: Called with (done, total) of the current step.
Progress = Callable[[int, int], None]
#: Called with the name of the next step; returns the callback for its progress.
Begin = Callable[[str], Progress]


class Need(Enum):
    """Input besides judgments; what it was is recorded with the request."""

    #: Judges' pace.
    WORK = auto()
    #: Skips and comments.
    REMARKS = auto()
    #: Progress towards the stopping rule, because the answer may influence when to stop judging.
    RULE = auto()
    #: The other tasks of the test set, with their watermarks and counting judgments.
    OTHER_TASKS = auto()
    #: The metrics of the test set.
    METRICS = auto()
    #: The last answers of machine judges.
    MACHINES = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisKind:
    """A kind of analysis of a task whose judgments compare outputs.

    Attributes
    ----------
    name : str
        Name in addresses, in REST and on the command line.
    title : lazy str
    question : lazy str
        The question it answers, in a sentence.
    options : sequence of Option
        Options besides the selection of judgments; their declarations are those of pages, REST, commands and records.
    find : callable or None
        ``find(inputs, options, begin)`` computes the answer from complete options. It raises ValueError, with
        a message for organisers, if these judgments cannot be analysed this way. None if nothing is computed.
    tell : callable
        ``tell(inputs, options, answer)`` makes the report in the current language.
    check : callable
        Returns consistent options from complete ones; raises OptionError if they contradict each other.
    needs : frozenset of Need
    files_are_enough : bool
        Whether files of judgments are sufficient without the other tasks.
    page : str
        The results page that contains its section, by its name in `campaign.pages.desk.TEST_SET`.
    is_slow : bool
        Whether it can take half a minute with its defaults; quicker ones are then computed first.
    """

    name: str
    title: Words
    question: Words
    options: Sequence[AnyOption] = ()
    find: Callable[[Any, Any, Begin], Any] | None = None
    tell: Callable[..., Report]
    check: Callable[[AnalysisOptions], AnalysisOptions] | None = None
    needs: frozenset[Need] = frozenset()
    files_are_enough: bool = False
    page: str = "ranking"
    is_slow: bool = False

    @property
    def of_campaign(self) -> bool:
        """Return whether the analysis covers all test sets of a campaign."""
        return False

    @property
    def every_option(self) -> tuple[AnyOption, ...]:
        """The options of the kind, then those for selecting judgments of a task."""
        return (*self.options, *JUDGMENT_OPTIONS)

    @property
    def options_of_files(self) -> tuple[AnyOption, ...]:
        """The options for files, whose judgments are selected by command-line arguments."""
        return tuple(self.options)

    @property
    def reads_other_tasks(self) -> bool:
        """True if it needs the other tasks of the test set."""
        return Need.OTHER_TASKS in self.needs

    @property
    def is_of_compared_files(self) -> bool:
        """True if files of judgments that compare outputs are sufficient input."""
        needs_tasks = self.reads_other_tasks and not self.files_are_enough
        return not (Need.REMARKS in self.needs or needs_tasks)

    def is_live(self, _options: AnalysisOptions) -> bool:
        """Return whether it uses only stored figures and live rankings."""
        return False

    def complete(
        self,
        values: Mapping[str, Any],
        *,
        of_files: bool = False,
    ) -> AnalysisOptions:
        """Return all options; raise OptionError if one is unknown or not allowed."""
        options = self.options_of_files if of_files else self.every_option
        complete = completed(options, values)
        if self.check is None:
            return complete
        return complete.replaced(self.check(AnalysisOptions(complete.of(self.options))))

    def options_of_record(self, recorded: JSONObject) -> AnalysisOptions:
        """Return the options of the kind from `AnalysisChoice.recorded`."""
        values = {}
        for option in self.options:
            values[option.name] = option.read(recorded[option.name])
        return AnalysisOptions(values)


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignTable(AnalysisKind):
    """A table of all test sets of a campaign.

    `find` is called for each test set, and ``tell(rows, options)`` gets a `TableRow` for each.

    Attributes
    ----------
    with_reference : bool
        Whether references count as systems.
    uses_stored_figures : callable
        ``uses_stored_figures(options)`` returns whether it uses only stored figures and live rankings.
    """

    with_reference: bool = False
    uses_stored_figures: Callable[[AnalysisOptions], bool] | None = None

    @property
    def of_campaign(self) -> bool:
        """Return whether the analysis covers all test sets of a campaign."""
        return True

    @property
    def every_option(self) -> tuple[AnyOption, ...]:
        """The options of the table."""
        return tuple(self.options)

    def is_live(self, options: AnalysisOptions) -> bool:
        """Return whether it uses only stored figures and live rankings."""
        if self.uses_stored_figures is None:
            return False
        return self.uses_stored_figures(options)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolAnalysis(AnalysisKind):
    """A kind of analysis of the answers of some protocols.

    Attributes
    ----------
    protocols : frozenset of str
    fits : callable or None
        ``fits(task)`` returns whether it is available for a task of these protocols; it is for all if None.
    beside : str
        Name of the option for the protocol of another task of the test set whose judgments are needed too; its
        watermark is recorded with the request. Empty if there is none.
    stands_for_ranking : bool
        Whether its first table replaces the ranking if no judgments compare systems. Dashboards then show it, and a
        worker keeps it up to date (`ranking.services.analyses`).
    read : callable or None
        ``read(task, watermark, judgments, options)`` reads answers of the protocol beyond labels, passed to `find` as
        ``inputs.answers``. It raises ValueError as `find` does.
    read_files : callable or None
        ``read_files(names, options, excluded, progress)`` reads answers from files of the protocol, without those of the
        `excluded` judges, passed to `find` as ``inputs.answers``. None if the files contain ranked blocks.
    file_options : sequence of Option
        Additional options for files. If they include ``source_text``, `find` gets the texts of that file, too.
    """

    protocols: frozenset[str]
    fits: Callable[[Task], bool] | None = None
    beside: str = ""
    stands_for_ranking: bool = False
    read: Callable[[Task, int, ChosenJudgments, Any], Any] | None = None
    read_files: (
        Callable[[Sequence[str], Any, Sequence[str], ReadingProgress], Any] | None
    ) = None
    file_options: Sequence[AnyOption] = ()

    @property
    def options_of_files(self) -> tuple[AnyOption, ...]:
        """The options for files, whose judgments are selected by command-line arguments."""
        return (*self.options, *self.file_options)

    @property
    def is_of_compared_files(self) -> bool:
        """True if files of judgments that compare outputs are sufficient input."""
        return False

    def is_for(self, task: Task) -> bool:
        """Return whether the analysis is available for a task."""
        if task.protocol not in self.protocols:
            return False
        return self.fits is None or self.fits(task)


@dataclass(frozen=True, slots=True)
class AnalysisChoice:
    """A complete request: the kind and all options, including those for selecting judgments."""

    kind: AnalysisKind
    options: AnalysisOptions

    @property
    def is_live(self) -> bool:
        """True if it is a table of stored figures that needs no computation."""
        return self.kind.is_live(self.options)

    @property
    def digest(self) -> str:
        """Digest that is equal for equal requests."""
        return values_digest({"kind": self.kind.name, "options": self.recorded})

    @property
    def recorded(self) -> JSONObject:
        """The options as plain values."""
        options: JSONObject = plain(self.options)
        return options


@contextmanager
def converging(method: str) -> Iterator[None]:
    """Raise a readable ValueError if the estimate of a method does not converge."""
    try:
        yield
    except NotConvergedError as error:
        raise ValueError(
            gettext("%(method)s: the estimate did not converge.")
            % {"method": METHOD_WORDS[method]},
        ) from error


def values_digest(values: JSONObject) -> str:
    """Return a digest of plain values."""
    text = json.dumps(values, sort_keys=True, ensure_ascii=True)
    return blake2b(
        text.encode(),
        digest_size=16,
        person=b"quintet-analysis",
    ).hexdigest()
