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

__all__ = [
    "AssignedBlock",
    "AssignmentView",
    "BlockView",
    "ContextView",
    "JudgmentView",
    "Progress",
    "TextView",
    "assigned_block",
    "assigned_blocks",
    "assignment_of",
    "assignment_view",
    "judge_of",
    "judge_progress",
    "test_sets_open_to_judge",
    "test_sets_to_plan",
]
