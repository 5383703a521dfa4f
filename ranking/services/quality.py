"""Measure judges after each ranking and apply the quality rules of the campaign."""

from collections.abc import Sequence
from dataclasses import asdict

from django.db import transaction
from django.db.models.functions import Now

from annotation.judge_measures import JudgeMeasure
from annotation.services import quality_rule_apply
from campaign.models import Campaign, SystemKind, TestSet, User
from ranking.core.agreement.report import JudgeChance
from ranking.judge_monitoring import MeasureResult, MeasuresByJudge, measure_judges
from ranking.models import QualityReport, RankingRun
from ranking.selectors.judged_blocks import attention_blocks, judged_blocks
from ranking.selectors.quality import judging_times
from ranking.selectors.rule_effects import RuleAct, acts_held, rule_acts, rules_in_force


def quality_evaluate(*, run: RankingRun) -> QualityReport | None:
    """Measure the judges of a ranking run, store that, and apply the rules in force.

    This takes a few passes over the run's judgments without resampling, because κ with the others
    is that of the run. Excluded judges are measured as well, except for this κ and the test for low
    agreement. It can run twice: a rule acts on a judge once. Rules that would stop more than one in
    five judges wait for an organiser: see `acts_held`.

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


def rule_acts_take(*, acts: Sequence[RuleAct], confirmed_by: User | None = None) -> int:
    """Take these acts of rules; return the number of actions that were not taken before.

    The evidence names the organiser who confirmed them, if somebody was asked.
    """
    said = {"confirmed_by": confirmed_by.name} if confirmed_by else {}
    test_sets = TestSet.objects.in_bulk({act.test_set_id for act in acts})
    taken = [
        quality_rule_apply(
            rule=act.rule,
            judge=act.judge,
            test_set=test_sets[act.test_set_id],
            evidence=act.evidence | said,
        )
        for act in acts
    ]
    return sum(action is not None for action in taken)


def _rules_apply(test_set: TestSet, measures: MeasuresByJudge, *, watermark: int) -> None:
    """Take what the rules in force do by these measures, except what waits for an organiser."""
    acts = rule_acts(
        rules_in_force(campaign_id=test_set.campaign_id),
        campaign_id=test_set.campaign_id,
        test_set_id=test_set.pk,
        measures=measures,
        watermark=watermark,
    )
    held = acts_held(acts, campaign_id=test_set.campaign_id, measured=measures.keys())
    rule_acts_take(acts=[act for act in acts if act not in held])
