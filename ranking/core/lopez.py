"""Lopez: the order of the systems that contradicts the fewest pairwise judgments."""

from __future__ import annotations

from typing import Any

from ranking.core.counts import Counts
from ranking.core.wins import NotEstimable, Scores


def scores(counts: Counts, *, time_limit: float = 60.0) -> Scores:
    raise NotImplementedError


def comment(
    counts: Counts, systems: tuple[str, ...], *, time_limit: float = 60.0
) -> tuple[dict[str, Any], dict[int, NotEstimable]]:
    raise NotImplementedError
