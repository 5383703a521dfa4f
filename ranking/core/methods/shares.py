"""Scores that are shares of wins, and the influence of counts on them.

Expected Wins is the share of decided comparisons won, averaged over opponents. WMT's earlier
measures are shares of comparisons or of blocks: Bojar et al. (2011, §2.1) distinguish the meanings
of "better than or equal to any other system". Their proposal, with ties dropped, became the
official score of WMT12, "wins / (wins + losses)".
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.counting.counts import Counts
from ranking.core.scores import Scores


def expected_wins(wins: Int64Array) -> Scores:
    """Score systems by Expected Wins (Koehn 2012, §4.3).

    The score of a system is its probability of winning against a uniformly drawn opponent:

        score(j) = mean over the opponents k met of  win(j, k) / (win(j, k) + win(k, j))

    Ties are dropped. Equation 4 of the paper divides by n, but its Tables 2 and 3 (with scores that
    average one half) require the n − 1 opponents; in sparse data, only those with at least one
    decided comparison ("met") count, so that a missing comparison is not a defeat.

    A system without any decided comparison cannot be estimated.

    Parameters
    ----------
    wins : integer, shape (..., n, n)
        ``wins[..., a, b]`` comparisons (or resampled counts) won by a against b. The diagonal is
        ignored. Leading axes are independent samples.

    Returns
    -------
    Scores
        Shape (..., n).

    Raises
    ------
    ValueError
        If `wins` is not square in its last two axes or has a negative count.

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
    """Return the influence on the scores of one more win of each system against each other one.

    It is used for the variance of Expected Wins. It is the derivative, except for `smoothed_share`,
    which prevents a pair compared only once or twice from looking certain. The set of opponents met
    is treated as fixed.

    Parameters
    ----------
    wins : integer, shape (n, n)

    Returns
    -------
    float64, shape (n, n, n)
        ``result[j, a, b]`` is the influence of a win of a against b on the score of j.
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
    """Return a share from which to measure deviations, and the weight of a deviation in a variance.

    A share of n trials has the variance Σ (weight · (outcome − share))². With the observed share, a
    few trials with the same outcome would have a variance of 0, so one success and one failure are
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


def geq_others(counts: Counts) -> Scores:
    """Return "≥ others", the share of a system's comparisons that it won or tied.

    This was the official score of WMT up to 2011. Ties reward both sides.

    Parameters
    ----------
    counts : Counts of shape (..., n, n)
        With `ties`.

    Returns
    -------
    Scores
        Shape (..., n); a system without comparisons cannot be estimated.

    References
    ----------
    O. Bojar, M. Ercegovčević, M. Popel, O. Zaidan (2011), A Grain of Salt for the WMT Manual
    Evaluation, WMT.
    """
    won, lost, tied = _of_systems(counts)
    return _share(won + tied, won + lost + tied)


def gt_others(counts: Counts) -> Scores:
    """Return "> others", the share of a system's comparisons that it won.

    Ties count against both sides. Parameters, result and source are those of `geq_others`.
    """
    won, lost, tied = _of_systems(counts)
    return _share(won, won + lost + tied)


def bojar(counts: Counts) -> Scores:
    """Return wins / (wins + losses), the share of a system's decided comparisons that it won.

    This was the official score of WMT12. Ties are dropped; a system without a decided comparison
    cannot be estimated. Parameters, result and source are those of `geq_others`.
    """
    won, lost = counts.wins.sum(axis=-1), counts.wins.sum(axis=-2)
    return _share(won, won + lost)


def geq_all_in_block(counts: Counts) -> Scores:
    """Return "≥ all in block", the share of a system's blocks in which no system was better.

    A block counts for a system if it compares the system with at least one other; blank labels and
    systems left out do not count.

    Parameters
    ----------
    counts : Counts
        With `shown` and `best`, of shape (..., n).

    Returns
    -------
    Scores
        Shape (..., n); a system never compared cannot be estimated.

    References
    ----------
    As for `geq_others`.
    """
    if counts.shown is None or counts.best is None:
        raise ValueError("counts: blocks won outright were not counted")
    return _share(counts.best, counts.shown)


