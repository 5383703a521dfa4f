"""Bradley–Terry with ties."""

from __future__ import annotations

from typing import Any

from ranking.core.counts import Counts
from ranking.core.wins import NotEstimable, Scores


def scores(counts: Counts, *, prior: float = 0.0) -> Scores:
    raise NotImplementedError


def comment(
    counts: Counts, systems: tuple[str, ...], *, prior: float = 0.0
) -> tuple[dict[str, Any], dict[int, NotEstimable]]:
    raise NotImplementedError
