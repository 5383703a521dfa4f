"""A share with an interval that does not take a block's comparisons for independent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import beta, t

Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Share:
    """A share of clustered trials.

    Attributes
    ----------
    trials, successes : int
    value : float or None
        successes / trials.
    low, high : float or None
        Ends of the interval of `value`.
    """

    trials: int
    successes: int
    value: float | None
    low: float | None
    high: float | None


def clustered_share(
    successes: Int64Array, trials: Int64Array, *, confidence: float = 0.95
) -> Share:
    """Return a share, with its interval, of trials in clusters such as the comparisons of a block.

    The interval is that of Clopper and Pearson (1934) on the effective number of trials of Korn and
    Graubard (1998): the trials divided by the design effect, the variance of the share between
    clusters (a ratio estimate, linearised) over that of as many independent trials, and multiplied
    by (t of trials − 1 / t of clusters − 1)², quantiles of Student's distribution with these
    degrees of freedom, because few clusters say little about the variance between them. A design
    effect below 1 is taken for 1. If it cannot be estimated, because all clusters have the same
    share, clusters are taken for the trials. So no interval is shorter than that of independent
    trials.

    Parameters
    ----------
    successes, trials : int64, shape (G,)
        Successes and trials of each cluster; clusters without trials are ignored.
    confidence : float

    Returns
    -------
    Share
        Without trials, `value`, `low` and `high` are None.

    Raises
    ------
    ValueError
        If the shapes differ, a count is negative, there are more successes than trials, or
        `confidence` is not between 0 and 1.

    References
    ----------
    E. L. Korn, B. I. Graubard (1998), Confidence Intervals for Proportions with Small Expected
    Number of Positive Counts Estimated from Survey Data, Survey Methodology 24.
    """
    if successes.shape != trials.shape or successes.ndim != 1:
        raise ValueError("expected successes and trials of one shape (G,)")
    if np.any(successes < 0) or np.any(successes > trials):
        raise ValueError("successes: not between 0 and the trials")
    if not 0 < confidence < 1:
        raise ValueError("confidence: expected a share between 0 and 1")
    known = trials > 0
    # Sums of floats depend on their order; results must not.
    order = np.lexsort((successes[known], trials[known]))
    won, of = successes[known][order], trials[known][order]
    total, count = int(of.sum()), int(won.sum())
    if not total:
        return Share(0, 0, None, None, None)
    value = count / total
    alpha = (1 - confidence) / 2
    effective = _effective(won, of, value, alpha)
    x = value * effective
    low = float(beta.ppf(alpha, x, effective - x + 1)) if count else 0.0
    high = float(beta.ppf(1 - alpha, x + 1, effective - x)) if count < total else 1.0
    return Share(total, count, value, low, high)


def _effective(won: Int64Array, of: Int64Array, value: float, alpha: float) -> float:
    total, clusters = float(of.sum()), len(of)
    if of.max() == 1:
        return total
    independent = value * (1 - value) / total
    if clusters < 2 or independent == 0:
        return float(clusters)
    residuals = won - value * of
    between = clusters / (clusters - 1) * float(residuals @ residuals) / total**2
    if not between:
        return float(clusters)
    few_clusters = float(t.ppf(alpha, total - 1) / t.ppf(alpha, clusters - 1)) ** 2
    return float(total / max(1.0, between / independent)) * few_clusters
