"""A test of R whose sample is the judges: Student's t (not in Vilar et al. 2007)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from protocols.sorting.statistics.judgments import PairJudgments
from ranking.core.ranges.sign_tests import sign_test


def p_over_judges(judgments: PairJudgments) -> float | None:
    """Return the two-sided p-value of R as a mean over judges, who may differ in taste.

    The variance of R is that over judges, and where judges share segments what segments add to it: that over segments − that
    over judgments, if it is above 0 (Cameron, Gelbach and Miller 2011). Degrees of freedom are one fewer than there are judges
    or segments, whichever are fewer.

    Parameters
    ----------
    judgments : PairJudgments

    Returns
    -------
    float or None
        None with one judge, who says nothing of how judges differ, or one segment. Where judges do not differ at all, the
        variance says nothing: then it is the exact sign test with a vote for each judge.

    References
    ----------
    A. C. Cameron, J. B. Gelbach, D. L. Miller (2011), Robust Inference with Multiway Clustering, J. Business & Economic Statistics 29.
    """
    _names, judge = np.unique(np.asarray(judgments.judges, dtype=str), return_inverse=True)
    _numbers, segment = np.unique(judgments.segments, return_inverse=True)
    units = min(int(each.max(initial=-1)) + 1 for each in (judge, segment))
    if units < 2:
        return None
    m = len(judgments)
    answers = judgments.answers.astype(np.float64)
    off = answers - answers.mean()
    of_judges, of_segments, of_rows = (
        _variance(off, unit) for unit in (judge, segment, np.arange(m))
    )
    variance = of_judges + max(0.0, of_segments - of_rows)
    if math.isclose(variance, 0, abs_tol=1e-15):
        votes = np.bincount(judge, weights=answers)
        wins, losses = (np.array(np.count_nonzero(sign * votes > 0)) for sign in (1, -1))
        return float(sign_test(wins, losses, sides=2))
    return float(2 * stdtr(units - 1, -abs(float(answers.mean())) / math.sqrt(variance)))


def _variance(off: npt.NDArray[np.float64], unit: npt.NDArray[np.integer]) -> float:
    """Return the variance of a mean whose independent units these are, from what each answer is off it."""
    sums = np.bincount(unit, weights=off)
    return float(len(sums) / (len(sums) - 1) * np.sum(sums**2) / len(off) ** 2)
