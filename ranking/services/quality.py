"""Measure judges after each ranking and apply the quality rules of the campaign."""

from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from annotation.judge_measures import JudgeMeasure
from annotation.models import QualityRule, RuleDirection
from annotation.services import quality_rule_apply
from campaign.models import Campaign, Judge, SystemKind, TestSet
from ranking.core.agreement.report import JudgeChance
from ranking.judge_monitoring import (
    PROBABILITIES,
    MeasureResult,
    MeasuresByJudge,
    measure_judges,
)
from ranking.models import QualityReport, RankingRun
from ranking.selectors.judged_blocks import attention_blocks, judged_blocks
from ranking.selectors.quality import judging_times


def quality_evaluate(*, run: RankingRun) -> QualityReport | None:
    """Measure the judges of a ranking run, store that, and apply the rules in force.

    This takes a few passes over the run's judgments without resampling, because κ with the others
    is that of the run. Excluded judges are measured as well, except for this κ and the test for low
    agreement. It can run twice: a rule acts on a judge once.

    Returns the stored report, or None if a report of later judgments is already stored.
    """
    test_set = TestSet.objects.select_related("campaign").get(pk=run.test_set_id)
    with transaction.atomic():
        measures = _measures(test_set, run)
        stored = {
            name: {str(measure): asdict(row) for measure, row in rows.items()}
            for name, rows in measures.items()
        }
        report = QualityReport.objects.select_for_update().filter(test_set=test_set).first()
        if report is not None and report.watermark > run.watermark:
            return None
        # Waits for a rule that is being added: it would count as older than this report, unread.
        Campaign.objects.select_for_update(no_key=True).get(pk=test_set.campaign_id)
        report, _created = QualityReport.objects.update_or_create(
            test_set=test_set,
            # By the same clock as the rules, which must not seem older than this.
            defaults={"watermark": run.watermark, "measures": stored, "computed_at": Now()},
        )
    report.refresh_from_db(fields=["computed_at"])
    _rules_apply(test_set, measures, watermark=run.watermark)
    return report


def is_breached(rule: QualityRule, result: MeasureResult | None) -> bool:
    """Return whether a result breaks a rule: on enough evidence, with its whole interval.

    A probability has no interval; its value is compared.
    """
    if result is None or result.evidence < rule.minimum:
        return False
    bounds = [result.value, result.low, result.high]
    if rule.measure not in PROBABILITIES and None in bounds:
        return False
    known = [bound for bound in bounds if bound is not None]
    if rule.direction == RuleDirection.BELOW:
        return max(known) < rule.threshold
    return min(known) > rule.threshold


def _measures(test_set: TestSet, run: RankingRun) -> MeasuresByJudge:
    names = {
        kind: name
        for name, kind in test_set.systems.order_by("-name").values_list("name", "kind")
        if kind != SystemKind.SYSTEM
    }
    agreement = run.result["agreement"]
    # Older runs do not record it: P(E) was the same for all judges.
    is_own = run.parameters["agreement"].get("chance_of_judges") == JudgeChance.OWN
    measures = measure_judges(
        judged_blocks(test_set_id=test_set.pk, watermark=run.watermark),
        reference=names.get(SystemKind.REFERENCE),
        attention=attention_blocks(test_set_id=test_set.pk, watermark=run.watermark),
        bad_reference=names.get(SystemKind.BAD_REFERENCE),
        p_chance="own" if is_own else agreement["p_chance"],
        seconds=judging_times(test_set_id=test_set.pk, watermark=run.watermark),
        excluded=run.parameters.get("excluded_judges", ()),
    )
    for row in agreement["judges"]:
        if row["kappa"] is not None:
            measures.setdefault(row["judge"], {})[JudgeMeasure.INTER] = MeasureResult(
                row["kappa"], row["comparable"], row["low"], row["high"]
            )
    return measures


def _rules_apply(test_set: TestSet, measures: MeasuresByJudge, *, watermark: int) -> None:
    rules = [
        rule
        for rule in QualityRule.objects.filter(
            campaign=test_set.campaign_id, switched_off_at__isnull=True
        ).order_by("pk")
        if rule.test_set_id in {None, test_set.pk}
    ]
    breached = [
        (rule, name)
        for rule in rules
        for name, rows in measures.items()
        if is_breached(rule, rows.get(rule.measure))
    ]
    judges = {
        judge.pseudonym: judge
        for judge in Judge.objects.filter(
            campaign=test_set.campaign_id, pseudonym__in={name for _rule, name in breached}
        )
    }
    for rule, name in breached:
        if name in judges:
            quality_rule_apply(
                rule=rule,
                judge=judges[name],
                test_set=test_set,
                evidence=_evidence(rule, measures[name], watermark),
            )


def _evidence(
    rule: QualityRule, measures: dict[str, MeasureResult], watermark: int
) -> dict[str, Any]:
    """Return all current measures of the judge, and the terms of the rule."""
    return {
        "watermark": watermark,
        "rule": {
            "measure": rule.measure,
            "direction": rule.direction,
            "threshold": rule.threshold,
            "minimum": rule.minimum,
        },
        "measures": {str(measure): asdict(row) for measure, row in measures.items()},
    }
