"""Reads of the annotation app."""

from annotation.selectors.footing import Footing, OpenTestSet, judge_footing
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
from annotation.selectors.pool import (
    attention_due,
    conflicts_of,
    damaged_systems,
    has_work_waiting,
    hit_from_pool,
    hit_reserved,
    hits_for_judge,
    hits_intra,
    hits_reserved,
    test_sets_open_to_judge,
    test_sets_to_plan,
)
from annotation.selectors.progress import Progress, blocks_taken, judge_progress, quota_reached
from annotation.selectors.shown import (
    BlockView,
    ContextView,
    JudgmentView,
    TextView,
    block_views,
)
from annotation.selectors.standing import (
    Standing,
    actions_that_stop,
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
    "Footing",
    "JudgedBlock",
    "JudgmentView",
    "OpenTestSet",
    "Progress",
    "Standing",
    "TextView",
    "actions_that_stop",
    "assigned_block",
    "assigned_blocks",
    "assignment_of",
    "assignment_view",
    "attention_due",
    "block_views",
    "blocks_taken",
    "conflicts_of",
    "damaged_systems",
    "excluded_judges",
    "excluded_judges_by_campaign",
    "has_work_waiting",
    "hit_from_pool",
    "hit_reserved",
    "hits_for_judge",
    "hits_intra",
    "hits_reserved",
    "judge_footing",
    "judge_of",
    "judge_progress",
    "judge_standing",
    "judge_standings",
    "judged_blocks",
    "own_judgments",
    "quota_reached",
    "test_sets_open_to_judge",
    "test_sets_to_plan",
]
