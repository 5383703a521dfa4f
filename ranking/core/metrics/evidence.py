"""Evidence that one system is better than another, and soft pairwise accuracy, which compares the evidence of people and metrics.

Evidence against "i is better than j" is a p-value: from flipping the signs of the differences of each segment (a paired
permutation test), or from resamples of the scores of systems.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from ranking.core.arrays import FloatArray, UInt64Array
from ranking.core.counting.counts import chunks
from ranking.core.counting.resampling import poisson_weights, uniform_numbers

#: With up to this many segments, all 2^S flips are enumerated instead of random ones.
MOST_ENUMERATED = 12
_SEGMENTS_AT_A_TIME = 1024
#: Tolerance relative to the sum of absolute scores: sums of flipped scores that are closer count as
#: equal.
_EQUAL = 1e-11


def ratios(over: npt.NDArray[Any], under: npt.NDArray[Any]) -> FloatArray:
    """Return over / under, NaN where there is nothing below the line."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(under > 0, over / under, np.nan), dtype=np.float64)


def weighted_sums(
    columns: FloatArray, weights: Callable[[slice], FloatArray], draws: int
) -> FloatArray:
    """Return sums over S segments with the weights of each draw, shape (R, K).

    Parameters
    ----------
    columns : float64, shape (S, K)
    weights : callable
        Returns the weights of some segments in all R draws, shape (s, R), so that those of all are never in memory.
    draws : int
    """
    total = np.zeros((draws, columns.shape[1]))
    for rows in chunks(len(columns), _SEGMENTS_AT_A_TIME):
        total += weights(rows).T @ columns[rows]
    return total


def resampled_means(
    values: FloatArray, keys: UInt64Array, *, resamples: int, seed: int
) -> FloatArray:
    """Return means over segments in bootstrap resamples of segments, shape (R, K).

    Parameters
    ----------
    values : float64, shape (S, K)
        Scores of segments; NaN where there is none.
    keys : uint64, shape (S,)
        From `ranking.core.counting.resampling.segment_keys`, so that segments have the weights of the human ranking.
    resamples, seed : int

    Returns
    -------
    float64, shape (R, K)
        NaN where a resample has no score.
    """

    def weights(rows: slice) -> FloatArray:
        return poisson_weights(keys[rows], seed=seed, resamples=resamples).astype(np.float64)

    known = ~np.isnan(values)
    sums = weighted_sums(np.where(known, values, 0.0), weights, resamples)
    whole = known.all(axis=0)
    counts = np.empty_like(sums)
    counts[:, whole] = weighted_sums(np.ones((len(keys), 1)), weights, resamples)
    if not whole.all():
        counts[:, ~whole] = weighted_sums(known[:, ~whole].astype(np.float64), weights, resamples)
    return ratios(sums, counts)


def flipped_p_values(
    scores: Sequence[FloatArray], keys: UInt64Array, *, flips: int = 1000, seed: int = 0
) -> list[FloatArray]:
    """Return p-values of the paired permutation test for each pair of systems, by each of several scorers.

    p is the share of sign flips of the segments' differences whose sum is at least the observed one, equal ones counted in full
    (Thompson et al. 2024, as in WMT24 and WMT25). All scorers see the same flips. With at most `MOST_ENUMERATED` segments, all flips
    are tried, and p is exact.

    Parameters
    ----------
    scores : sequence of float64, shape (S, n)
        Higher is better; NaN where there is none. A pair is compared on the segments in which both have a score.
    keys : uint64, shape (S,)
        Of the segments: flips are a function of key and seed.
    flips : int
    seed : int

    Returns
    -------
    list of float64, shape (n (n − 1) / 2,)
        For each scorer, against "the first is better than the second" of ``np.triu_indices(n, 1)``; NaN for a pair without a
        segment.

    References
    ----------
    B. Thompson, N. Mathur, D. Deutsch, H. Khayrallah (2024), Improving Statistical Significance in Human Evaluation of
    Automatic Metrics via Soft Pairwise Accuracy, WMT.
    """
    if not scores:
        return []
    first, second = np.triu_indices(scores[0].shape[1], 1)
    columns = [_columns(each, first, second) for each in scores]
    sums = flipped_sums(np.concatenate(columns, axis=1), keys, flips=flips, seed=seed)
    places = np.cumsum([0, *(each.shape[1] for each in columns)])
    found: list[FloatArray] = []
    for each, start, end in zip(columns, places[:-1], places[1:], strict=True):
        flipped, observed = sums[:, start:end], each.sum(axis=0)
        reach = np.abs(each).sum(axis=0)
        known = ~np.isnan(scores[len(found)])
        if known.all():
            flipped = flipped[:, first] - flipped[:, second]
            observed = observed[first] - observed[second]
            reach = reach[first] + reach[second]
        p = (flipped >= observed - _EQUAL * reach).mean(axis=0)
        found.append(np.where((known[:, first] & known[:, second]).any(axis=0), p, np.nan))
    return found