def gt_all_in_block(counts: Counts) -> Scores:
    """Return "> all in block", the share of a system's blocks in which it beat all others.

    Two systems of one candidate are not compared, so both can win a block. Parameters, result and
    source are those of `geq_all_in_block`, with `alone` instead of `best`.
    """
    if counts.shown is None or counts.alone is None:
        raise ValueError("counts: blocks won outright were not counted")
    return _share(counts.alone, counts.shown)


def _of_systems(counts: Counts) -> tuple[Int64Array, Int64Array, Int64Array]:
    return counts.wins.sum(axis=-1), counts.wins.sum(axis=-2), counts.tied.sum(axis=-1)


def _share(part: Int64Array, whole: Int64Array) -> Scores:
    estimable = whole > 0
    values = np.full(whole.shape, np.nan)
    np.divide(part, whole, out=values, where=estimable)
    return Scores(values=values, estimable=estimable)


def geq_others_influence(counts: Counts) -> FloatArray:
    """Return the influence of one more comparison on the scores of `geq_others`, for their
    variance.

    Parameters
    ----------
    counts : Counts of shape (n, n)
        With `ties`.

    Returns
    -------
    float64, shape (n, m)
        Influence of one more count in each of the m cells of ``Layout(n, ties=True)`` on the score
        of each system; see `ranking.core.methods.shares.smoothed_share`.
    """
    won, lost, tied = _of_systems(counts)
    return _pairs_influence(won + tied, won + lost + tied, win=1, loss=0, tie=1)


def gt_others_influence(counts: Counts) -> FloatArray:
    """Return the influence of one more comparison on the scores of `gt_others`.

    Parameters and result are those of `geq_others_influence`.
    """
    won, lost, tied = _of_systems(counts)
    return _pairs_influence(won, won + lost + tied, win=1, loss=0, tie=0)


def bojar_influence(counts: Counts) -> FloatArray:
    """Return the influence of one more comparison on the scores of `bojar`.

    Parameters and result are those of `geq_others_influence`, for the cells of ``Layout(n)``.
    """
    won, lost = counts.wins.sum(axis=-1), counts.wins.sum(axis=-2)
    return _pairs_influence(won, won + lost, win=1, loss=0, tie=None)


def geq_all_in_block_influence(counts: Counts) -> FloatArray:
    """Return the influence of one more block on the scores of `geq_all_in_block`, for their
    variance.

    Parameters
    ----------
    counts : Counts of shape (n, n)
        With `ties`, `shown`, `best` and `alone`.

    Returns
    -------
    float64, shape (n, m)
        For the m cells of ``Layout(n, ties=True, outright=True)``; 0 for wins and ties.
    """
    return _outright_influence(counts, counts.best, column=1)


def gt_all_in_block_influence(counts: Counts) -> FloatArray:
    """Return the influence of one more block on the scores of `gt_all_in_block`.

    Parameters and result are those of `geq_all_in_block_influence`.
    """
    return _outright_influence(counts, counts.alone, column=2)


def _pairs_influence(
    part: Int64Array, whole: Int64Array, *, win: int, loss: int, tie: int | None
) -> FloatArray:
    n = len(part)
    share, weight = smoothed_share(part, whole)
    result = np.zeros((n, 1 if tie is None else 2, n, n))
    system = np.arange(n)
    result[system, 0, system, :] = (weight * (win - share))[:, np.newaxis]
    result[system, 0, :, system] = (weight * (loss - share))[:, np.newaxis]
    if tie is not None:
        result[system, 1, system, :] = (weight * (tie - share))[:, np.newaxis]
        result[system, 1, :, system] = (weight * (tie - share))[:, np.newaxis]
    return result.reshape(n, n * n * (1 if tie is None else 2))


def _outright_influence(counts: Counts, part: Int64Array | None, *, column: int) -> FloatArray:
    if counts.shown is None or part is None:
        raise ValueError("counts: blocks won outright were not counted")
    n = len(counts.shown)
    share, weight = smoothed_share(part, counts.shown)
    result = np.zeros((n, 3, n))
    system = np.arange(n)
    result[system, 0, system] = -weight * share
    result[system, column, system] = weight
    return np.concatenate([np.zeros((n, 2 * n * n)), result.reshape(n, 3 * n)], axis=1)
