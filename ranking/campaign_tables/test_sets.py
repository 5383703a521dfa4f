"""What tables know of a test set, and of its ranking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from campaign.texts.languages import language_name
from ranking.core.ranges.sign_tests import Correction
from ranking.core.rankings.rank import Ranking
from ranking.range_choices import RangeChoice, choice_of
from ranking.range_limits import range_limits
from ranking.reports.inputs import Input
from ranking.wording.rule_states import RuleState, rule_notes


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSystem:
    """A system: its kind, a value of `SystemKind`, and whether it is constrained, None if that is not said."""

    name: str
    kind: str
    constrained: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """How much was judged in a test set.

    Attributes
    ----------
    judges, blocks, skipped : int
        As on its page: of all judges; blocks without controls and revisions.
    active_ms : int
    days : int
        With a judged block, in the time zone of the installation.
    comparisons, ties, collapsed, segments : int or None
        Of the judgments that the ranking counts: comparisons of systems, those of them that are ties,
        comparisons of different texts, and segments; None before there is one.
    counted_blocks : int or None
        The blocks that `segments` are of; None where these are not known.
    counted_systems : int or None
        The systems that `comparisons` are of.
    counted_to : int
        Number of the last judgment that the ranking counts; 0 before there is one.
    """

    judges: int
    blocks: int
    skipped: int
    active_ms: int
    days: int
    comparisons: int | None
    ties: int | None
    collapsed: int | None
    segments: int | None
    counted_blocks: int | None
    counted_systems: int | None
    counted_to: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTestSet:
    """A test set as tables tell it.

    Attributes
    ----------
    pk : int
    name, source, target : str
        Languages by their tags.
    is_closed : bool
    systems : sequence of ListedSystem
        By name, references and damaged ones among them.
    watermark : int
        Number of the last judgment that the table counts of it; 0 without any.
    skipped : int or None
        Blocks that judges who count skipped and did not rank later; None where nobody asked.
    """

    pk: int
    name: str
    source: str
    target: str
    is_closed: bool
    systems: Sequence[ListedSystem]
    watermark: int
    skipped: int | None = None

    @property
    def languages(self) -> str:
        """Both languages in words."""
        return f"{language_name(self.source)}–{language_name(self.target)}"

    @property
    def key(self) -> str:
        """The test set in names of files and plots."""
        return f"test-set-{self.pk}"

    @property
    def recorded(self) -> dict[str, Any]:
        """Plain values; `recorded_test_set` reads them."""
        return {**asdict(self), "systems": [asdict(system) for system in self.systems]}

    def names_of(self, kind: str) -> list[str]:
        """Return the names of the systems of a kind."""
        return [system.name for system in self.systems if system.kind == kind]


def recorded_test_set(values: Mapping[str, Any]) -> TableTestSet:
    """Return what `TableTestSet.recorded` recorded."""
    systems = tuple(ListedSystem(**system) for system in values["systems"])
    return TableTestSet(**{**values, "systems": systems})


@dataclass(frozen=True, slots=True)
class TableRow:
    """A test set of a table with what was found of it.

    `reason` says why nothing was, as a code or in words; `rule` how far judging is by its stopping rule, None without
    one, or where the table shows no ranking.
    """

    test_set: TableTestSet
    found: Any
    reason: str = ""
    rule: RuleState | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedTestSet:
    """The ranking of a test set, live or computed: the parts that tables tell.

    Attributes
    ----------
    method : str
    choice : RangeChoice
    systems, not_estimable : sequence of dict
        As in the result of a ranking.
    groups : sequence of sequence of str
    limits : sequence of str
    counts : mapping
        Numbers of units, for the words of limits.
    """

    method: str
    choice: RangeChoice
    systems: Sequence[Mapping[str, Any]]
    not_estimable: Sequence[Mapping[str, Any]]
    groups: Sequence[Sequence[str]]
    limits: Sequence[str]
    counts: Mapping[str, Any]

    @property
    def clusters(self) -> int | None:
        """The number of clusters; None while no rank range is estimable."""
        if self.systems and all(row.get("shortage") for row in self.systems):
            return None
        return len(
            {
                (row.get("group", 1), row["cluster"])
                for row in self.systems
                if not row.get("shortage")
            }
        )

    @property
    def first_cluster(self) -> list[str]:
        """The systems of the first cluster, best first; none if no range says so, or there is no one ranking."""
        if len(self.groups) > 1:
            return []
        return [
            row["system"] for row in self.systems if row["cluster"] == 1 and not row.get("shortage")
        ]


def ranked_test_set(given: Input, ranking: Ranking) -> RankedTestSet:
    """Return what tables tell of a computed ranking."""
    units, choice = given.units(ranking.method), choice_of(ranking)
    effective = units.effective
    return RankedTestSet(
        method=ranking.method,
        choice=choice,
        systems=ranking.rows(),
        not_estimable=[asdict(row) for row in ranking.not_estimable],
        groups=[list(group) for group in ranking.groups],
        limits=range_limits(choice, ranking.limits, effective),
        counts={
            "judges": ranking.judges,
            "segments": units.segments,
            "documents": units.documents,
            "effective_judges": effective.judges,
            "effective_documents": effective.documents,
            "effective_segments": effective.segments,
        },
    )


def live_test_set(
    *, method: str, choice: Mapping[str, Any], result: Mapping[str, Any]
) -> RankedTestSet:
    """Return the same of a stored ranking: its method, its choice of ranges and parts of its result."""
    ranges = RangeChoice(**{**choice, "correction": Correction(choice["correction"])})
    return RankedTestSet(
        method=method,
        choice=ranges,
        systems=result["systems"],
        not_estimable=result["not_estimable"],
        groups=result["groups"],
        limits=result["limits"] or [],
        counts=result["input"],
    )


def data_of(test_set: TableTestSet) -> dict[str, Any]:
    """Return a test set for programs."""
    return {
        "id": test_set.pk,
        "test_set": test_set.name,
        "source_language": test_set.source,
        "target_language": test_set.target,
        "closed": test_set.is_closed,
        "watermark": test_set.watermark,
    }


#: Codes of reasons.
NO_JUDGMENT, NOT_RANKED, DELETED = "no_judgment", "not_ranked", "deleted"


def _in_words(reason: str) -> str:
    return {
        NO_JUDGMENT: _("no judgment yet"),
        NOT_RANKED: _("not ranked yet"),
        DELETED: _("deleted since"),
    }.get(reason, reason)


def left_out_notes(rows: Sequence[TableRow]) -> list[str]:
    """Return which test sets are in a table without figures, and why."""
    return [
        _("%(test_set)s: %(reason)s.")
        % {"test_set": row.test_set.name, "reason": _in_words(row.reason).rstrip(".")}
        for row in rows
        if row.reason
    ]


def rules_of(rows: Sequence[TableRow]) -> list[str]:
    """Return how far judging of each test set is by its stopping rule, and what it means to look at it often."""
    said = [(row.test_set.name, rule_notes(row.rule)) for row in rows if row.rule is not None]
    return [
        *(
            _("%(test_set)s: %(reason)s.") % {"test_set": name, "reason": notes[0].rstrip(".。")}
            for name, notes in said
        ),
        *dict.fromkeys(note for _name, notes in said for note in notes[1:]),
    ]


def rule_data(row: TableRow) -> dict[str, Any]:
    """Return how far judging is by its stopping rule for programs; nothing without one."""
    return {} if row.rule is None else {"stopping_rule": row.rule.as_data}


def watermark_note(rows: Sequence[TableRow]) -> str:
    """Say which judgments of each test set are in a table."""
    said = watermarks((row.test_set.name, row.test_set.watermark) for row in rows)
    return _("Judgments: %(judgments)s.") % {"judgments": said}


def watermarks(named: Iterable[tuple[str, int]]) -> str:
    """Return names of test sets, each with the numbers of its first and last judgment; none of those without any."""
    return ", ".join(f"{name} 1–{number_format(last)}" for name, last in named if last) or "–"
