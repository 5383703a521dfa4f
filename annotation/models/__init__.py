"""Who judges what: designs, HITs and blocks, assignments, judgments and skips."""

from annotation.models.assignment import Assignment
from annotation.models.block import Block, Candidate, CandidateOutput
from annotation.models.design import Design
from annotation.models.exposure import Exposure, JudgeAccount
from annotation.models.hit import HIT
from annotation.models.judgment import Judgment, JudgmentSequence
from annotation.models.planning import HITSequence, PlanningBatch, SamplingState
from annotation.models.problem_report import ProblemReport
from annotation.models.quality import QualityAction, QualityReversal, QualityRule
from annotation.models.skip import Skip
from annotation.models.training import TrainingBlock, TrainingCandidate

__all__ = [
    "HIT",
    "Assignment",
    "Block",
    "Candidate",
    "CandidateOutput",
    "Design",
    "Exposure",
    "HITSequence",
    "JudgeAccount",
    "Judgment",
    "JudgmentSequence",
    "PlanningBatch",
    "ProblemReport",
    "QualityAction",
    "QualityReversal",
    "QualityRule",
    "SamplingState",
    "Skip",
    "TrainingBlock",
    "TrainingCandidate",
]
