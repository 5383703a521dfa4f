"""Writes of the annotation app; each is one atomic business action."""

from annotation.services.lending import assignment_lend
from annotation.services.planning import design_ensure, hits_plan, pool_fill
from annotation.services.reporting import problem_report
from annotation.services.submission import (
    SubmissionRefusedError,
    judgment_number_next,
    judgment_submit,
    skip_submit,
)

__all__ = [
    "SubmissionRefusedError",
    "assignment_lend",
    "design_ensure",
    "hits_plan",
    "judgment_number_next",
    "judgment_submit",
    "pool_fill",
    "problem_report",
    "skip_submit",
]
