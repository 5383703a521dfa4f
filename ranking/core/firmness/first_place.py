"""Who is in first place, in many counts at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.core.scores import TIE_DECIMALS, Scores

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: There is none.
NOBODY = -1


def leaders(scores: Scores) -> list[int]:
    """Return the systems in first place: several if their scores agree to `TIE_DECIMALS` decimals.

    Parameters
    ----------
    scores : Scores of shape (n,)

    Returns
    -------
    list of int
        Indices, ascending; empty if no system has a score.
    """
    if not scores.estimable.any():
        return []
    values = np.where(scores.estimable, np.round(scores.values, TIE_DECIMALS), -np.inf)
    return np.flatnonzero(values == values.max()).tolist()


def overtaken_by(scores: Scores, first: int) -> Int64Array:
    """Return which system is ahead of one that was first.

    A system whose score is the same to `TIE_DECIMALS` decimals is not ahead, nor is one that no
    comparisons connect with the first. Where the first has no score any more, whoever is best is
    ahead.

    Parameters
    ----------
    scores : Scores of shape (R, n)
    first : int

    Returns
    -------
    int64, shape (R,)
        The best of those ahead; `NOBODY` if there is none.
    """
    values = np.round(np.where(scores.estimable, scores.values, -np.inf), TIE_DECIMALS)
    own, is_known = values[:, [first]], scores.estimable[:, [first]]
    ahead = scores.estimable & (values > own)
    if scores.group is not None:
        ahead &= (scores.group == scores.group[:, [first]]) | ~is_known
    best = np.argmax(np.where(ahead, values, -np.inf), axis=1)
    return np.where(ahead.any(axis=1), best, NOBODY).astype(np.int64)


def lead_over(scores: Scores, first: int, second: int) -> FloatArray:
    """Return how far one system is ahead of another; NaN where the two cannot be compared.

    Parameters
    ----------
    scores : Scores of shape (R, n)
    first, second : int

    Returns
    -------
    float64, shape (R,)
    """
    lead = scores.values[:, first] - scores.values[:, second]
    if scores.group is not None:
        lead = np.where(scores.group[:, first] == scores.group[:, second], lead, np.nan)
    return np.asarray(np.round(lead, TIE_DECIMALS))
