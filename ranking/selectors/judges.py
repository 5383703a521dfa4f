"""Judges of a task: their work, their latest measures, the list of them, and their groups."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import (
    Case,
    Count,
    F,
    FilteredRelation,
    FloatField,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from annotation.judge_measures import JudgeMeasure
from annotation.models import JudgeTally, QualityAction
from annotation.selectors.designs import designs_in_force
from annotation.selectors.judges import JudgeStatus, status_from_actions
from campaign.models import Campaign, Judge, JudgeGroup, Task
from ranking.judge_monitoring import MeasureResult, MeasuresByJudge
from ranking.models import JudgeMeasures, RankingSettings

# Level of the test for low agreement, over all judges and all looks.
LOW_AGREEMENT_LEVEL = 0.05


class TallyRow(NamedTuple):
    """Counts of a judge in a task; `standing` are the skips not withdrawn."""

    judge_id: int
    pseudonym: str
    origin: str
    judged: int
    standing: int


def judges_present(task_id: int) -> QuerySet[JudgeTally]:
    """Return the tallies of judges of a task with a judgment or a skip in force."""
    present = Q(judged__gt=0) | Q(skipped__gt=F("taken_back"))
    return JudgeTally.objects.filter(present, task=task_id)


def judges_by_pseudonym(campaign_id: int, names: Collection[str]) -> tuple[list[Judge], list[str]]:
    """Return the judges of a campaign with these pseudonyms, and the names without a judge. One query."""
    # A null is in no text of the database.
    asked = {name for name in names if "\0" not in name}
    found = list(Judge.objects.filter(campaign=campaign_id, pseudonym__in=asked))
    return found, sorted(set(names) - {judge.pseudonym for judge in found})


#: From good to bad: the values of a judge's `gravity`.
GRAVITIES = list(JudgeStatus)


class JudgeListed(NamedTuple):
    """A judge of a test set, as of the latest measurement; `standing` are the skips not taken back.

    `gravity` is the place of their status in `GRAVITIES`, `disagrees` p of the test for low agreement.
    """

    judge_id: int
    pseudonym: str
    origin: str
    judged: int
    standing: int
    seconds: float | None
    last_at: datetime
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    disagrees: float | None
    gravity: int


def has_low_agreement(disagrees: float | None) -> bool:
    """Return whether a judge with this p agrees with the others less than these do."""
    return disagrees is not None and disagrees < LOW_AGREEMENT_LEVEL


#: A judge with a quality action in force, or who agrees with the others less than these do.
FLAGGED = Q(gravity__gt=0) | Q(disagrees__lt=LOW_AGREEMENT_LEVEL)
#: All others: no problem found, or nothing measured.
UNFLAGGED = Q(gravity=0) & (Q(disagrees=None) | Q(disagrees__gte=LOW_AGREEMENT_LEVEL))


def judges_listed(*, task: Task) -> QuerySet[JudgeTally, Any]:
    """Return the tallies of judges with the fields of `JudgeListed`: flagged first, the gravest in front.

    Two queries, of which one is for the list.
    """
    measured = FilteredRelation("judge__measures", condition=Q(judge__measures__task=task.pk))
    rows: QuerySet[Any, Any] = judges_present(task.pk).annotate(
        measured=measured,
        pseudonym=F("judge__pseudonym"),
        origin=F("judge__origin"),
        note=F("judge__note"),
        standing=F("skipped") - F("taken_back"),
        seconds=_measured_of_rows(JudgeMeasure.SECONDS),
        kappa=_measured_of_rows(JudgeMeasure.INTER),
        kappa_low=_measured_of_rows(JudgeMeasure.INTER, "low"),
        kappa_high=_measured_of_rows(JudgeMeasure.INTER, "high"),
        disagrees=_measured_of_rows(JudgeMeasure.DISAGREES),
        gravity=_gravity(task),
    )
    return rows.order_by("-gravity", F("disagrees").asc(nulls_last=True), "pseudonym")


def _measured_of_rows(measure: JudgeMeasure, number: str = "value") -> Cast:
    return Cast(KeyTextTransform(number, KeyTransform(measure, "measured__measures")), FloatField())


def _gravity(task: Task) -> Case:
    """Return an expression of the status of each judge. One query: few of them have any but a good one."""
    actions = QualityAction.objects.standing().filter(judge__campaign=task.test_set.campaign_id)
    found: dict[int, list[str]] = {}
    for judge_id, action in actions.values_list("judge", "action"):
        found.setdefault(judge_id, []).append(action)
    judges: dict[int, list[int]] = {}
    for judge_id, of_judge in found.items():
        judges.setdefault(GRAVITIES.index(status_from_actions(of_judge)), []).append(judge_id)
    return Case(
        *(When(judge__in=ids, then=Value(gravity)) for gravity, ids in judges.items()),
        default=Value(0),
        output_field=IntegerField(),
    )


@dataclass(frozen=True, slots=True)
class MeasuredTask:
    """The measures of a test set's judges, as they were computed, by the judgments 1…watermark."""

    campaign_id: int
    task_id: int
    watermark: int
    measures: MeasuresByJudge = field(default_factory=dict)


