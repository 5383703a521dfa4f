"""Reads of the annotation app."""

from annotation.selectors.history import JudgedBlock, judged_blocks, own_judgments
from annotation.selectors.judging import (
    AssignedBlock,
    AssignmentView,
    assigned_block,
    assigned_blocks,
    assignment_of,
    assignment_view,
    judge_of,
)
from annotation.selectors.pool import test_sets_open_to_judge, test_sets_to_plan
from annotation.selectors.progress import Progress, judge_progress
from annotation.selectors.shown import (
    BlockView,
    ContextView,
    JudgmentView,
    TextView,
    block_views,
)

__all__ = [
    "AssignedBlock",
    "AssignmentView",
    "BlockView",
    "ContextView",
    "JudgedBlock",
    "JudgmentView",
    "Progress",
    "TextView",
    "assigned_block",
    "assigned_blocks",
    "assignment_of",
    "assignment_view",
    "block_views",
    "judge_of",
    "judge_progress",
    "judged_blocks",
    "own_judgments",
    "test_sets_open_to_judge",
    "test_sets_to_plan",
]
