"""Shares of successes, with intervals that account for clustering by block, segment or judge."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, stdtrit

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.words import confidence_check


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
    """Return a share, with its interval, of clustered trials, such as comparisons in blocks.

    Parameters
    ----------
    successes, trials : int64, shape (G,)
        Successes and trials of each cluster; clusters without trials are ignored.
    confidence : float

    Returns
    -------
    Share
        See `shares_of_sums`.

    Raises
    ------
    ValueError
        If the shapes differ, a count is negative, there are more successes than trials, or
        `confidence` is not between 0 and 1.
    """
    sums = cluster_sums(successes, trials).sum(axis=0)
    return shares_of_sums(sums[np.newaxis], confidence=confidence)[0]


def cluster_sums(successes: Int64Array, trials: Int64Array) -> Int64Array:
    """Return the contribution of each of G clusters to the sums that `shares_of_sums` needs.

    Parameters
    ----------
    successes, trials : int64, shape (G,)

    Returns
    -------
    int64, shape (G, 6)
        1 if there are trials, trials, successes, and their squares and product: trials², trials ·
        successes, successes².

    Raises
    ------
    ValueError
        If a count is negative, or there are more successes than trials.
    """
    if np.any(successes < 0) or np.any(successes > trials):
        raise ValueError("successes: not between 0 and the trials")
    columns = [
        trials > 0,
        trials,
        successes,
        trials**2,
        trials * successes,
        successes**2,
    ]
    return np.stack(columns, axis=1).astype(np.int64)


def shares_of_sums(sums: Int64Array, *, confidence: float = 0.95) -> list[Share]:
    """Return shares, with their intervals, from sums over clusters.

    The interval is that of Clopper and Pearson (1934) with the effective number of trials of Korn
    and Graubard (1998): the number of trials, divided by the design effect and multiplied by the
    squared ratio of Student's t quantiles with (trials − 1) and (clusters − 1) degrees of freedom,
    because few clusters say little about the variance between them. The design effect is the
    variance of the share between clusters (a linearised ratio estimate) divided by that of as many
    independent trials, and at least 1. If it cannot be estimated because all clusters have the same
    share, clusters are used as trials. So no interval is shorter than for independent trials.

    Parameters
    ----------
    sums : int64, shape (N, 6)
        For each share, the sum of `cluster_sums` over its clusters.
    confidence : float

    Returns
    -------
    list of Share
        Without trials, `value`, `low` and `high` are None.

    Raises
    ------
    ValueError
        If `confidence` is not between 0 and 1.

    References
    ----------
    E. L. Korn, B. I. Graubard (1998), Confidence Intervals for Proportions with Small Expected
    Number of Positive Counts Estimated from Survey Data, Survey Methodology 24.
    """
    confidence_check(confidence)
    alpha = (1 - confidence) / 2
    low, high = _ends(sums[:, 2], sums[:, 1], _effective(sums, alpha), alpha)
    return [
        Share(of, won, won / of, one, other) if of else Share(0, 0, None, None, None)
        for of, won, one, other in zip(
            sums[:, 1].tolist(),
            sums[:, 2].tolist(),
            low.tolist(),
            high.tolist(),
            strict=True,
        )
    ]


def share_of(successes: int, trials: int, effective: float, alpha: float) -> Share:
    """Return a share with its interval from `effective` independent trials, with probability
    `alpha` beyond either end.
    """
    low, high = _ends(
        np.array([successes]), np.array([trials]), np.array([effective]), alpha
    )
    return Share(trials, successes, successes / trials, float(low[0]), float(high[0]))


def _ends(
    successes: Int64Array, trials: Int64Array, effective: FloatArray, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the intervals of Clopper and Pearson."""
    x = successes / np.maximum(trials, 1) * effective
    some = successes > 0
    all_ = successes == trials
    low = np.zeros(len(x))
    high = np.ones(len(x))
    low[some] = betaincinv(x[some], (effective - x + 1)[some], alpha)
    high[~all_] = betaincinv((x + 1)[~all_], (effective - x)[~all_], 1 - alpha)
    return low, high


def _effective(sums: Int64Array, alpha: float) -> FloatArray:
    """Return the effective number of trials of each share."""
    clusters = sums[:, 0].astype(np.float64)
    total = sums[:, 1].astype(np.float64)
    effects = np.array([design_effect(row) for row in sums.tolist()])
    effective = np.where(sums[:, 3] == sums[:, 1], total, clusters)
    known = effects > 0
    # Quantiles of Student's distribution.
    few_clusters = stdtrit(total[known] - 1, alpha) / stdtrit(
        clusters[known] - 1, alpha
    )
    effective[known] = total[known] / np.maximum(1.0, effects[known]) * few_clusters**2
    return effective


