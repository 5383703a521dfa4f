"""Evidence that one system is better than another, and soft pairwise accuracy, which compares the evidence of people and metrics.

Evidence against "i is better than j" is a p-value: from flipping the signs of the differences of each segment (a paired
permutation test), or from resamples of the scores of systems.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtrit

from ranking.core.arrays import FloatArray, UInt64Array
from ranking.core.counting.counts import chunks
from ranking.core.counting.resampling import UNITS_AT_A_TIME, poisson_weights, uniform_numbers

#: With up to this many segments, all 2^S flips are enumerated instead of random ones.
MOST_ENUMERATED = 12
#: Tolerance relative to the sum of absolute scores: sums of flipped scores that are closer count as
#: equal.
_EQUAL = 1e-11


@dataclass(frozen=True, slots=True)
class Drawing:
    """How chance is drawn and judged.

    Attributes
    ----------
    resamples : int
        Of each unit; also the number of sign flips and of swaps of metrics.
    seed : int
        The same weights as in the human ranking with this seed.
    confidence : float
        Of intervals and tests, between 0 and 1.
    """

    resamples: int = 1000
    seed: int = 0
    confidence: float = 0.95

    def quantile(self, units: int) -> float:
        """Return the quantile of Student's t for two-sided intervals over units, with a degree of freedom fewer than them."""
        return float(stdtrit(max(1, units - 1), (1 + self.confidence) / 2))


def ratios(over: npt.NDArray[Any], under: npt.NDArray[Any]) -> FloatArray:
    """Return over / under, NaN where there is nothing below the line."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(under > 0, over / under, np.nan), dtype=np.float64)


def pair_differences(scores: FloatArray) -> FloatArray:
    """Return the differences of the pairs of ``np.triu_indices(n, 1)``, shape (..., P), for scores of shape (..., n)."""
    first, second = np.triu_indices(scores.shape[-1], 1)
    return np.asarray(scores[..., first] - scores[..., second])


def resampled_sums(
    columns: FloatArray,
    keys: UInt64Array,
    drawing: Drawing,
    draw: Callable[..., npt.NDArray[Any]] = poisson_weights,
) -> FloatArray:
    """Return sums over S segments with the weights of each draw, shape (R, K).

    Parameters
    ----------
    columns : float64, shape (S, K)
    keys : uint64, shape (S,)
        From `ranking.core.counting.resampling.segment_keys`, so that segments have the weights of the human ranking.
    drawing : Drawing
    draw : callable
        Returns the weights of some segments in all R draws, shape (s, R).
    """
    total = np.zeros((drawing.resamples, columns.shape[1]))
    for rows in chunks(len(columns), UNITS_AT_A_TIME):
        weights = draw(keys[rows], seed=drawing.seed, resamples=drawing.resamples)
        total += weights.astype(np.float64).T @ columns[rows]
    return total


def resampled_means(values: FloatArray, keys: UInt64Array, drawing: Drawing) -> FloatArray:
    """Return means over segments in bootstrap resamples of segments, shape (R, K).

    `values`, shape (S, K), are scores of segments, NaN where there is none. NaN where a resample has no score.
    """
    known = ~np.isnan(values)
    columns = np.concatenate([np.where(known, values, 0.0), known], axis=1)
    return ratios(*np.split(resampled_sums(columns, keys, drawing), 2, axis=1))


def flipped_p_values(
    scores: Sequence[FloatArray], keys: UInt64Array, drawing: Drawing
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
    drawing : Drawing

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
    first, second = np.triu_indices(scores[0].shape[1], 1)
    # Systems are flipped instead of their pairs where none lacks a score: they are fewer. Flips of a constant change no
    # difference, but leave fewer digits.
    whole = [not np.isnan(each).any() for each in scores]
    columns = [
        each - each.mean() if is_whole else np.nan_to_num(pair_differences(each), nan=0.0)
        for each, is_whole in zip(scores, whole, strict=True)
    ]
    ends = np.cumsum([each.shape[1] for each in columns])
    sums = np.split(flipped_sums(np.concatenate(columns, axis=1), keys, drawing), ends, axis=1)
    found: list[FloatArray] = []
    for given, is_whole, each, drawn in zip(scores, whole, columns, sums, strict=False):
        by_pair = pair_differences if is_whole else np.asarray
        reach = np.abs(each).sum(axis=0)
        if is_whole:
            reach = reach[first] + reach[second]
        observed = by_pair(each.sum(axis=0)) - _EQUAL * reach
        p = (by_pair(drawn) >= observed).mean(axis=0)
        found.append(np.where(np.isnan(pair_differences(given)).all(axis=0), np.nan, p))
    return found


def flipped_sums(columns: FloatArray, keys: UInt64Array, drawing: Drawing) -> FloatArray:
    """Return sums over segments whose signs are flipped at random, shape (R, K); all 2^S flips of few segments.

    `columns` are of shape (S, K), `keys` of shape (S,).
    """
    segments = len(keys)
    if segments <= MOST_ENUMERATED:
        every = np.array(list(product((1.0, -1.0), repeat=segments)))
        return np.asarray(every.reshape(2**segments, segments) @ columns)
    return resampled_sums(columns, keys, drawing, _signs)


def _signs(keys: UInt64Array, *, seed: int, resamples: int) -> FloatArray:
    return np.where(uniform_numbers(keys, seed=seed, resamples=resamples) < 0.5, 1.0, -1.0)


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
    difference = pair_differences(resampled)
    known = np.count_nonzero(~np.isnan(difference), axis=0)
    lost = (difference < 0).sum(axis=0) + (difference == 0).sum(axis=0) / 2
    return ratios(lost, known)


def difference_spread(resampled: FloatArray) -> FloatArray:
    """Return the standard deviation of the difference of each pair of systems over resamples, shape (P,)."""
    return np.asarray(np.nanstd(pair_differences(resampled), axis=0))


def normal_p_values(scores: FloatArray, spread: FloatArray) -> FloatArray:
    """Return p-values from the normal distribution, shape (..., P), for scores of shape (..., n) and `spread` as above."""
    ahead = pair_differences(scores)
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
    return np.asarray(1 - ratios(np.nansum(apart, axis=-1), known))
