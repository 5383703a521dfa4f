"""Expected Wins: the share of decided comparisons won, averaged over opponents."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.core.scores import Scores

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]


def expected_wins(wins: Int64Array) -> Scores:
    """Score systems by Expected Wins (Koehn 2012, §4.3).

    The score of a system is its probability to win against an opponent drawn uniformly:

        score(j) = mean over the opponents k met of  win(j, k) / (win(j, k) + win(k, j))

    Ties are dropped. Equation 4 of the paper divides by n, but its Tables 2 and 3 (with scores that
    average one half) require the n − 1 opponents; in sparse data, only those with at least one
    decided comparison ("met") count, so that a missing comparison is no defeat.

    A system without any decided comparison is not estimable.

    Parameters
    ----------
    wins : integer, shape (..., n, n)
        ``wins[..., a, b]`` comparisons (or resampled counts of them) won by a against b. The
        diagonal is ignored. Leading axes are independent samples.

    Returns
    -------
    Scores
        Of shape (..., n).

    Raises
    ------
    ValueError
        If `wins` is not square in its last two axes or holds a negative count.

    References
    ----------
    P. Koehn (2012), Simulating Human Judgment in Machine Translation Evaluation Campaigns, IWSLT.
    """
    if wins.ndim < 2 or wins.shape[-1] != wins.shape[-2]:
        raise ValueError(f"wins: expected shape (..., n, n), got {wins.shape}")
    if wins.size and wins.min() < 0:
        raise ValueError("wins: negative count")
    decided = (wins + np.swapaxes(wins, -1, -2)) * ~np.eye(wins.shape[-1], dtype=np.bool_)
    met = decided > 0
    ratio = np.divide(wins, decided, out=np.zeros(wins.shape), where=met)
    opponents = np.count_nonzero(met, axis=-1)
    estimable = opponents > 0
    values = np.full(estimable.shape, np.nan)
    np.divide(ratio.sum(axis=-1), opponents, out=values, where=estimable)
    return Scores(values=values, estimable=estimable)


def expected_wins_influence(wins: Int64Array) -> FloatArray:
    """Return how far one more win of each system against each other system moves the scores.

    It is used for the variance of Expected Wins. It is the derivative, except for `smoothed_share`,
    which prevents a pair seen once or twice from looking certain. The opponents met are taken as
    given.

    Parameters
    ----------
    wins : integer, shape (n, n)

    Returns
    -------
    float64, shape (n, n, n)
        ``result[j, a, b]``: influence of a win of a against b on the score of j.
    """
    n = len(wins)
    decided = (wins + wins.T) * ~np.eye(n, dtype=np.bool_)
    met = decided > 0
    share, weight = smoothed_share(wins, decided)
    weight = weight / np.maximum(1, met.sum(axis=1, keepdims=True))
    result = np.zeros((n, n, n))
    system = np.arange(n)
    result[system, system, :] = weight * (1 - share)
    result[system, :, system] -= weight * share
    return result


def smoothed_share(
    part: npt.NDArray[np.integer], whole: npt.NDArray[np.integer]
) -> tuple[FloatArray, FloatArray]:
    """Return a share to measure deviations from, and the weight of a deviation in a variance.

    A share of n trials has the variance Σ (weight · (outcome − share))². With the observed share, a
    few trials with the same outcome would have the variance 0, so one success and one failure are
    added (Agresti & Coull 1998). The weight 1 / n is multiplied by √(n / (n − 1)) for the degree of
    freedom of the estimated share, or by √2 if n is 1.

    Parameters
    ----------
    part, whole : integer, of one shape
        Successes and trials.

    Returns
    -------
    share, weight : float64, of that shape
        ½ and 0 without trials.

    References
    ----------
    A. Agresti, B. A. Coull (1998), Approximate Is Better than "Exact" for Interval Estimation of
    Binomial Proportions, The American Statistician 52.
    """
    trials = np.maximum(whole, 1)
    correction = np.where(whole > 1, trials / np.maximum(trials - 1, 1), 2.0)
    return (part + 1) / (whole + 2), np.where(whole > 0, np.sqrt(correction) / trials, 0.0)
