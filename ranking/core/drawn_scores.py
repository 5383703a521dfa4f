"""Scores drawn around those of a method, from the moments of its counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ranking.core.ability import canonical_order
from ranking.core.counts import Layout
from ranking.core.method import CountsMethod
from ranking.core.moments import Moments
from ranking.core.two_way import RangeLimit, draw_scores
from ranking.core.wins import Scores


def drawn_scores(
    method: CountsMethod,
    moments: Moments,
    layout: Layout,
    parameters: Mapping[str, Any],
    *,
    seed: int,
    draws: int,
) -> tuple[Scores, tuple[RangeLimit, ...]]:
    """Draw scores with their covariance over segments and judges.

    Parameters
    ----------
    method : CountsMethod
        With influence values.
    moments : Moments
        Of counts in `layout`.
    layout : Layout
        Of the method, or one that counts more.
    parameters : mapping
        Of the method.
    seed : int
        0 ≤ seed < 2**64.
    draws : int
        Number R of draws.

    Returns
    -------
    Scores
        Of shape (R, n).
    tuple of RangeLimit
        What they do not account for.
    """
    counts = layout.unpack(moments.cells)
    covariance = method.covariance(moments, layout, **parameters)
    ties = np.zeros_like(counts.wins) if counts.ties is None else counts.ties
    scores = draw_scores(
        method.of_counts(counts, **parameters),
        covariance,
        range(draws),
        seed=seed,
        order=canonical_order(counts.wins, ties),
    )
    return scores, covariance.limits
