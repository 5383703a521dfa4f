"""Quality of the judges of a test set: measures, status, quality actions and scored attention checks."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery

from annotation.export.five_way import systems_shown
from annotation.models import (
    BlockControl,
    Judgment,
    QualityAction,
    QualityActionKind,
    QualityRule,
)
from annotation.models.quality import QualityActionQuerySet
from annotation.protocols import answer_kind
from annotation.selectors.judges import JudgeStatus, judge_statuses
from campaign.models import Campaign, Task
from ranking.core.judges.tallies import ScoredCheck, ScoredOutput
from ranking.models import LatestRanking, RankingRun
from ranking.selectors.judges import (
    TallyRow,
    judges_present,
    measures_by_judge,
)

#: For judges missing from the latest ranking, or without a ranking.
_NO_KAPPA: Final = {
    **dict.fromkeys(("kappa", "low", "high", "no_interval")),
    "agreeing": 0,
    "comparable": 0,
}


@dataclass(frozen=True, slots=True)
class JudgeQuality:
    """A judge's work and status, with agreement as of a ranking and stored measures by name."""

    pseudonym: str
    origin: str
    judged: int
    skipped: int
    agreement: Mapping[str, Any]
    status: JudgeStatus
    measures: Mapping[str, Mapping[str, Any]]


def quality_due() -> list[RankingRun]:
    """Return the latest rankings whose judges were not measured, or not by the current rules. One query."""
    newest_rule = (
        QualityRule.objects.filter(
            campaign=OuterRef("task__test_set__campaign"), switched_off_at__isnull=True
        )
        .order_by("-created_at")
        .values("created_at")
    )
    rows = LatestRanking.objects.filter(
        Q(task__ranking_upkeep__measured_at=None)
        | Q(task__ranking_upkeep__measured_watermark__lt=F("watermark"))
        | Q(task__ranking_upkeep__measured_at__lt=Subquery(newest_rule[:1]))
    )
    return [latest.as_run() for latest in rows.order_by("pk")]


def quality_rules(*, campaign: Campaign) -> QuerySet[QualityRule]:
    """Return the rules of a campaign, newest first, with the number of actions of each.

    `acted` counts all of them, `standing` those that are in force.
    """
    return (
        QualityRule.objects.filter(campaign=campaign)
        .select_related("task__test_set", "created_by", "switched_off_by")
        .annotate(
            acted=Count("actions"),
            standing=Count("actions", filter=Q(actions__reverted_at=None)),
        )
        .order_by("-id")
    )


def quality_actions(*, task: Task) -> QualityActionQuerySet:
    """Return the quality actions of a campaign, newest first, with who reverted them."""
    return (
        QualityAction.objects.filter(judge__campaign=task.test_set.campaign_id)
        .select_related("judge", "rule", "created_by", "task", "reverted_by")
        .order_by("-id")
    )


def decision_actions(*, campaign_id: int, batch: UUID) -> QuerySet[QualityAction]:
    """Return the actions of one decision about judges of a campaign, by pseudonym."""
    actions = QualityAction.objects.filter(batch=batch, judge__campaign=campaign_id)
    return actions.select_related("judge", "rule", "created_by", "task").order_by(
        "judge__pseudonym"
    )


def decision_reversals(*, campaign_id: int, batch: UUID) -> QuerySet[QualityAction]:
    """Return the actions that one decision reverted, by pseudonym."""
    reverted = QualityAction.objects.filter(revert_batch=batch, judge__campaign=campaign_id)
    return reverted.select_related("judge").order_by("judge__pseudonym")


def judges_quality(
    *, task: Task, run: RankingRun | None, tallies: Sequence[TallyRow]
) -> list[JudgeQuality]:
    """Return the quality of these judges of a test set, in their order. Two queries."""
    judges = [tally.judge_id for tally in tallies]
    statuses = judge_statuses(*judges)
    measures = measures_by_judge(task_id=task.pk, judges=judges)
    rows = [] if run is None else run.result["agreement"]["judges"]
    agreement = {row["judge"]: row for row in rows}
    return [
        JudgeQuality(
            pseudonym=tally.pseudonym,
            origin=tally.origin,
            judged=tally.judged,
            skipped=tally.standing,
            agreement={**_NO_KAPPA, **agreement.get(tally.pseudonym, {})},
            status=statuses.get(tally.judge_id, JudgeStatus.GOOD),
            measures=measures.get(tally.pseudonym, {}),
        )
        for tally in tallies
    ]


def actions_in_force(*, task: Task, judges: list[int]) -> dict[int, list[QualityAction]]:
    """Return the actions in force against these judges of a task's campaign, newest first. At most one query."""
    found: dict[int, list[QualityAction]] = {}
    if judges:
        actions = QualityAction.objects.standing().filter(
            judge__in=judges, judge__campaign=task.test_set.campaign_id
        )
        for action in actions.select_related("rule").order_by("-id"):
            found.setdefault(action.judge_id, []).append(action)
    return found


def exclusions_in_force(*, task: Task) -> QuerySet[QualityAction]:
    """Return the latest exclusion in force of each judge of a test set, by pseudonym, as `quality_actions` does."""
    latest = QualityAction.objects.in_force().filter(
        judge__campaign=task.test_set.campaign_id,
        action=QualityActionKind.EXCLUDE,
        judge__in=judges_present(task.pk).values("judge"),
    )
    latest = latest.order_by("judge", "-id").distinct("judge")
    return (
        quality_actions(task=task).filter(pk__in=latest.values("pk")).order_by("judge__pseudonym")
    )


# Judgment, judge, HIT, place in it, segment, block, and its control.
_COLUMNS = (
    "pk",
    "judge__pseudonym",
    "block__hit_id",
    "block__position",
    "block__segment__number",
    "block_id",
    "block__control",
)


def scored_checks(*, task: Task, watermark: int) -> list[ScoredCheck]:
    """Read the checks among the judgments 1…`watermark`, by the primary key of their judgments.

    One query where there is none, five otherwise, and nothing is read of HITs without a check.
    """
    kind = answer_kind(task.protocol)
    if kind.score_of_one is None:
        return []
    judged = Judgment.objects.of(task.pk).current(watermark=watermark)
    checks = judged.filter(block__control=BlockControl.ATTENTION, labels__len=1)
    hits = set(checks.order_by().values_list("block__hit_id", flat=True))
    if not hits:
        return []
    rows = list(judged.filter(block__hit__in=hits).order_by("pk").values_list(*_COLUMNS))
    answers = kind.read([row[0] for row in rows])
    shown = systems_shown({row[5] for row in rows})
    names = dict(task.test_set.systems.values_list("id", "name"))
    others: dict[tuple[str, int], list[tuple[int, ScoredOutput]]] = defaultdict(list)
    found: list[tuple[int, tuple[str, int], int, float]] = []
    for judgment, judge, hit, position, segment, block, control in rows:
        score = kind.score_of_one(answers[judgment])
        if control == BlockControl.ATTENTION:
            found.append((position, (judge, hit), segment, score))
        elif not control:
            systems = tuple(names[id_] for ids in shown[block] for id_ in ids)
            others[judge, hit].append((position, ScoredOutput(systems, score)))
    return [
        ScoredCheck(
            judge=by[0],
            segment=segment,
            score=score,
            others=[
                each for _place, each in sorted(others[by], key=lambda row: abs(row[0] - position))
            ],
        )
        for position, by, segment, score in found
    ]