def design_effect(row: Sequence[int]) -> float:
    """Return the variance between clusters over that of independent trials.

    It is 0 if it cannot be estimated, or if each cluster is a single trial. Numbers are integers up
    to the last step, so that equal shares differ by exactly 0.
    """
    clusters, total, won, of_squares, products, won_squares = row
    if clusters < 2 or of_squares == total or won in (0, total):
        return 0.0
    # The sum of (successes − share · trials)² is this divided by total².
    squares = total**2 * won_squares - 2 * total * won * products + won**2 * of_squares
    between = clusters * squares / ((clusters - 1) * total**4)
    value = won / total
    return between / (value * (1 - value) / total)


def two_way_share(
    successes: Int64Array,
    trials: Int64Array,
    *,
    segment: Int64Array,
    judge: Int64Array,
    confidence: float = 0.95,
) -> Share:
    """Return a share, with its interval, of trials clustered by both segment and judge.

    The interval is that of Clopper and Pearson (1934) with an effective number of trials: the
    number of trials, divided by a design effect and multiplied by the squared ratio of Student's t
    quantiles with (trials − 1) and the design effect's degrees of freedom, as in Korn and Graubard
    (1998). The design effect is that over segments + that over judges − that over rows (Cameron,
    Gelbach and Miller 2011), and at least that over segments, that over judges, and 1; its degrees
    of freedom are Satterthwaite's (1946). With one judge, differences between judges cannot be
    estimated: the interval is for other segments and the same judge. If all clusters have the same
    share, segments or judges, whichever are fewer, are used as trials.

    Parameters
    ----------
    successes, trials : int64, shape (R,)
        Successes and trials of each row, such as a reading of a snippet or an edit; rows without
        trials are ignored.
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
    if (
        not successes.shape == trials.shape == segment.shape == judge.shape
        or trials.ndim != 1
    ):
        raise ValueError(
            "expected successes, trials, segments and judges of one shape (R,)"
        )
    confidence_check(confidence)
    rows = cluster_sums(successes, trials).sum(axis=0)
    if not rows[1]:
        return Share(0, 0, None, None, None)
    of_units = [_sums_of(successes, trials, unit) for unit in (segment, judge)]
    alpha = (1 - confidence) / 2
    effective = _effective_two_way(
        rows, [unit for unit in of_units if unit[0] > 1], alpha
    )
    if of_units[0][0] == 1 < rows[1]:
        # A single segment says nothing about others.
        effective = 1.0
    return share_of(int(rows[2]), int(rows[1]), effective, alpha)


def _sums_of(successes: Int64Array, trials: Int64Array, unit: Int64Array) -> Int64Array:
    _numbers, index = np.unique(unit, return_inverse=True)
    won, of = (np.zeros(int(index.max()) + 1, dtype=np.int64) for _column in range(2))
    np.add.at(won, index, successes)
    np.add.at(of, index, trials)
    return np.asarray(cluster_sums(won, of).sum(axis=0))


def _effective_two_way(
    rows: Int64Array, of_units: list[Int64Array], alpha: float
) -> float:
    """Return the effective number of trials, from sums over rows and over each kind of unit with
    several units.
    """
    total = int(rows[1])
    won = int(rows[2])
    # Units of single trials add nothing to the trials' own variance, which is known.
    clusters = [unit for unit in of_units if unit[3] > unit[1]]
    if not clusters:
        return float(total)
    effects = [design_effect(cluster.tolist()) for cluster in clusters]
    if won in (0, total) or not any(effects):
        return float(min(int(cluster[0]) for cluster in clusters))
    effect = max(1.0, *effects)
    if len(effects) == 2:
        # Rows of one trial each have the variance of independent trials.
        if rows[3] > rows[1]:
            of_rows = design_effect(rows.tolist())
        else:
            of_rows = 1.0
        effect = max(effect, sum(effects) - of_rows)
    uncertain = sum(
        max(1.0, own) ** 2 / (int(each[0]) - 1)
        for own, each in zip(effects, clusters, strict=True)
    )
    degrees = max(1.0, effect**2 / uncertain)
    few = float(stdtrit(max(1, total - 1), alpha) / stdtrit(degrees, alpha))
    return total / effect * min(1.0, few) ** 2
