"""A task as it is set beside others of its test set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ranking.core.beside import JudgedTask, ScoredTask


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRead:
    """A task up to a watermark.

    Attributes
    ----------
    protocol : str
        A value of `campaign.models.Protocol`; it names the task within its test set.
    watermark : int
        0 before there is a judgment.
    judged : JudgedTask, ScoredTask or None
        None where no judgment counts.
    untimed : int
        Judgments of which no active time is known.
    excluded_judges : sequence of str
        Whose judgments do not count.
    """

    protocol: str
    watermark: int
    judged: JudgedTask | ScoredTask | None
    untimed: int = 0
    excluded_judges: Sequence[str] = ()
