"""κ of all judges, and of each judge with the others, from sums of pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.core.agreement.counts import AGREEING, COMPARABLE, OTHER_TIES, OWN_TIES
from ranking.core.agreement.shared_items import PairMoments
from ranking.core.agreement.statistics import scott_chance, share

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


def cohen_chance(tied: FloatArray, others_tied: FloatArray) -> FloatArray:
    """Return P(E) of Cohen's κ with symmetric outcomes: t u + 2 (1 − t)/2 (1 − u)/2."""
    return tied * others_tied + (1 - tied) * (1 - others_tied) / 2


def kappa_of(p_agree: FloatArray, p_chance: FloatArray) -> FloatArray:
    """Return (P(A) − P(E)) / (1 − P(E)), NaN where P(E) = 1."""
    kappa: FloatArray = (p_agree - p_chance) / np.where(p_chance < 1, 1 - p_chance, np.nan)
    return kappa


def lowest_kappa(p_chance: float) -> float:
    """Return the lowest possible κ, that of P(A) = 0; 0 if P(E) = 1."""
    return -p_chance / (1 - p_chance) if p_chance < 1 else 0.0


def kappa_of_judge(sums: Int64Array, p_chance: float | None) -> tuple[FloatArray, FloatArray]:
    """Return κ of a judge with others, and its P(E).

    Parameters
    ----------
    sums : int64, shape (..., 4)
        Pairs with others: all, agreeing, with a tie of the judge, with a tie of the other judge.
    p_chance : float or None
        P(E) of all judges; None to estimate it from these pairs.

    Returns
    -------
    kappa, p_chance : float64, shape (...)
        NaN where the counts do not determine them.
    """
    pairs = sums[..., COMPARABLE]
    if p_chance is None:
        own, others = share(sums[..., OWN_TIES], pairs), share(sums[..., OTHER_TIES], pairs)
        by_chance = cohen_chance(own, others)
    else:
        by_chance = np.full(pairs.shape, p_chance)
    return kappa_of(share(sums[..., AGREEING], pairs), by_chance), by_chance


def kappa_over_all(sums: Int64Array, expected: float | None) -> tuple[FloatArray, FloatArray]:
    """Return κ of all pairs, and P(E).

    Parameters
    ----------
    sums : int64, shape (..., 4)
        Pairs, agreeing pairs, ties, comparisons.
    expected : float or None
        P(E) if it is fixed; None for Scott's.

    Returns
    -------
    kappa, p_chance : float64, shape (...)
    """
    tied = share(sums[..., 2], sums[..., 3])
    p_chance = scott_chance(tied) if expected is None else np.full(tied.shape, expected)
    return kappa_of(share(sums[..., AGREEING], sums[..., COMPARABLE]), p_chance), p_chance


def squared_changes_of_pairs(
    moments: PairMoments, comparable: int, agreeing: int, p_chance: float
) -> tuple[float, float]:
    """Return sums of squared changes of κ without two judges' pairs, in all and on a segment.

    The changes are linearised and all pairs weigh the same: (agreeing − P(A) comparable) / (all (1
    − P(E))).

    Parameters
    ----------
    moments : PairMoments
    comparable, agreeing : int
        Numbers of all compared pairs, and of those that agree.
    p_chance : float

    Returns
    -------
    pairs, pairs_in_segments : float
    """
    if not comparable or not p_chance < 1:
        return 0.0, 0.0
    slope = np.array([-agreeing / comparable, 1.0]) / (comparable * (1 - p_chance))
    return float(slope @ moments.both @ slope), float(slope @ moments.in_segments @ slope)
