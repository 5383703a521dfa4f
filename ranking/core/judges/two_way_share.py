"""A share with an interval that takes neither what a segment nor what a judge decided for independent."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from ranking.core.judges.clustered_share import Share, cluster_sums, design_effect, share_of

Int64Array = npt.NDArray[np.int64]


def two_way_share(
    successes: Int64Array,
    trials: Int64Array,
    *,
    segment: Int64Array,
    judge: Int64Array,
    confidence: float = 0.95,
) -> Share:
    """Return a share, with its interval, of trials that share segments, and judges.

    The interval is that of Clopper and Pearson (1934) on the effective number of trials: the trials divided by a design effect,
    and multiplied by (t of trials − 1 / t of its degrees of freedom)², as by Korn and Graubard (1998). The design effect is that
    over segments + that over judges − that over rows (Cameron, Gelbach and Miller 2011), and neither below that of
    segments or of judges alone nor below 1; its degrees of freedom are Satterthwaite's (1946). With one judge nothing says
    how judges differ: the interval is that of other segments and the same judge. Where no cluster differs from another, the
    segments or the judges, whichever are fewer, are taken for the trials.

    Parameters
    ----------
    successes, trials : int64, shape (R,)
        Of each row, such as a reading of a snippet or an edit; rows without trials are ignored.
    segment, judge : int64, shape (R,)
        Numbers of units, 0 or more.
    confidence : float

    Returns
    -------
    Share
        Without trials, `value`, `low` and `high` are None.

    Raises
    ------
    ValueError
        If the shapes differ, a count is out of range, or `confidence` is not between 0 and 1.

    References
    ----------
    A. C. Cameron, J. B. Gelbach, D. L. Miller (2011), Robust Inference with Multiway Clustering, J. Business & Economic Statistics 29.
    E. L. Korn, B. I. Graubard (1998), Confidence Intervals for Proportions with Small Expected Number of Positive Counts Estimated
    from Survey Data, Survey Methodology 24.
    """
    if not successes.shape == trials.shape == segment.shape == judge.shape or trials.ndim != 1:
        raise ValueError("expected successes, trials, segments and judges of one shape (R,)")
    if not 0 < confidence < 1:
        raise ValueError("confidence: expected a share between 0 and 1")
    rows = cluster_sums(successes, trials).sum(axis=0)
    if not rows[1]:
        return Share(0, 0, None, None, None)
    of_units = [_sums_of(successes, trials, unit) for unit in (segment, judge)]
    alpha = (1 - confidence) / 2
    effective = _effective(rows, [each for each in of_units if each[0] > 1], alpha)
    if of_units[0][0] == 1 < rows[1]:
        # One segment says nothing of others.
        effective = 1.0
    return share_of(int(rows[2]), int(rows[1]), effective, alpha)


def _sums_of(successes: Int64Array, trials: Int64Array, unit: Int64Array) -> Int64Array:
    _numbers, place = np.unique(unit, return_inverse=True)
    won, of = (np.zeros(int(place.max()) + 1, dtype=np.int64) for _column in range(2))
    np.add.at(won, place, successes)
    np.add.at(of, place, trials)
    return np.asarray(cluster_sums(won, of).sum(axis=0))


def _effective(rows: Int64Array, of_units: list[Int64Array], alpha: float) -> float:
    """Return the effective number of trials, from sums over rows and over units of which there are several."""
    total, won = int(rows[1]), int(rows[2])
    # A unit of single trials adds nothing to their own variance, which is known.
    clusters = [each for each in of_units if each[3] > each[1]]
    if not clusters:
        return float(total)
    effects = [design_effect(each.tolist()) for each in clusters]
    if won in (0, total) or not any(effects):
        return float(min(int(each[0]) for each in clusters))
    effect = max(1.0, *effects)
    if len(effects) == 2:
        # Rows of one trial each have the variance of independent trials.
        of_rows = design_effect(rows.tolist()) if rows[3] > rows[1] else 1.0
        effect = max(effect, sum(effects) - of_rows)
    uncertain = sum(
        max(1.0, own) ** 2 / (int(each[0]) - 1) for own, each in zip(effects, clusters, strict=True)
    )
    degrees = max(1.0, effect**2 / uncertain)
    few = float(stdtrit(max(1, total - 1), alpha) / stdtrit(degrees, alpha))
    return total / effect * min(1.0, few) ** 2
