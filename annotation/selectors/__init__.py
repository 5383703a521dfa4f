"""Reads of the annotation app."""

from annotation.selectors.history import (
    DoneBlock,
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
    systems_not_lent,
    tasks_changed,
    tasks_open_to_judge,
    tasks_to_plan,
    tasks_to_work_on,
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
from annotation.selectors.time_sheet import (
    JudgeTime,
    TimeSums,
    time_sheet,
    time_sheet_in_all,
    time_sheet_sums,
)
from annotation.selectors.work_time import Worked, WorkTime, hours_worked, work_time
from annotation.submissions import AssignedBlock

__all__ = [
    "AssignedBlock",
    "AssignmentData",
    "BlockData",
    "ContextData",
    "DoneBlock",
    "JudgeProgress",
    "JudgeStatus",
    "JudgeTime",
    "JudgeWork",
    "JudgmentData",
    "OwnDoneBlock",
    "TextData",
    "TimeSums",
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
    "hours_worked",
    "judge_assigned",
    "judge_of_user",
    "judge_status",
    "judge_statuses",
    "judge_work",
    "own_done_blocks",
    "own_done_blocks_data",
    "systems_not_lent",
    "tasks_changed",
    "tasks_open_to_judge",
    "tasks_to_plan",
    "tasks_to_work_on",
    "time_sheet",
    "time_sheet_in_all",
    "time_sheet_sums",
    "work_time",
]
