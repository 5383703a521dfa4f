"""Writes of the ranking app: ranking runs, and actions on judges by quality rules."""

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
    SEED,
    ranking_history_compute,
    ranking_run_compute,
    ranking_run_reproduce,
)
from ranking.services.settings import ranking_settings_change

__all__ = [
    "SEED",
    "ConfirmationNeededError",
    "RulesInForce",
    "quality_evaluate",
    "ranking_history_compute",
    "ranking_run_compute",
    "ranking_run_reproduce",
    "ranking_settings_change",
    "rule_release",
    "rule_replace",
    "rules_preview",
    "rules_put_in_force",
]
