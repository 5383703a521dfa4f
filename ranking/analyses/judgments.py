"""Which judgments of a test set an analysis is of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from ranking.analyses.options import Option
from ranking.reports.inputs import Remarks, WorkFacts, recorded_remarks, recorded_work
from ranking.wording.stopping_rules import RuleState, recorded_rule

REFERENCE = Option(
    name="reference",
    label=_("Reference"),
    default="exclude",
    choices={"exclude": _("left out"), "include": _("ranked like a system")},
)
GROUP = Option(
    name="judge_group",
    label=_("Judges"),
    default="",
    help=_("Only judgments of the judges of this group count."),
)
EXCLUDED = Option(
    name="excluded_judges",
    label=_("Excluded judges"),
    default="leave_out",
    choices={"leave_out": _("left out"), "count": _("count like the others")},
)
WITHOUT = Option(
    name="without",
    label=_("Without these judges"),
    default=(),
    help=_("By pseudonym, to see what would be without them. Nobody is excluded by this."),
)
DOCUMENTS = Option(
    name="documents",
    label=_("Only these documents"),
    default=(),
    help=_("All where none is named."),
)
DOMAINS = Option(
    name="domains",
    label=_("Only these domains"),
    default=(),
    help=_("A domain is what stands before “/” in the names of documents."),
)
#: Of each kind of analysis of a test set.
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

    @property
    def recorded(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "protocol": self.protocol,
            "watermark": self.watermark,
            "judgments": None if self.judgments is None else self.judgments.recorded,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenJudgments:
    """The judgments of an analysis by names, so that what is added or changed later makes no difference.

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
        Sentences that each judge skipped when the analysis was asked for.
    leave_out : tuple of str or None
        Judges who count, and without whom the analysis looks again; None if it is of another kind.
    groups : dict of str to list of str, or None
        The judges of each group of the campaign who judged the test set; None if the analysis is of another kind.
    work : WorkFacts or None
        How fast judges were when it was asked for; None if it is of a kind that does not ask.
    shown : dict of str to (int, int), or None
        Of each system in how many of these skipped blocks it was shown, and beside the reference; None
        where skipped blocks were not asked for.
    remarks : Remarks or None
        What was skipped and commented when it was asked for; None if it is of a kind that does not ask.
    rule : RuleState or None
        How far judging was by the stopping rule when it was asked for; None without one, or if it is of a kind that
        does not show it.
    beside : tuple of TaskBeside or None
        The other tasks of its test set, as they were when it was asked for; None if it is of a kind that does not ask.
    of_chosen_systems : bool
        Whether a design of the task was for chosen systems when it was asked for: then reports say which are not judged.
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
    of_chosen_systems: bool = False

    @property
    def recorded(self) -> dict[str, Any]:
        """Plain values; `recorded_judgments` reads them. What its kind does not ask for is left out."""
        asked: dict[str, Any] = {
            "leave_out": None if self.leave_out is None else list(self.leave_out),
            "groups": self.groups and {name: list(each) for name, each in self.groups.items()},
            "work": self.work and self.work.recorded,
            "shown": self.shown and {name: list(counts) for name, counts in self.shown.items()},
            "remarks": self.remarks and self.remarks.recorded,
            "rule": self.rule and self.rule.recorded,
            "beside": None if self.beside is None else [each.recorded for each in self.beside],
            "of_chosen_systems": self.of_chosen_systems or None,
        }
        return {
            "systems": list(self.systems),
            "reference": self.reference,
            "with_reference": self.with_reference,
            "without": list(self.without),
            "documents": None if self.documents is None else list(self.documents),
            "skipped": dict(self.skipped),
            **{name: value for name, value in asked.items() if value is not None},
        }


def recorded_judgments(values: Mapping[str, Any]) -> ChosenJudgments:
    """Return what `ChosenJudgments.recorded` recorded."""
    documents, leave_out = values["documents"], values.get("leave_out")
    return ChosenJudgments(
        systems=tuple(values["systems"]),
        reference=values["reference"],
        with_reference=values["with_reference"],
        without=tuple(values["without"]),
        documents=None if documents is None else tuple(documents),
        skipped=values["skipped"],
        leave_out=None if leave_out is None else tuple(leave_out),
        groups=values.get("groups"),
        work=recorded_work(values["work"]) if "work" in values else None,
        shown=values.get("shown"),
        remarks=recorded_remarks(values["remarks"]) if "remarks" in values else None,
        rule=recorded_rule(values["rule"]) if "rule" in values else None,
        beside=tuple(_recorded_beside(each) for each in values["beside"])
        if "beside" in values
        else None,
        of_chosen_systems=values.get("of_chosen_systems", False),
    )


def _recorded_beside(values: Mapping[str, Any]) -> TaskBeside:
    judgments = values["judgments"]
    return TaskBeside(
        protocol=values["protocol"],
        watermark=values["watermark"],
        judgments=None if judgments is None else recorded_judgments(judgments),
    )
