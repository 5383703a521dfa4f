"""The judges of a test set as a list to filter and sort: their work, what was measured, where they stand."""

from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import (
    Case,
    F,
    FilteredRelation,
    FloatField,
    IntegerField,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast

from annotation.judge_measures import JudgeMeasure
from annotation.models import JudgeTally, QualityAction
from annotation.selectors import JudgeStatus
from annotation.selectors.judges import status_from_actions
from campaign.models import Task
from ranking.selectors.judges import LOW_AGREEMENT_LEVEL, judges_present

#: From good to worst: what a judge's `gravity` counts.
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
#: The others: nothing is amiss, or nothing is measured.
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
        seconds=_measured(JudgeMeasure.SECONDS),
        kappa=_measured(JudgeMeasure.INTER),
        kappa_low=_measured(JudgeMeasure.INTER, "low"),
        kappa_high=_measured(JudgeMeasure.INTER, "high"),
        disagrees=_measured(JudgeMeasure.DISAGREES),
        gravity=_gravity(task),
    )
    return rows.order_by("-gravity", F("disagrees").asc(nulls_last=True), "pseudonym")


def _measured(measure: JudgeMeasure, number: str = "value") -> Cast:
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
