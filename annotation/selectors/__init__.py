"""Reads of the annotation app."""

from annotation.selectors.history import (
    OwnDoneBlock,
    has_older_done_blocks,
    own_done_blocks,
    own_done_blocks_data,
)
from annotation.selectors.judge_status import (
    JudgeStatus,
    actions_that_stop,
    excluded_judges,
    excluded_judges_by_campaign,
    judge_status,
    judge_statuses,
)
from annotation.selectors.judging import (
    AssignedBlock,
    AssignmentData,
    assigned_block,
    assigned_blocks,
    assignment_data,
    judge_assigned,
    judge_of_user,
)
from annotation.selectors.pool import (
    conflicts_of,
    has_available_hit,
    hits_for_judge,
    hits_intra,
    hits_reserved,
    hits_standby,
    test_sets_open_to_judge,
    test_sets_to_plan,
    test_sets_to_work_on,
)
from annotation.selectors.progress import (
    JudgeProgress,
    JudgeWork,
    judge_work,
)
from annotation.selectors.shown import (
    BlockData,
    ContextData,
    JudgmentData,
    TextData,
    blocks_data,
)
from annotation.selectors.work_time import Worked, WorkTime, work_time

__all__ = [
    "AssignedBlock",
    "AssignmentData",
    "BlockData",
    "ContextData",
    "JudgeProgress",
    "JudgeStatus",
    "JudgeWork",
    "JudgmentData",
    "OwnDoneBlock",
    "TextData",
    "WorkTime",
    "Worked",
    "actions_that_stop",
    "assigned_block",
    "assigned_blocks",
    "assignment_data",
    "blocks_data",
    "conflicts_of",
    "excluded_judges",
    "excluded_judges_by_campaign",
    "has_available_hit",
    "has_older_done_blocks",
    "hits_for_judge",
    "hits_intra",
    "hits_reserved",
    "hits_standby",
    "judge_assigned",
    "judge_of_user",
    "judge_status",
    "judge_statuses",
    "judge_work",
    "own_done_blocks",
    "own_done_blocks_data",
    "test_sets_open_to_judge",
    "test_sets_to_plan",
    "test_sets_to_work_on",
    "work_time",
]
