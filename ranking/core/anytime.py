"""Confidence sequences for win rates: look every day, stop when you like, and still be right.

An ordinary interval or test is right with 95 % at one moment chosen beforehand. Who looks again and
again and stops at the first significant difference is wrong far more often. The intervals here hold
at all times together: with probability 95 % the true rate is in *every one* of them.

After w wins and l losses a rate p is still in the interval while the Beta mixture (Robbins 1970)

    M(p) = B(a + w, a + l) / B(a, a) / (p**w · (1 − p)**l)

is below 1/α. If each comparison is won with probability p whatever came before, M(p) is a
martingale that starts at 1, so by Ville's inequality it ever reaches 1/α with probability at most
α: for every way to look and to stop. That assumption is about the comparisons *of one pair in the
order in which they arrive*. A pair occurs at most once in a block, so the dependence within blocks
does no harm to the interval of a pair; neither does dependence between pairs, since the intervals
of all pairs together rest on Bonferroni's inequality. What does harm is a rate that changes: easier
segments first, or a judge who judges one segment many times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, xlog1py, xlogy

from ranking.core.clusters import RankRanges

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

#: The parameter a of the mixture: Jeffreys' prior, good over many sample sizes.
MIXTURE = 0.5
#: Halvings of the interval that is searched: as many as a float has bits.
_HALVINGS = 55


@dataclass(frozen=True, eq=False)
class RateIntervals:
    """Intervals of win rates.

    Attributes
    ----------
    low, high : float64
        Of the shape of the counts; 0 and 1 where nothing was counted.
    """

    low: FloatArray
    high: FloatArray


def log_evidence(
    wins: Int64Array, losses: Int64Array, rate: float | FloatArray = 0.5
) -> FloatArray:
    """Logarithm of the evidence M against a win rate: an e-value, at any time.

    Parameters
    ----------
    wins, losses : int64, of one shape
        Decided comparisons so far; ties are dropped.
    rate : float
        The rate p to speak against, between 0 and 1.

    Returns
    -------
    float64, of that shape
        ln M(p). ``min(1, exp(-x))`` is a p-value that stays valid under peeking.

    References
    ----------
    H. Robbins (1970), Statistical Methods Related to the Law of the Iterated Logarithm, Ann. Math.
    Stat. 41. J. Ville (1939), Étude critique de la notion de collectif.
    """
    mixed = betaln(MIXTURE + wins, MIXTURE + losses) - betaln(MIXTURE, MIXTURE)
    return np.asarray(mixed - xlogy(wins, rate) - xlog1py(losses, -np.asarray(rate)))


def confidence_sequence(
    wins: Int64Array, losses: Int64Array, *, confidence: float = 0.95
) -> RateIntervals:
    """Intervals of win rates that hold at all times together.

    Parameters
    ----------
    wins, losses : int64, of one shape
        Decided comparisons so far; ties are dropped.
    confidence : float
        Between 0 and 1: for each entry by itself.

    Returns
    -------
    RateIntervals
        Of that shape.

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1, or a count is negative.

    References
    ----------
    As for `log_evidence`; S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon (2021), Time-uniform,
    Nonparametric, Nonasymptotic Confidence Sequences, Ann. Stat. 49.
    """
    if not 0 < confidence < 1:
        raise ValueError("confidence: expected a share between 0 and 1")
    wins, losses = np.asarray(wins), np.asarray(losses)
    if np.any(wins < 0) or np.any(losses < 0):
        raise ValueError("wins and losses must not be negative")
    limit = -np.log1p(-confidence)
    # M is smallest at the observed rate, and grows from there towards 0 and towards 1.
    observed = np.where(wins + losses > 0, wins / np.maximum(1, wins + losses), 0.5)
    low = _edge(wins, losses, limit, outside=np.zeros(observed.shape), inside=observed)
    high = _edge(wins, losses, limit, outside=np.ones(observed.shape), inside=observed)
    return RateIntervals(low=low, high=high)


def _edge(
    wins: Int64Array, losses: Int64Array, limit: float, *, outside: FloatArray, inside: FloatArray
) -> FloatArray:
    # Where even 0 (or 1) is not excluded, that is the edge: nobody ever lost (or won).
    excluded = log_evidence(wins, losses, outside) >= limit
    edge = outside
    for _ in range(_HALVINGS):
        middle = (outside + inside) / 2
        out = log_evidence(wins, losses, middle) >= limit
        outside, inside = np.where(out, middle, outside), np.where(out, inside, middle)
    return np.where(excluded, outside, edge)


def pairwise_sequences(
    wins: Int64Array, *, confidence: float = 0.95, simultaneous: bool = True
) -> RateIntervals:
    """Confidence sequences of the win rate of each system against each other.

    Parameters
    ----------
    wins : int64, shape (..., n, n)
        ``wins[..., a, b]`` comparisons won by a against b so far.
    confidence : float
    simultaneous : bool
        Whether `confidence` is for all n (n − 1) / 2 pairs together (Bonferroni) or for each alone.

    Returns
    -------
    RateIntervals
        Of shape (..., n, n); a pair never decided, and the diagonal, have 0 … 1.
    """
    apart = ~np.eye(wins.shape[-1], dtype=np.bool_)
    return confidence_sequence(
        wins * apart,
        np.swapaxes(wins, -1, -2) * apart,
        confidence=_of_each(wins, confidence, simultaneous),
    )


def _of_each(wins: Int64Array, confidence: float, simultaneous: bool) -> float:
    """Confidence that each pair needs for all of them to have `confidence`."""
    if not 0 < confidence < 1:
        raise ValueError("confidence: expected a share between 0 and 1")
    n = wins.shape[-1]
    return 1 - (1 - confidence) / max(1, n * (n - 1) // 2) if simultaneous else confidence


def separated(
    wins: Int64Array, *, confidence: float = 0.95, simultaneous: bool = True
) -> BoolArray:
    """Say which systems win more often than not against which, at any time.

    An organiser who stops as soon as enough pairs are separated names a wrong one among them with
    probability at most ``1 − confidence``.

    Parameters
    ----------
    wins, confidence, simultaneous
        As for `pairwise_sequences`.

    Returns
    -------
    bool, shape (..., n, n)
        True where the whole interval of the first against the second is above 1/2.
    """
    lost = np.swapaxes(wins, -1, -2)
    each = _of_each(wins, confidence, simultaneous)
    found: BoolArray = (wins > lost) & (log_evidence(wins, lost) >= -np.log1p(-each))
    return found


def anytime_rank_ranges(wins: Int64Array, *, confidence: float = 0.95) -> RankRanges:
    """Rank ranges from separated pairs, for all systems and all times together.

    As `ranking.core.significance.rank_ranges_by_sign_test`, with `separated` in place of the sign
    test. Wider than others: this is the price of looking at any time.

    Parameters
    ----------
    wins : int64, shape (..., n, n)
    confidence : float

    Returns
    -------
    RankRanges
        Of shape (..., n).
    """
    above = separated(wins, confidence=confidence)
    return RankRanges(
        low=1 + np.count_nonzero(above, axis=-2),
        high=wins.shape[-1] - np.count_nonzero(above, axis=-1),
    )
