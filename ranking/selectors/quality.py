"""Quality of the judges of a test set: measures, status and quality actions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Judgment, QualityAction, QualityRule
from campaign.models import Campaign, Judge, TestSet
from ranking.models import QualityReport, RankingRun
from ranking.selectors.judges import JudgeRow, judge_rows


@dataclass(frozen=True, slots=True)
class JudgeQuality:
    """A judge's work and status, with stored measures by name and quality actions."""

    row: JudgeRow
    measures: Mapping[str, Mapping[str, Any]]
    actions: tuple[QualityAction, ...]


def judging_times(*, test_set_id: int, watermark: int) -> dict[str, npt.NDArray[np.float64]]:
    """Return the seconds of each judge's first judgments that count, active if measured."""
    rows = (
        Judgment.objects.of(test_set_id)
        .until(watermark)
        .counted()
        .filter(supersedes__isnull=True)
        .annotate(ms=Coalesce(F("active_ms"), F("duration_ms")))
        .filter(ms__isnull=False)
        .values_list("judge__pseudonym", "ms")
    )
    times: dict[str, list[float]] = {}
    for name, milliseconds in rows.iterator(chunk_size=5000):
        times.setdefault(name, []).append(milliseconds / 1000)
    return {name: np.array(values) for name, values in times.items()}


def quality_due() -> list[RankingRun]:
    """Return the latest runs whose judges were not measured, or not by the current rules."""
    latest = RankingRun.objects.filter(test_set=OuterRef("pk")).order_by("-id")
    newest_rule = (
        QualityRule.objects.filter(campaign=OuterRef("campaign"), switched_off_at__isnull=True)
        .order_by("-created_at")
        .values("created_at")
    )
    rows = TestSet.objects.annotate(
        run_id=Subquery(latest.values("pk")[:1]),
        ranked_to=Subquery(latest.values("watermark")[:1]),
        rule_at=Subquery(newest_rule[:1]),
    ).filter(
        Q(quality_report__isnull=True)
        | Q(quality_report__watermark__lt=F("ranked_to"))
        | Q(quality_report__computed_at__lt=F("rule_at")),
        run_id__isnull=False,
    )
    run_ids = rows.values_list("run_id", flat=True)
    return list(RankingRun.objects.filter(pk__in=list(run_ids)).order_by("pk"))


def quality_rules(*, campaign: Campaign) -> QuerySet[QualityRule]:
    """Return the rules of a campaign, newest first, with the number of actions of each.

    `acted` counts all of them, `standing` those that are in force.
    """
    return (
        QualityRule.objects.filter(campaign=campaign)
        .select_related("test_set", "created_by", "switched_off_by")
        .annotate(
            acted=Count("actions"),
            standing=Count("actions", filter=Q(actions__reversal__isnull=True)),
        )
        .order_by("-id")
    )


def quality_actions(*, test_set: TestSet) -> QuerySet[QualityAction]:
    """Return the quality actions of a campaign, newest first, with who reverted them."""
    return (
        QualityAction.objects.filter(judge__campaign=test_set.campaign_id)
        .select_related(
            "judge", "rule", "created_by", "test_set", "reversal", "reversal__created_by"
        )
        .order_by("-id")
    )


def measures_of(*, judge: Judge, test_set: TestSet) -> dict[str, Any]:
    """Return the latest measures of a judge in a test set."""
    report = QualityReport.objects.filter(test_set=test_set).first()
    found: dict[str, Any] = report.measures.get(judge.pseudonym, {}) if report else {}
    return found


def judges_quality(*, test_set: TestSet, run: RankingRun | None) -> list[JudgeQuality]:
    """Return all judges of a test set, by pseudonym. Six queries for any number of judges."""
    report = QualityReport.objects.filter(test_set=test_set).first()
    rows = judge_rows(test_set=test_set, run=run, report=report)
    measures: dict[str, Any] = report.measures if report else {}
    actions: dict[int, list[QualityAction]] = {}
    for action in quality_actions(test_set=test_set):
        actions.setdefault(action.judge_id, []).append(action)
    return [
        JudgeQuality(
            row=row,
            measures=measures.get(row.pseudonym, {}),
            actions=tuple(actions.get(row.judge_id, ())),
        )
        for row in rows
    ]
