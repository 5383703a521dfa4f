"""Scores drawn around those of a method."""

from __future__ import annotations

import numpy as np

from ranking.core.ability import canonical_order
from ranking.core.counts import Counts
from ranking.core.two_way import ScoreCovariance, draw_scores
from ranking.core.wins import Scores


def draw_around(
    scores: Scores, counts: Counts, covariance: ScoreCovariance, *, seed: int, draws: int
) -> Scores:
    """Draw scores with their covariance over segments and judges.

    Parameters
    ----------
    scores : Scores of shape (n,)
    counts : Counts
        That they were scored from. They decide the order in which systems get their draws, so that
        renaming the systems renames the result.
    covariance : ScoreCovariance
        Of the scores.
    seed : int
        0 ≤ seed < 2**64.
    draws : int
        Number R of draws.

    Returns
    -------
    Scores
        Of shape (R, n).
    """
    ties = np.zeros_like(counts.wins) if counts.ties is None else counts.ties
    order = canonical_order(counts.wins, ties)
    return draw_scores(scores, covariance, range(draws), seed=seed, order=order)
