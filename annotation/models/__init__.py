"""Who judges what: designs, HITs and blocks, assignments, judgments and skips."""

from annotation.models.assignment import Assignment
from annotation.models.block import Block, BlockControl, Candidate, CandidateOutput
from annotation.models.design import Design
from annotation.models.exposure import Exposure, JudgeAccount
from annotation.models.hit import HIT, HITPurpose
from annotation.models.judgment import Judgment, JudgmentSequence
from annotation.models.planning import HITSequence, PlanningBatch, SamplingState
from annotation.models.problem_report import ProblemReport, ProblemReportKind
from annotation.models.quality import (
    QualityAction,
    QualityActionKind,
    QualityReversal,
    QualityRule,
    RuleDirection,
)
from annotation.models.skip import Skip, SkipReason
from annotation.models.training import TrainingBlock, TrainingCandidate

__all__ = [
    "HIT",
    "Assignment",
    "Block",
    "BlockControl",
    "Candidate",
    "CandidateOutput",
    "Design",
    "Exposure",
    "HITPurpose",
    "HITSequence",
    "JudgeAccount",
    "Judgment",
    "JudgmentSequence",
    "PlanningBatch",
    "ProblemReport",
    "ProblemReportKind",
    "QualityAction",
    "QualityActionKind",
    "QualityReversal",
    "QualityRule",
    "RuleDirection",
    "SamplingState",
    "Skip",
    "SkipReason",
    "TrainingBlock",
    "TrainingCandidate",
]