def measures_by_judge(
    *, task_id: int, judges: Collection[int] | None = None
) -> dict[str, dict[str, Any]]:
    """Return the stored measures of the judges of a test set, or of these, by pseudonym. One query."""
    rows = JudgeMeasures.objects.filter(task=task_id)
    if judges is not None:
        rows = rows.filter(judge__in=judges)
    return dict(rows.values_list("judge__pseudonym", "measures"))


def measures_of(*, judge: Judge, task: Task) -> dict[str, Any]:
    """Return the latest measures of a judge in a test set."""
    rows = JudgeMeasures.objects.filter(task=task, judge=judge)
    return rows.values_list("measures", flat=True).first() or {}


def lacks_measure(*, task_id: int, measure: JudgeMeasure) -> bool:
    """Return whether judges of a test set are measured, and none of them by this measure. One query."""
    rows = JudgeMeasures.objects.filter(task=task_id)
    found = rows.exclude(measures={}).aggregate(
        judges=Count("pk"), so_measured=Count("pk", filter=Q(measures__has_key=measure))
    )
    return bool(found["judges"]) and not found["so_measured"]


def measured_tasks(*, campaigns: Collection[int], task_id: int | None = None) -> list[MeasuredTask]:
    """Return the test sets of campaigns in which judges were measured, or one of them. One query."""
    rows = JudgeMeasures.objects.filter(task__test_set__campaign__in=campaigns).order_by("task")
    if task_id is not None:
        rows = rows.filter(task=task_id)
    found: dict[int, MeasuredTask] = {}
    columns = ("task__test_set__campaign", "task", "watermark", "judge__pseudonym", "measures")
    for campaign, of, watermark, name, measures in rows.annotate(
        watermark=F("task__ranking_upkeep__measured_watermark")
    ).values_list(*columns):
        measured = found.setdefault(of, MeasuredTask(campaign, of, watermark))
        measured.measures[name] = _results(measures)
    return list(found.values())


def results_by_judge(
    *, task_id: int, judges: Collection[int], measures: Collection[str]
) -> MeasuresByJudge:
    """Return these measures of these judges in a test set, by pseudonym. One query, which reads no other measure."""
    asked = sorted(set(measures))
    rows = JudgeMeasures.objects.filter(task=task_id, judge__in=judges).values_list(
        "judge__pseudonym", *(KeyTransform(measure, "measures") for measure in asked)
    )
    return {
        name: _results({measure: row for measure, row in zip(asked, found, strict=True) if row})
        for name, *found in rows
    }


def _results(measures: dict[str, Any]) -> dict[str, MeasureResult]:
    return {JudgeMeasure(measure): MeasureResult(**row) for measure, row in measures.items()}


def values_by_measure(*, task_id: int) -> dict[str, list[float]]:
    """Return the values of each measure over the judges of a test set, in no order. One query."""
    values = (
        Cast(KeyTextTransform("value", KeyTransform(measure, "measures")), FloatField())
        for measure in JudgeMeasure.values
    )
    columns = zip(*JudgeMeasures.objects.filter(task=task_id).values_list(*values), strict=True)
    return {
        measure: [value for value in column if value is not None]
        for measure, column in zip(JudgeMeasure.values, columns, strict=False)
    }


@dataclass(frozen=True, slots=True)
class GroupListed:
    """A group with the number of its judges, and its uses in words."""

    group: JudgeGroup
    judges: int
    uses: Sequence[str]


def groups_counted(*, campaign: Campaign) -> QuerySet[JudgeGroup]:
    """Return the groups of a campaign by name, each with its number of `judges`."""
    groups = JudgeGroup.objects.present().filter(campaign=campaign)
    return groups.annotate(judges=Count("members")).order_by("name")


def groups_listed(
    *, campaign: Campaign, counted: Iterable[JudgeGroup] | None = None
) -> list[GroupListed]:
    """Return groups of a campaign with their uses; all by name without `counted`. Two queries."""
    uses = _group_uses(campaign)
    groups: Any = groups_counted(campaign=campaign) if counted is None else counted
    return [GroupListed(group, group.judges, uses.get(group.pk, [])) for group in groups]


def group_uses(*, group: JudgeGroup) -> Sequence[str]:
    """Return the uses of a group, in words; empty if there are none. One query."""
    return _group_uses(group.campaign).get(group.pk, [])


def _group_uses(campaign: Campaign) -> dict[int, list[str]]:
    settings = RankingSettings.objects.filter(task=OuterRef("pk")).order_by("-id")[:1]
    tasks = (
        Task.objects.filter(test_set__campaign=campaign)
        .annotate(
            lent_to=Subquery(designs_in_force(task_id=OuterRef("pk")).values("judge_group")),
            ranked_by=Subquery(settings.values("judge_group")),
        )
        .order_by("id")
        .values_list("test_set__name", "lent_to", "ranked_by")
    )
    uses: dict[int, list[str]] = {}
    for name, lent_to, ranked_by in tasks:
        if lent_to is not None:
            said = _("Only judges of this group get HITs of %(task)s.") % {"task": name}
            uses.setdefault(lent_to, []).append(said)
        if ranked_by is not None:
            said = _("Only judges of this group count in the ranking of %(task)s.") % {"task": name}
            uses.setdefault(ranked_by, []).append(said)
    return uses
