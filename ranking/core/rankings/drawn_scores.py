"""Scores drawn at random around those of a method."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.core.methods.ability import canonical_order
from ranking.core.scores import Scores
from ranking.core.uncertainty.two_way import ScoreCovariance, draw_scores

Int64Array = npt.NDArray[np.int64]


def draw_around(
    scores: Scores,
    wins: Int64Array,
    covariance: ScoreCovariance,
    *,
    seed: int,
    draws: int,
) -> Scores:
    """Return draws of scores with their covariance over segments and judges.

    Parameters
    ----------
    scores : Scores of shape (n,)
    wins : int64, shape (n, n)
        Comparisons won by each system against each other system. They determine the order in which
        draws are assigned to systems, so that renaming the systems renames the result.
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
    order = canonical_order(wins, np.zeros_like(wins))
    return draw_scores(scores, covariance, range(draws), seed=seed, order=order)
