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
from annotation.selectors.pool import (
    conflicts_of,
    has_work_waiting,
    hits_for_judge,
    hits_intra,
    hits_reserved,
    test_sets_open_to_judge,
    test_sets_to_plan,
)
from annotation.selectors.progress import Progress, blocks_taken, judge_progress, quota_reached
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
    "blocks_taken",
    "conflicts_of",
    "excluded_judges",
    "excluded_judges_by_campaign",
    "has_work_waiting",
    "hits_for_judge",
    "hits_intra",
    "hits_reserved",
    "judge_of",
    "judge_progress",
    "judge_standing",
    "judge_standings",
    "quota_reached",
    "test_sets_open_to_judge",
    "test_sets_to_plan",
]
