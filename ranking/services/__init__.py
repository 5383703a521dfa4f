"""Writes of the ranking app: rankings, and actions on judges by quality rules."""

from ranking.services.judge_decisions import decision_take
from ranking.services.latest_rankings import latest_ranking_keep, rankings_of_days_keep
from ranking.services.planned_runs import SEED
from ranking.services.quality import quality_evaluate
from ranking.services.rules import (
    ConfirmationNeededError,
    RulesInForce,
    rule_release,
    rule_replace,
    rules_preview,
    rules_put_in_force,
)
from ranking.services.runs import (
    ComputedRun,
    ranking_compute,
    ranking_history_compute,
    ranking_run_compute,
    ranking_run_reproduce,
)
from ranking.services.settings import ranking_settings_change
from ranking.services.stopping_rules import StoppingRuleError, stopping_rule_set

__all__ = [
    "SEED",
    "ComputedRun",
    "ConfirmationNeededError",
    "RulesInForce",
    "StoppingRuleError",
    "decision_take",
    "latest_ranking_keep",
    "quality_evaluate",
    "ranking_compute",
    "ranking_history_compute",
    "ranking_run_compute",
    "ranking_run_reproduce",
    "ranking_settings_change",
    "rankings_of_days_keep",
    "rule_release",
    "rule_replace",
    "rules_preview",
    "rules_put_in_force",
    "stopping_rule_set",
]
