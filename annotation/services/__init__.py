"""Writes of the annotation app; each is one atomic business action."""

from annotation.services.designs import DesignRefusedError, design_change
from annotation.services.lending import assignment_lend, leases_release
from annotation.services.planning import design_ensure, hits_plan, pool_fill
from annotation.services.redrawing import hit_redraw
from annotation.services.sampling_states import sampling_state_record
from annotation.services.submission import (
    SubmissionRefusedError,
    judgment_number_next,
    judgment_submit,
    skip_submit,
)
from annotation.services.wanting import Lack, NoWork, work_want

__all__ = [
    "DesignRefusedError",
    "Lack",
    "NoWork",
    "SubmissionRefusedError",
    "assignment_lend",
    "design_change",
    "design_ensure",
    "hit_redraw",
    "hits_plan",
    "judgment_number_next",
    "judgment_submit",
    "leases_release",
    "pool_fill",
    "sampling_state_record",
    "skip_submit",
    "work_want",
]
