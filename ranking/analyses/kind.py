"""Kinds of analyses, and their judgments: those of a task, or of all test sets of a campaign."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from campaign.models import Task
from ranking.analyses.options import Option, Words, completed
from ranking.core.methods.bradley_terry import NotConvergedError
from ranking.files.sources import ReadingProgress
from ranking.reports import Report
from ranking.reports.inputs import Remarks, WorkFacts, recorded_remarks
from ranking.reports.tables import plain
from ranking.wording.methods import METHOD_WORDS
from ranking.wording.stopping_rules import RuleState

REFERENCE = Option(
    name="reference",
    label=_("Reference"),
    default="exclude",
    choices={"exclude": _("Left out"), "include": _("Ranked as a system")},
)
GROUP = Option(
    name="judge_group",
    label=_("Group of judges"),
    default="",
)
EXCLUDED = Option(
    name="excluded_judges",
    label=_("Excluded judges"),
    default="leave_out",
    choices={"leave_out": _("Left out"), "count": _("Included")},
)
WITHOUT = Option(
    name="without",
    label=_("Judges to leave out"),
    default=(),
    help=_("Judges are left out of this analysis only, not excluded from the campaign."),
)
DOCUMENTS = Option(
    name="documents",
    label=_("Documents"),
    default=(),
)
DOMAINS = Option(
    name="domains",
    label=_("Domains"),
    default=(),
    help=_("The part of a document’s name before “/”."),
)
#: Options of every analysis of a test set.
JUDGMENT_OPTIONS = (REFERENCE, GROUP, EXCLUDED, WITHOUT, DOCUMENTS, DOMAINS)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskBeside:
    """The judgments of another task on the same test set, which an analysis sets beside its own.

    Attributes
    ----------
    protocol : str
        A test set has one task of each.
    watermark : int
        Number of the last judgment in it; 0 before there is one.
    judgments : ChosenJudgments or None
        Those that count; None before there is one, and where they are chosen as those of the task itself are.
    """

    protocol: str
    watermark: int
    judgments: ChosenJudgments | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenJudgments:
    """The judgments of an analysis by names, so that later additions and changes do not affect it.

    Attributes
    ----------
    systems : tuple of str
        The systems that take part.
    reference : str or None
        The reference, if the test set has one.
    with_reference : bool
        Whether it is ranked.
    without : tuple of str
        Pseudonyms of judges whose judgments do not count.
    documents : tuple of str or None
        The documents whose segments count; None for all.
    skipped : dict of str to int
        Sentences that each judge had skipped when the analysis was requested.
    leave_out : tuple of str or None
        Judges who count, and without whom the analysis looks again; None if it is of another kind.
    groups : dict of str to list of str, or None
        The judges of each group of the campaign who judged the test set; None if the analysis is of another kind.
    work : WorkFacts or None
        Judges' pace at that time; None if the kind does not need it.
    shown : dict of str to (int, int), or None
        Of each system in how many of these skipped blocks it was shown, and beside the reference; None
        if the kind does not need skipped blocks.
    remarks : Remarks or None
        Skips and comments at that time; None if the kind does not need them.
    rule : RuleState or None
        Progress by the stopping rule at that time; None without one, or if it is of a kind that
        does not show it.
    beside : tuple of TaskBeside or None
        The other tasks of its test set at that time; None if the kind does not need them.
    metrics : tuple of str or None
        Digests of the metrics of its test set at that time; None if the kind does not need them.
    of_chosen_systems : bool
        Whether a design of the task was limited to some systems: then reports name those not judged.
    """

    systems: tuple[str, ...]
    reference: str | None
    with_reference: bool
    without: tuple[str, ...]
    documents: tuple[str, ...] | None
    skipped: Mapping[str, int]
    leave_out: tuple[str, ...] | None = None
    groups: Mapping[str, Sequence[str]] | None = None
    work: WorkFacts | None = None
    shown: Mapping[str, Sequence[int]] | None = None
    remarks: Remarks | None = None
    rule: RuleState | None = None
    beside: tuple[TaskBeside, ...] | None = None
    metrics: tuple[str, ...] | None = None
    of_chosen_systems: bool = False

    @property
    def recorded(self) -> dict[str, Any]:
        """Plain values; `recorded_judgments` reads them. Values that its kind does not need are left out."""
        always = ("reference", "with_reference", "documents")
        return {
            name: value
            for name, value in plain(self).items()
            if name in always or (value is not None and value is not False)
        }


def recorded_judgments(values: Mapping[str, Any]) -> ChosenJudgments:
    """Return the judgments from `ChosenJudgments.recorded`."""
    read: dict[str, Callable[[Any], Any]] = {
        "work": lambda work: WorkFacts(**work),
        "remarks": recorded_remarks,
        "rule": lambda rule: RuleState(**rule),
        "beside": lambda tasks: tuple(map(_recorded_beside, tasks)),
    }
    chosen: dict[str, Any] = {
        name: read[name](value)
        if name in read and value is not None
        else tuple(value)
        if isinstance(value, list)
        else value
        for name, value in values.items()
    }
    return ChosenJudgments(**chosen)


def _recorded_beside(values: Mapping[str, Any]) -> TaskBeside:
    judgments = values["judgments"]
    return TaskBeside(**{**values, "judgments": judgments and recorded_judgments(judgments)})


#: Called with (done, total) of the current step.
Progress = Callable[[int, int], None]
#: Called with the name of the next step; returns the callback for its progress.
Begin = Callable[[str], Progress]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisKind:
    """A kind of analysis.

    Attributes
    ----------
    name : str
        In addresses, in REST and on the command line.
    title : lazy str
    question : lazy str
        What it answers, in a sentence.
    options : sequence of Option
        Beside those of which judgments count.
    find : callable or None
        ``find(given, options, begin)`` computes the answer; options are complete. It raises ValueError, with
        words for organisers, if these judgments cannot be analysed so. Of a campaign it is called for each test
        set; None where nothing is computed.
    tell : callable
        ``tell(given, options, found)`` puts it in words, those of the language in force; of a campaign
        ``tell(rows, options)``, with a `TableRow` for each test set.
    check : callable
        Returns complete options that go together; raises OptionError where they do not.
    needs_work : bool
        Whether it asks how fast judges are; that is recorded with the question.
    needs_remarks : bool
        Whether it asks what judges skipped and commented; that is recorded, too.
    shows_rule : bool
        Whether one might stop judging by its answer. How far judging is by the stopping rule is then recorded, and part
        of the answer.
    reads_other_tasks : bool
        Whether it looks at the other tasks of the test set, too; up to which judgment is recorded with the question, and
        which of them count.
    files_are_enough : bool
        Whether files of judgments say enough, without the other tasks that it looks at.
    needs_metrics : bool
        Whether it looks at the metrics of the test set; which these are is recorded with the question.
    stands_for_ranking : bool
        Whether its first table says how good systems are where judgments compare none. Dashboards then show it, and a
        worker keeps it up to date (`ranking.services.analyses`).
    protocols : frozenset of str or None
        Whose tasks it is for; None for all whose judgments compare outputs.
    beside : str
        The option that names the protocol of another task of the test set, whose judgments are looked at, too; how many
        there were is recorded with the question. Empty: there is none.
    page : str
        The page of results it is a section of: the name of its room (`campaign.pages.desk.TEST_SET`).
    of_campaign : bool
        Whether it is of all test sets of a campaign.
    is_live : callable
        ``is_live(options)``: whether a table is of figures and rankings that are stored anyway.
    with_reference : bool
        Whether references count like systems in a table.
    read : callable or None
        ``read(task, watermark, judgments, options)`` reads what answers of the protocol say beside labels, which is then
        the ``answers`` of what is given to `find`. It raises ValueError as `find` does.
    read_files : callable or None
        ``read_files(names, options, excluded, progress)`` reads answers from files of the protocol, without those of the
        judges `excluded`; they are the ``answers`` of what is given to `find`. None: the files hold ranked blocks.
    file_options : sequence of Option
        Further options of files. With ``source_text`` among them, `find` is given the texts of that file, too.
    """

    name: str
    title: Words
    question: Words
    options: Sequence[Option] = ()
    find: Callable[[Any, Mapping[str, Any], Begin], Any] | None = None
    tell: Callable[..., Report]
    check: Callable[[Mapping[str, Any]], dict[str, Any]] = dict
    needs_work: bool = False
    needs_remarks: bool = False
    shows_rule: bool = False
    reads_other_tasks: bool = False
    files_are_enough: bool = False
    needs_metrics: bool = False
    stands_for_ranking: bool = False
    protocols: frozenset[str] | None = None
    beside: str = ""
    page: str = "ranking"
    of_campaign: bool = False
    is_live: Callable[[Mapping[str, Any]], bool] = lambda _options: False
    with_reference: bool = False
    read: Callable[[Task, int, ChosenJudgments, Mapping[str, Any]], Any] | None = None
    read_files: (
        Callable[[Sequence[str], Mapping[str, Any], Sequence[str], ReadingProgress], Any] | None
    ) = None
    file_options: Sequence[Option] = ()

    @property
    def every_option(self) -> tuple[Option, ...]:
        """Its own options, then those of which judgments of a task count."""
        return (*self.options, *(() if self.of_campaign else JUDGMENT_OPTIONS))

    @property
    def is_of_compared_files(self) -> bool:
        """True if files of judgments that compare outputs provide all its data."""
        needs_tasks = self.reads_other_tasks and not self.files_are_enough
        return self.protocols is None and not (self.needs_remarks or needs_tasks)

    def complete(self, given: Mapping[str, Any], *, of_files: bool = False) -> dict[str, Any]:
        """Return every option; raise OptionError where one is unknown, or not allowed.

        The selection of judgments in files is no option: it is given by the command's arguments.
        """
        known = (*self.options, *self.file_options) if of_files else self.every_option
        values = completed(known, given)
        return {**values, **self.check({each.name: values[each.name] for each in self.options})}


@dataclass(frozen=True, slots=True)
class AnalysisChoice:
    """A complete question: its kind, and all options, those of judgments among them."""

    kind: AnalysisKind
    options: Mapping[str, Any]

    @property
    def is_live(self) -> bool:
        """True if it is a table of stored figures, so that nothing has to be computed."""
        return self.kind.is_live(self.options)

    @property
    def digest(self) -> str:
        """The same for the same question."""
        return values_digest({"kind": self.kind.name, "options": self.recorded})

    @property
    def recorded(self) -> dict[str, Any]:
        """The options as plain values."""
        options: dict[str, Any] = plain(self.options)
        return options


@contextmanager
def converging(method: str) -> Iterator[None]:
    """Raise a readable ValueError if the estimate of a method did not converge."""
    try:
        yield
    except NotConvergedError as error:
        raise ValueError(
            gettext("%(method)s: the estimate did not converge.") % {"method": METHOD_WORDS[method]}
        ) from error


def values_digest(values: Mapping[str, Any]) -> str:
    """Return a digest of plain values."""
    text = json.dumps(values, sort_keys=True, ensure_ascii=True)
    return blake2b(text.encode(), digest_size=16, person=b"quintet-analysis").hexdigest()
