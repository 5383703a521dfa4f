"""Reads of the annotation app."""

from annotation.selectors.judging import (
    AssignedBlock,
    AssignmentView,
    BlockView,
    ContextView,
    JudgmentView,
    TextView,
    assigned_block,
    assigned_blocks,
    assignment_of,
    assignment_view,
    judge_of,
)
from annotation.selectors.pool import test_sets_open_to_judge, test_sets_to_plan
from annotation.selectors.progress import Progress, judge_progress
from annotation.selectors.standing import (
    Standing,
    excluded_judges,
    excluded_judges_by_campaign,
    judge_standing,
    judge_standings,
)

__all__ = [
    "AssignedBlock",
    "AssignmentView",
    "BlockView",
    "ContextView",
    "JudgmentView",
    "Progress",
    "Standing",
    "TextView",
    "assigned_block",
    "assigned_blocks",
    "assignment_of",
    "assignment_view",
    "excluded_judges",
    "excluded_judges_by_campaign",
    "judge_of",
    "judge_progress",
    "judge_standing",
    "judge_standings",
    "test_sets_open_to_judge",
    "test_sets_to_plan",
]
