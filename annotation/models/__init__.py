"""Who judges what: designs, HITs and blocks, assignments, judgments and skips."""

from annotation.models.assignment import Assignment
from annotation.models.block import HIT, Block, Candidate, CandidateOutput, HITSequence
from annotation.models.design import Design
from annotation.models.judgment import Judgment, JudgmentSequence
from annotation.models.problem_report import ProblemReport
from annotation.models.skip import Skip

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
    "ProblemReport",
    "Skip",
]
