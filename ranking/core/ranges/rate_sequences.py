"""Evidence about win rates of independent comparisons that holds however often it is looked at.

After w wins and l losses the evidence against a win rate p is the Beta mixture (Robbins 1970)

    M(p) = B(a + w, a + l) / B(a, a) / (p**w · (1 − p)**l)

If each comparison of a pair is won with probability p *independently of all before*, M(p) is a
martingale that starts at 1, so by Ville's inequality it ever reaches 1/α with probability at most
α. This holds in simulations in which each block shows new outputs to judges without preferences. It
does not hold for the judgments of a campaign: if a segment is judged several times, or a judge has
preferences, comparisons depend on each other, and equal systems are told apart in most campaigns.
Use `ranking.core.ranges.anytime` for campaigns.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, xlog1py, xlogy

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


#: The parameter a of the mixture: Jeffreys' prior, which suits many sample sizes.
MIXTURE = 0.5


def log_evidence(
    wins: Int64Array, losses: Int64Array, rate: float | FloatArray = 0.5
) -> FloatArray:
    """Return the logarithm of the evidence M against a win rate: an e-value at any time.

    Parameters
    ----------
    wins, losses : int64, of one shape
        Decided comparisons of one pair so far, each independent of those before; ties are dropped.
    rate : float
        The rate p to test, between 0 and 1.

    Returns
    -------
    float64, of that shape
        x = ln M(p). ``min(1, exp(-x))`` is a p-value that stays valid under peeking.

    References
    ----------
    H. Robbins (1970), Statistical Methods Related to the Law of the Iterated Logarithm, Ann. Math.
    Stat. 41. J. Ville (1939), Étude critique de la notion de collectif.
    """
    mixed = betaln(MIXTURE + wins, MIXTURE + losses) - betaln(MIXTURE, MIXTURE)
    return np.asarray(mixed - xlogy(wins, rate) - xlog1py(losses, -np.asarray(rate)))


def separated(wins: Int64Array, *, confidence: float = 0.95) -> BoolArray:
    """Return which systems win more often than not against which, each pair by itself.

    Parameters
    ----------
    wins : int64, shape (..., n, n)
        ``wins[..., a, b]`` independent comparisons won by a against b so far.
    confidence : float
        Probability that a pair of equal systems is never separated.

    Returns
    -------
    bool, shape (..., n, n)
        True where the evidence against a rate of 1/2 reaches ``1 / (1 - confidence)``.

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1, or a count is negative.
    """
    if not 0 < confidence < 1:
        raise ValueError("confidence: expected a share between 0 and 1")
    if np.any(wins < 0):
        raise ValueError("wins must not be negative")
    lost = np.swapaxes(wins, -1, -2)
    found: BoolArray = (wins > lost) & (log_evidence(wins, lost) >= -np.log1p(-confidence))
    return found