def flipped_sums(columns: FloatArray, keys: UInt64Array, *, flips: int, seed: int) -> FloatArray:
    """Return sums over segments whose signs are flipped at random, shape (R, K); all 2^S flips of few segments.

    `columns` are of shape (S, K), `keys` of shape (S,).
    """
    segments = len(keys)
    if segments <= MOST_ENUMERATED:
        every = np.array(list(product((1.0, -1.0), repeat=segments)))
        return np.asarray(every.reshape(-1, segments) @ columns)

    def signs(rows: slice) -> FloatArray:
        drawn = uniform_numbers(keys[rows], seed=seed, resamples=flips)
        return np.where(drawn < 0.5, 1.0, -1.0)

    return weighted_sums(columns, signs, flips)


def _columns(
    scores: FloatArray, first: npt.NDArray[np.intp], second: npt.NDArray[np.intp]
) -> FloatArray:
    """Return the scores to flip: those of systems, or the differences of pairs where scores are missing."""
    if not np.isnan(scores).any():
        # Flips of a constant change no difference, but leave fewer digits.
        return np.asarray(scores - scores.mean())
    return np.asarray(np.nan_to_num(scores[:, first] - scores[:, second], nan=0.0))


def resampled_p_values(resampled: FloatArray) -> FloatArray:
    """Return the share of resamples in which the first system of each pair is not better; ties count half.

    Parameters
    ----------
    resampled : float64, shape (R, n)
        Scores of systems in resamples; resamples with NaN for a pair are left out.

    Returns
    -------
    float64, shape (n (n − 1) / 2,)
        NaN for a pair without resamples.
    """
    first, second = np.triu_indices(resampled.shape[1], 1)
    difference = resampled[:, first] - resampled[:, second]
    known = np.count_nonzero(~np.isnan(difference), axis=0)
    lost = (difference < 0).sum(axis=0) + (difference == 0).sum(axis=0) / 2
    return ratios(lost, known)


def difference_spread(resampled: FloatArray) -> FloatArray:
    """Return the standard deviation of the difference of each pair of systems over resamples, shape (P,)."""
    first, second = np.triu_indices(resampled.shape[1], 1)
    return np.asarray(np.nanstd(resampled[:, first] - resampled[:, second], axis=0))


def normal_p_values(scores: FloatArray, spread: FloatArray) -> FloatArray:
    """Return p-values from the normal distribution, shape (..., P), for scores of shape (..., n) and `spread` as above."""
    first, second = np.triu_indices(scores.shape[-1], 1)
    ahead = scores[..., first] - scores[..., second]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(ndtr(-np.where(ahead == 0, 0.0, ahead / spread)))


def soft_pairwise_accuracy(human: FloatArray, metric: FloatArray) -> FloatArray:
    """Return 1 − mean |p − p| over pairs, shape (...); pairs without a p-value are left out.

    Parameters
    ----------
    human, metric : float64, shape (..., P)
        p-values of the same pairs in the same direction.
    """
    with np.errstate(invalid="ignore"):
        apart = np.abs(human - metric)
    known = np.count_nonzero(~np.isnan(apart), axis=-1)
    total = np.nansum(apart, axis=-1)
    return np.asarray(1 - ratios(total, known))
