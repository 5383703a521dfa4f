"""Shares of comparisons, or of blocks, that a system won: WMT's measures before Expected Wins.

Bojar et al. (2011, §2.1) distinguish the meanings of "better than or equal to any other system".
Their proposal, with ties dropped, became the official score of WMT12, "wins / (wins + losses)".
"""

from __future__ import annotations

import numpy as np

from ranking.core.counting.counts import Counts
from ranking.core.methods.expected_wins import FloatArray, Int64Array, smoothed_share
from ranking.core.scores import Scores


def geq_others(counts: Counts) -> Scores:
    """Return "≥ others": the share of a system's comparisons that it won or tied.

    This was the official score of WMT up to 2011. Ties reward both sides.

    Parameters
    ----------
    counts : Counts of shape (..., n, n)
        With `ties`.

    Returns
    -------
    Scores
        Of shape (..., n); a system without comparisons is not estimable.

    References
    ----------
    O. Bojar, M. Ercegovčević, M. Popel, O. Zaidan (2011), A Grain of Salt for the WMT Manual
    Evaluation, WMT.
    """
    won, lost, tied = _of_systems(counts)
    return _share(won + tied, won + lost + tied)


def gt_others(counts: Counts) -> Scores:
    """Return "> others": the share of a system's comparisons that it won.

    Ties count against both sides. Parameters, result and source are those of `geq_others`.
    """
    won, lost, tied = _of_systems(counts)
    return _share(won, won + lost + tied)


def bojar(counts: Counts) -> Scores:
    """Return wins / (wins + losses): the share of a system's decided comparisons that it won.

    This was the official score of WMT12. Ties are dropped; a system without a decided comparison is
    not estimable. Parameters, result and source are those of `geq_others`.
    """
    won, lost = counts.wins.sum(axis=-1), counts.wins.sum(axis=-2)
    return _share(won, won + lost)


def geq_all_in_block(counts: Counts) -> Scores:
    """Return "≥ all in block": the share of a system's blocks in which no system was better.

    A block counts for a system if it compares the system with at least one other; blank labels and
    systems left out do not count.

    Parameters
    ----------
    counts : Counts
        With `shown` and `best`, of shape (..., n).

    Returns
    -------
    Scores
        Of shape (..., n); a system never compared is not estimable.

    References
    ----------
    As for `geq_others`.
    """
    if counts.shown is None or counts.best is None:
        raise ValueError("counts: blocks won outright were not counted")
    return _share(counts.best, counts.shown)


def gt_all_in_block(counts: Counts) -> Scores:
    """Return "> all in block": the share of a system's blocks in which it beat all others.

    Two systems of one candidate are not compared, so both can win a block. Parameters, result and
    source are those of `geq_all_in_block`, with `alone` instead of `best`.
    """
    if counts.shown is None or counts.alone is None:
        raise ValueError("counts: blocks won outright were not counted")
    return _share(counts.alone, counts.shown)


def _of_systems(counts: Counts) -> tuple[Int64Array, Int64Array, Int64Array]:
    if counts.ties is None:
        raise ValueError("counts: ties were not counted")
    return counts.wins.sum(axis=-1), counts.wins.sum(axis=-2), counts.ties.sum(axis=-1)


def _share(part: Int64Array, whole: Int64Array) -> Scores:
    estimable = whole > 0
    values = np.full(whole.shape, np.nan)
    np.divide(part, whole, out=values, where=estimable)
    return Scores(values=values, estimable=estimable)


def geq_others_influence(counts: Counts) -> FloatArray:
    """Return how far one more comparison moves the scores of `geq_others`, for their variance.

    Parameters
    ----------
    counts : Counts of shape (n, n)
        With `ties`.

    Returns
    -------
    float64, shape (n, m)
        Influence of one more in each of the m cells of ``Layout(n, ties=True)`` on the score of
        each system; see `ranking.core.methods.expected_wins.smoothed_share`.
    """
    won, lost, tied = _of_systems(counts)
    return _pairs_influence(won + tied, won + lost + tied, win=1, loss=0, tie=1)


def gt_others_influence(counts: Counts) -> FloatArray:
    """Return how far one more comparison moves the scores of `gt_others`.

    Parameters and result are those of `geq_others_influence`.
    """
    won, lost, tied = _of_systems(counts)
    return _pairs_influence(won, won + lost + tied, win=1, loss=0, tie=0)


def bojar_influence(counts: Counts) -> FloatArray:
    """Return how far one more comparison moves the scores of `bojar`.

    Parameters and result are those of `geq_others_influence`, for the cells of ``Layout(n)``.
    """
    won, lost = counts.wins.sum(axis=-1), counts.wins.sum(axis=-2)
    return _pairs_influence(won, won + lost, win=1, loss=0, tie=None)


def geq_all_in_block_influence(counts: Counts) -> FloatArray:
    """Return how far one more block moves the scores of `geq_all_in_block`, for their variance.

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
    """Return how far one more block moves the scores of `gt_all_in_block`.

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
