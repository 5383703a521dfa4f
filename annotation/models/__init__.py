"""Judging: designs, HITs and blocks, assignments, judgments and skips."""

from annotation.models.assignment import Assignment, Exposure, JudgeAccount
from annotation.models.block import Block, BlockControl, ShownOutput
from annotation.models.design import Design
from annotation.models.hit import HIT, HITPurpose
from annotation.models.judgment import Judgment, Skip, SkipReason
from annotation.models.machine import MachineJudgment
from annotation.models.numbers import (
    JudgeTally,
    JudgmentNumber,
    JudgmentSequence,
    PageChanges,
    UncountedAnswer,
    WorkedQuarterHour,
)
from annotation.models.planning import HITSequence, PlanningBatch, SamplingState
from annotation.models.problem_report import (
    ProblemReply,
    ProblemReport,
    ProblemReportKind,
)
from annotation.models.quality import (
    QualityAction,
    QualityActionKind,
    QualityRule,
    RuleDirection,
)
from annotation.models.training import TrainingBlock, TrainingCandidate
