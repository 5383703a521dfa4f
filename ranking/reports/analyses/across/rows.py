"""Data of tables over several test sets, by test set and ranking, and options shared by the tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models.task import task_on
from campaign.texts.joining import comma_list, labelled
from campaign.texts.languages import language_name
from campaign.texts.studies import study_name
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.mean_scores import ScoreInfluence
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.rankings.rank import Ranking
from ranking.core.rankings.records import RankedRow, UnrankedRow
from ranking.reports.analyses.kind import EXCLUDED, GROUP
from ranking.reports.analyses.options import METHOD as ANY_METHOD
from ranking.reports.analyses.options import (
    AnalysisOptions,
    AnyOption,
    Option,
    OptionError,
)
from ranking.reports.analyses.ranking import RANGE_OPTIONS, limits_of
from ranking.reports.analyses.ranking import checked as ranges_checked
from ranking.reports.inputs import Input
from ranking.reports.tables import ReportData
from ranking.reports.wording.methods import METHOD_WORDS
from ranking.reports.wording.ranges import (
    UnitCounts,
    count_clusters,
    first_cluster,
    systems_of,
)
from ranking.reports.wording.stopping_rules import RuleState, rule_notes

#: Codes of reasons.
NO_JUDGMENT = "no_judgment"
NOT_RANKED = "not_ranked"
DELETED = "deleted"
#: Stands for the live ranking of each test set.
OWN = ""
#: Selection of judgments, the same for all test sets.
JUDGES_OPTIONS = (EXCLUDED, GROUP)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSystem:
    """A system: its kind, a value of `SystemKind`, and whether it is constrained (None if unknown)."""

    name: str
    kind: str
    constrained: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTestSet:
    """A test set in tables.

    Attributes
    ----------
    pk : int
    name, source, target : str
        Language tags.
    is_closed : bool
    systems : sequence of ListedSystem
        By name, including references and damaged references.
    watermark : int
        Number of the last judgment counted; 0 without any.
    protocol : str
        If the test set has other tasks, otherwise empty.
    rules : mapping
        Those of the task, which name its study.
    skipped : int or None
        Blocks that counted judges skipped and did not rank later; None if not requested.
    """

    pk: int
    name: str
    source: str
    target: str
    is_closed: bool
    systems: Sequence[ListedSystem]
    watermark: int
    protocol: str = ""
    rules: Mapping[str, object] = field(default_factory=dict)
    skipped: int | None = None

    @property
    def called(self) -> str:
        """Display name, with the protocol if the test set has other tasks."""
        if self.protocol:
            return task_on(self.name, study_name(self.protocol, self.rules))
        return self.name

    @property
    def languages(self) -> str:
        """Both languages in words."""
        return f"{language_name(self.source)}–{language_name(self.target)}"

    @property
    def key(self) -> str:
        """Name of the test set for files and plots."""
        return f"test-set-{self.pk}"

    def names_of(self, kind: str) -> list[str]:
        """Return the names of the systems of a kind."""
        return [system.name for system in self.systems if system.kind == kind]


#: Result of a table for a test set.
TableResult = TypeVar("TableResult")


@dataclass(frozen=True, slots=True)
class TableRow(Generic[TableResult]):
    """A test set of a table with its result, or without one.

    `reason` explains a missing result, as a code or in words; `rule` is the progress towards the stopping rule, None
    without one, or if the table shows no ranking.
    """

    test_set: TableTestSet
    result: TableResult | None
    reason: str = ""
    rule: RuleState | None = None

    @property
    def computed(self) -> TableResult:
        """The result of a row that has one, see `with_results`."""
        if self.result is None:
            raise ValueError(f"{self.test_set.called} has no result: {self.reason}")
        return self.result


def with_results(
    rows: Sequence[TableRow[TableResult]],
) -> list[TableRow[TableResult]]:
    """Return the rows that have a result."""
    return [row for row in rows if row.result is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedTestSet:
    """The parts of a ranking, live or computed, that tables show.

    Attributes
    ----------
    method : str
    choice : RangeOptions
    systems, not_estimable : sequence of dict
        As in the result of a ranking.
    groups : sequence of sequence of str
    limits : sequence of str
    counts : UnitCounts
        Numbers of units, for notes on limits.
    influence : ScoreInfluence or None
        Influence of each judge on the scores, if requested; None for stored rankings.
    """

    method: str
    choice: RangeOptions
    systems: Sequence[RankedRow]
    not_estimable: Sequence[UnrankedRow]
    groups: Sequence[Sequence[str]]
    limits: Sequence[str]
    counts: UnitCounts
    influence: ScoreInfluence | None = None

    @property
    def clusters(self) -> int | None:
        """The number of clusters; None while no rank range is estimable."""
        return count_clusters(self.systems)

    @property
    def system_names(self) -> set[str]:
        """The names of the ranked systems."""
        return set(systems_of(self.systems))

    @property
    def first_cluster(self) -> list[str]:
        """The systems of the first cluster, see `ranking.reports.wording.ranges.first_cluster`."""
        return first_cluster(self.systems, self.groups)


def ranked_test_set(inputs: Input, ranking: Ranking) -> RankedTestSet:
    """Return the data of a computed ranking for tables."""
    limits = limits_of(inputs, ranking)
    return RankedTestSet(
        method=ranking.method,
        choice=ranking.options,
        systems=ranking.rows(),
        not_estimable=ranking.unranked_rows(),
        groups=[list(group) for group in ranking.groups],
        limits=limits.codes,
        counts=limits.counts,
    )


def live_test_set(ranking: Any) -> RankedTestSet:
    """Return the data of a stored ranking for tables."""
    result = ranking.result
    return RankedTestSet(
        method=ranking.method,
        choice=RangeOptions.from_record(ranking.parameters),
        systems=result["systems"],
        not_estimable=result["not_estimable"],
        groups=result["groups"],
        limits=result["limits"],
        counts=result["input"],
    )


def data_of(test_set: TableTestSet) -> ReportData:
    """Return a test set as plain data."""
    return {
        "id": test_set.pk,
        "test_set": test_set.called,
        "source_language": test_set.source,
        "target_language": test_set.target,
        "closed": test_set.is_closed,
        "watermark": test_set.watermark,
    }


def _reason_in_words(reason: str) -> str:
    return {
        NO_JUDGMENT: _("No judgments yet."),
        NOT_RANKED: _("This test set has no ranking yet."),
        DELETED: _("The test set has been deleted."),
    }.get(reason, reason)


def row_notes(rows: Sequence[TableRow[Any]]) -> list[str]:
    """Return notes on test sets without figures, and on the progress towards the stopping rules shown."""
    without_figures = []
    of_rules = []
    shared = []
    for row in rows:
        name = row.test_set.called
        if row.reason:
            without_figures.append(labelled(name, _reason_in_words(row.reason)))
        if row.rule is not None:
            progress, *remarks = rule_notes(row.rule)
            of_rules.append(labelled(name, progress))
            shared += remarks
    return [*without_figures, *of_rules, *dict.fromkeys(shared)]


def rows_data(
    rows: Sequence[TableRow[TableResult]],
    figures: Callable[[TableRow[TableResult]], ReportData],
) -> list[ReportData]:
    """Return rows as plain data: test set, reason for missing figures, `figures`, and state of the stopping rule."""
    data: list[ReportData] = []
    for row in rows:
        values = {**data_of(row.test_set), "reason": row.reason, **figures(row)}
        if row.rule is not None:
            values["stopping_rule"] = row.rule.as_data
        data.append(values)
    return data


def watermark_note(rows: Sequence[TableRow[Any]]) -> str:
    """Return a note on the judgments of each test set in a table."""
    judged = watermarks((row.test_set.called, row.test_set.watermark) for row in rows)
    return _("Judgments: %(judgments)s.") % {"judgments": judged}


def watermarks(last_judgments: Iterable[tuple[str, int]]) -> str:
    """Return names of test sets, each with the numbers of its first and last judgment, if any."""
    judged = []
    for name, last in last_judgments:
        if last:
            judged.append(f"{name} 1–{number_format(last)}")
    return comma_list(judged) or "–"


def own_or(methods: Sequence[str]) -> Option[str]:
    """Return the option for a method, or for each test set's live ranking."""
    own = gettext_lazy("current ranking of each test set")
    return replace(
        ANY_METHOD,
        default=OWN,
        choices={OWN: own, **{name: METHOD_WORDS[name] for name in methods}},
        help=gettext_lazy(
            "Current rankings are available immediately, with the rank ranges of their settings.",
        ),
    )


#: Any method.
METHOD = own_or(list(METHODS))


def is_own(options: AnalysisOptions) -> bool:
    """Return whether the table shows each test set's live ranking."""
    return options[METHOD] == OWN


def checked(
    options: AnalysisOptions,
    *,
    of: Sequence[AnyOption] = (*RANGE_OPTIONS, *JUDGES_OPTIONS),
) -> AnalysisOptions:
    """Return complete, consistent options.

    Parameters
    ----------
    options : AnalysisOptions
    of : sequence of Option
        Options that belong to a method.

    Raises
    ------
    OptionError
        If the method does not support the ranges, or an option of a method is set for live rankings.
    """
    if not is_own(options):
        return ranges_checked(options)
    for option in of:
        if options[option] != option.default:
            raise OptionError(
                _(
                    "Choose a method to use this option: current rankings keep their own settings.",
                ),
                field=option.name,
            )
    return options
