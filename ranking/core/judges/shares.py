"""Shares of successes, with intervals that account for clustering by block, segment or judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, stdtrit

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.grouping import sums_by_group
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


_NO_TRIALS = Share(trials=0, successes=0, value=None, low=None, high=None)


def clustered_share(
    successes: Int64Array,
    trials: Int64Array,
    *,
    confidence: float = 0.95,
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
    trials = sums[:, 1]
    successes = sums[:, 2]
    low, high = _ends(
        successes=successes,
        trials=trials,
        effective=_effective_trials(sums, alpha),
        alpha=alpha,
    )
    shares = []
    for row, count in enumerate(trials.tolist()):
        if count == 0:
            shares.append(_NO_TRIALS)
            continue
        shares.append(
            Share(
                trials=count,
                successes=int(successes[row]),
                value=int(successes[row]) / count,
                low=float(low[row]),
                high=float(high[row]),
            ),
        )
    return shares


def share_of(successes: int, trials: int, effective: float, alpha: float) -> Share:
    """Return a share with its interval from `effective` independent trials, with probability
    `alpha` beyond either end.
    """
    low, high = _ends(
        successes=np.array([successes]),
        trials=np.array([trials]),
        effective=np.array([effective]),
        alpha=alpha,
    )
    return Share(
        trials=trials,
        successes=successes,
        value=successes / trials,
        low=float(low[0]),
        high=float(high[0]),
    )


def _ends(
    successes: Int64Array,
    trials: Int64Array,
    effective: FloatArray,
    alpha: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the intervals of Clopper and Pearson."""
    share = successes / np.maximum(trials, 1)
    x = share * effective
    failures = effective - x
    low = np.zeros(len(x))
    high = np.ones(len(x))
    own = successes > 0
    low[own] = betaincinv(x[own], failures[own] + 1, alpha)
    own = successes != trials
    high[own] = betaincinv(x[own] + 1, failures[own], 1 - alpha)
    return low, high


def _effective_trials(sums: Int64Array, alpha: float) -> FloatArray:
    """Return the effective number of trials of each share."""
    clusters = sums[:, 0].astype(np.float64)
    total = sums[:, 1].astype(np.float64)
    effects = np.array([design_effect(row) for row in sums.tolist()])
    are_single_trials = sums[:, 3] == sums[:, 1]
    effective = np.where(are_single_trials, total, clusters)
    is_known = effects > 0
    # Quantiles of Student's distribution.
    quantile_of_trials = stdtrit(total[is_known] - 1, alpha)
    quantile_of_clusters = stdtrit(clusters[is_known] - 1, alpha)
    few_clusters = quantile_of_trials / quantile_of_clusters
    independent = total[is_known] / np.maximum(1.0, effects[is_known])
    effective[is_known] = independent * few_clusters**2
    return effective


def design_effect(row: Sequence[int]) -> float:
    """Return the variance between clusters over that of independent trials.

    It is 0 if it cannot be estimated, or if each cluster is a single trial. Numbers are integers up
    to the last step, so that equal shares differ by exactly 0.
    """
    clusters, total, won, total_squares, products, won_squares = row
    if clusters < 2 or total_squares == total or won in (0, total):
        return 0.0
    # The sum of (successes − share · trials)² is this divided by total².
    squares = (
        total**2 * won_squares - 2 * total * won * products + won**2 * total_squares
    )
    variance_between = clusters * squares / ((clusters - 1) * total**4)
    share = won / total
    variance_of_trials = share * (1 - share) / total
    return variance_between / variance_of_trials


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
    shapes = {successes.shape, trials.shape, segment.shape, judge.shape}
    if len(shapes) > 1 or trials.ndim != 1:
        raise ValueError(
            "expected successes, trials, segments and judges of one shape (R,)",
        )
    confidence_check(confidence)
    rows = _ClusterSums.of(cluster_sums(successes, trials))
    if not rows.trials:
        return _NO_TRIALS
    segments = _sums_by_unit(successes, trials, segment)
    judges = _sums_by_unit(successes, trials, judge)
    units = [unit for unit in (segments, judges) if unit.clusters > 1]
    alpha = (1 - confidence) / 2
    if segments.clusters == 1 < rows.trials:
        # A single segment says nothing about others.
        effective = 1.0
    else:
        effective = _effective_two_way(rows, units, alpha)
    return share_of(
        successes=rows.successes,
        trials=rows.trials,
        effective=effective,
        alpha=alpha,
    )


class _ClusterSums(NamedTuple):
    """Sums of `cluster_sums` over clusters."""

    clusters: int
    trials: int
    successes: int
    trials_squared: int
    products: int
    successes_squared: int

    @classmethod
    def of(cls, sums: Int64Array) -> _ClusterSums:
        """Add up the sums of clusters, of shape (G, 6)."""
        return cls(*sums.sum(axis=0).tolist())


def _sums_by_unit(
    successes: Int64Array,
    trials: Int64Array,
    unit: Int64Array,
) -> _ClusterSums:
    units, index = np.unique(unit, return_inverse=True)
    successes_of_units = sums_by_group(successes, index, len(units))
    trials_of_units = sums_by_group(trials, index, len(units))
    return _ClusterSums.of(cluster_sums(successes_of_units, trials_of_units))


def _effective_two_way(
    rows: _ClusterSums,
    units: list[_ClusterSums],
    alpha: float,
) -> float:
    """Return the effective number of trials, from sums over rows and over each kind of unit with
    several units.
    """
    total = rows.trials
    # Units of single trials add nothing to the trials' own variance, which is known.
    clustered = [unit for unit in units if unit.trials_squared > unit.trials]
    if not clustered:
        return float(total)
    effects = [design_effect(unit) for unit in clustered]
    if rows.successes in (0, total) or not any(effects):
        return float(min(unit.clusters for unit in clustered))
    effect = max(1.0, *effects)
    if len(effects) == 2:
        # Rows of one trial each have the variance of independent trials.
        effect_of_rows = 1.0
        if rows.trials_squared > rows.trials:
            effect_of_rows = design_effect(rows)
        effect = max(effect, sum(effects) - effect_of_rows)
    uncertainty = 0.0
    for unit_effect, unit in zip(effects, clustered, strict=True):
        uncertainty += max(1.0, unit_effect) ** 2 / (unit.clusters - 1)
    degrees = max(1.0, effect**2 / uncertainty)
    quantile_of_trials = stdtrit(max(1, total - 1), alpha)
    few_units = float(quantile_of_trials / stdtrit(degrees, alpha))
    return total / effect * min(1.0, few_units) ** 2
