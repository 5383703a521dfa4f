"""Who judges what: designs, HITs and blocks, assignments, judgments and skips."""

from annotation.models.assignment import Assignment
from annotation.models.block import HIT, Block, Candidate, CandidateOutput, HITSequence
from annotation.models.design import Design
from annotation.models.judgment import Judgment, JudgmentSequence
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
    "HITSequence",
    "Judgment",
    "JudgmentSequence",
    "QualityAction",
    "QualityReversal",
    "QualityRule",
    "Skip",
    "TrainingBlock",
    "TrainingCandidate",
]
