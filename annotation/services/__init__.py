"""Writes of the annotation app; each is one atomic business action."""

from annotation.services.counters import counters_check, counters_rebuild
from annotation.services.declining import judge_decline, judge_take_part
from annotation.services.erasing import erasure_carry_out, erasures_due_carry_out
from annotation.services.judge_decisions import (
    MESSAGE_LENGTH,
    NOTE_LENGTH,
    REINSTATE,
    Decided,
    judges_decide,
    judges_decision_undo,
)
from annotation.services.judging.numbers import judgments_number, waiting_judgments_number
from annotation.services.judging.problem_reports import problem_report
from annotation.services.judging.submission import judgment_submit, skip_submit
from annotation.services.lending.lend import (
    InstructionsPendingError,
    JudgeDeclinedError,
    JudgePausedError,
    LentAssignment,
    assignment_lend,
    leases_release,
)
from annotation.services.lending.work_requests import NoWork, NoWorkReason, work_request
from annotation.services.planning.designs import (
    DesignRefusedError,
    design_change,
    design_ensure,
    design_proposed,
    design_use_again,
)
from annotation.services.planning.pool import hits_plan, pool_fill
from annotation.services.planning.redraw import hit_redraw
from annotation.services.planning.sampling_state import sampling_state_record
from annotation.services.problem_replies import (
    REPLY_LENGTH,
    ReplyRefusedError,
    problem_reply,
    problem_reply_take_back,
)
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
    quality_rule_undo,
    quality_rules_suggest,
    rule_terms_check,
    suggested_terms,
)
from annotation.services.tasks import (
    task_rules_change,
    task_segments_again_change,
    task_with_rules_create,
)
from annotation.services.tour import tour_begin, tour_leave
from annotation.services.training import (
    TrainingRefusedError,
    training_block_change,
    training_block_create,
    training_block_explain,
    training_block_remove,
    training_plan,
    training_plan_ahead,
    training_propose,
)
from annotation.submissions import SubmissionRefusedError

__all__ = [
    "MESSAGE_LENGTH",
    "NOTE_LENGTH",
    "REINSTATE",
    "REPLY_LENGTH",
    "Decided",
    "DesignRefusedError",
    "InstructionsPendingError",
    "JudgeDeclinedError",
    "JudgePausedError",
    "LentAssignment",
    "NoWork",
    "NoWorkReason",
    "QualityRefusedError",
    "ReplyRefusedError",
    "RuleTerms",
    "SubmissionRefusedError",
    "TrainingRefusedError",
    "assignment_lend",
    "counters_check",
    "counters_rebuild",
    "design_change",
    "design_ensure",
    "design_proposed",
    "design_use_again",
    "erasure_carry_out",
    "erasures_due_carry_out",
    "hit_redraw",
    "hits_plan",
    "judge_decline",
    "judge_reinstate",
    "judge_take_part",
    "judges_decide",
    "judges_decision_undo",
    "judgment_submit",
    "judgments_number",
    "leases_release",
    "pool_fill",
    "problem_reply",
    "problem_reply_take_back",
    "problem_report",
    "quality_action_revert",
    "quality_action_take",
    "quality_rule_add",
    "quality_rule_apply",
    "quality_rule_change",
    "quality_rule_switch_off",
    "quality_rule_undo",
    "quality_rules_suggest",
    "rule_terms_check",
    "sampling_state_record",
    "skip_submit",
    "suggested_terms",
    "task_rules_change",
    "task_segments_again_change",
    "task_with_rules_create",
    "tour_begin",
    "tour_leave",
    "training_block_change",
    "training_block_create",
    "training_block_explain",
    "training_block_remove",
    "training_plan",
    "training_plan_ahead",
    "training_propose",
    "waiting_judgments_number",
    "work_request",
]
