"""Analyses as tests ask for them."""

from typing import Any

from campaign.models import Task
from ranking.models import Analysis
from ranking.services.analyses import (
    analysis_ask,
    analysis_choice,
    analysis_compute,
)


def answer(task: Task, kind: str, **given: Any) -> Analysis:
    """Ask, and compute at once."""
    asked = analysis_ask(
        task=task,
        choice=analysis_choice(kind, given),
        is_queued=False,
    )
    return analysis_compute(analysis=asked)
