"""Writes of the annotation app; each is one atomic business action."""

from annotation.services.lending import assignment_lend
from annotation.services.planning import design_ensure, hits_plan, pool_fill
from annotation.services.quality import (
    QualityRefusedError,
    RuleTerms,
    judge_reinstate,
    quality_action_revert,
    quality_action_take,
    quality_rule_add,
    quality_rule_apply,
    quality_rule_change,
    quality_rule_switch_off,
    quality_rules_suggest,
)
from annotation.services.submission import (
    SubmissionRefusedError,
    judgment_number_next,
    judgment_submit,
    skip_submit,
)

__all__ = [
    "QualityRefusedError",
    "RuleTerms",
    "SubmissionRefusedError",
    "assignment_lend",
    "design_ensure",
    "hits_plan",
    "judge_reinstate",
    "judgment_number_next",
    "judgment_submit",
    "pool_fill",
    "quality_action_revert",
    "quality_action_take",
    "quality_rule_add",
    "quality_rule_apply",
    "quality_rule_change",
    "quality_rule_switch_off",
    "quality_rules_suggest",
    "skip_submit",
]
