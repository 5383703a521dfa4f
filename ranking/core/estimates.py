"""Figures with intervals over segments and judges, and correlations of systems' scores.

Correlations are Kendall's tau-b, Spearman's and Pearson's. Intervals are computed from resamples of
segments, of judges, and of each judge's judgments of a segment.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import inf, sqrt
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
from scipy.special import stdtrit

from ranking.core.arrays import FloatArray
from ranking.core.scores import TIE_DECIMALS, Scores

#: Resampled unit: segments, judges, or a judge's judgments of a segment.
Unit = Literal["segments", "judges", "cells"]
UNITS: tuple[Unit, ...] = get_args(Unit)

#: Minimum share of resamples in which the figure must be defined.
_LEAST_SHARE = 0.5
#: A smaller variance is a rounding error.
_NO_VARIANCE = 1e-20


def two_way_variance(segments: float, judges: float, cells: float) -> float:
    """Return the variance over samples of segments and of judges, from that over either and over cells.

    A cell is a judge's judgments of a segment. The overlap is subtracted (Cameron, Gelbach and Miller
    2011), but the result is at least the variance over segments and that over judges.
    """
    return max(segments + judges - cells, segments, judges)


def t_quantile(confidence: float, degrees_of_freedom: FloatArray | float) -> FloatArray:
    """Return the quantile of Student's t for two-sided intervals, of the shape of the degrees of freedom."""
    return np.asarray(stdtrit(degrees_of_freedom, (1 + confidence) / 2))


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval.

    Attributes
    ----------
    value : float
    low, high : float or None
        None if the uncertainty is unknown: with one segment or judge, if the figure is undefined in
        half of the resamples, or if it is the same in all.
    """

    value: float
    low: float | None
    high: float | None


def estimate(
    value: float,
    resampled: Mapping[Unit, FloatArray],
    *,
    fewest_units: int,
    confidence: float,
    least: float = -inf,
    most: float = inf,
) -> Estimate:
    """Return a figure with an interval for its expected value over campaigns of this size.

    Segments and judges are treated as samples: the variance is that over segments + that over
    judges − that over each judge's judgments of a segment, and at least each of the first two
    (Cameron, Gelbach and Miller 2011). Student's t has one degree of freedom fewer than the number
    of segments or judges, whichever is smaller.

    Parameters
    ----------
    value : float
    resampled : mapping of unit to float64, shape (R,)
        The figure in resamples of each unit; NaN where undefined.
    fewest_units : int
        Number of segments or judges, whichever is smaller.
    confidence : float
        Between 0 and 1.
    least, most : float
        Limits of the interval.

    Returns
    -------
    Estimate

    Notes
    -----
    The interval is symmetric around the figure rather than made of percentiles: resampling adds the
    noise of the campaign a second time, which pulls correlations towards 0 and makes some pairs
    significant, so resampled figures are biased.
    """
    segments = _variance(resampled["segments"])
    judges = _variance(resampled["judges"])
    cells = _variance(resampled["cells"])
    variance = two_way_variance(segments, judges, cells)
    is_known = not np.isnan([segments, judges, cells]).any()
    if fewest_units < 2 or not is_known or variance < _NO_VARIANCE:
        return Estimate(value, None, None)
    quantile = float(t_quantile(confidence, fewest_units - 1))
    reach = quantile * sqrt(variance)
    low = max(least, value - reach)
    high = min(most, value + reach)
    return Estimate(value, low, high)


def _variance(values: FloatArray) -> float:
    defined = values[~np.isnan(values)]
    if len(defined) < max(2, _LEAST_SHARE * len(values)):
        return float("nan")
    return float(defined.var(ddof=1))


#: Minimum number of systems for a correlation: for two it is always 1 or −1, as it is for the ranks
#: of three in a third of random orders, for which no interval is valid.
FEWEST_SYSTEMS = 4


class NoCorrelation(StrEnum):
    """Reason for a missing correlation, as a code for callers to put into words."""

    FEW_SYSTEMS = "few_systems"
    """Fewer than four systems have a score in both."""

    EQUAL_SCORES = "equal_scores"
    """All scores of one of the two are equal."""


@dataclass(frozen=True)
class CorrelationsOfScores:
    """Correlations of two lists of scores of the same systems.

    Attributes
    ----------
    systems : tuple of str
        Systems scored by both, sorted by name.
    by_measure : mapping of str to Estimate
        "kendall" (tau-b), "spearman" (with mean ranks for ties) and "pearson"; empty if there is none.
    reason : NoCorrelation or None
        Reason for a missing correlation.
    """

    systems: tuple[str, ...]
    by_measure: Mapping[str, Estimate]
    reason: NoCorrelation | None = None


def kendall_tau_b(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return Kendall's tau-b (1945) of scores, each of shape (..., n), possibly for many resamples.

    It is (C − D) / √((C + D + T₁)(C + D + T₂)) for C pairs in the same order, D in opposite orders,
    and T₁ and T₂ tied only in the other list. Scores that agree to `TIE_DECIMALS` decimals are
    tied. NaN where all scores of one list are tied, or any is NaN.
    """
    order = _signs_of_pairs(one)
    other_order = _signs_of_pairs(other)
    concordant_minus_discordant = np.sum(order * other_order, axis=-1)
    untied = np.sum(order * order, axis=-1)
    other_untied = np.sum(other_order * other_order, axis=-1)
    return _ratio(concordant_minus_discordant, untied * other_untied)


def _signs_of_pairs(scores: FloatArray) -> FloatArray:
    """Return the order of each two scores of n: 1, −1 or, for ties, 0."""
    first, second = np.triu_indices(scores.shape[-1], 1)
    differences = scores[..., first] - scores[..., second]
    return np.sign(np.round(differences, TIE_DECIMALS))


def pearson(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return Pearson's correlation of scores, each of shape (..., n); NaN where one is constant or
    has a NaN.
    """
    one = np.round(one, TIE_DECIMALS)
    other = np.round(other, TIE_DECIMALS)
    both_vary = np.ptp(one, axis=-1) * np.ptp(other, axis=-1) > 0
    one = one - one.mean(axis=-1, keepdims=True)
    other = other - other.mean(axis=-1, keepdims=True)
    products = (one * other).sum(axis=-1)
    squares = (one * one).sum(axis=-1)
    other_squares = (other * other).sum(axis=-1)
    return _ratio(products, np.where(both_vary, squares * other_squares, 0.0))


def spearman(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return Spearman's correlation of scores, with mean ranks for ties.

    Parameters and result are those of `pearson`; scores that are equal to `TIE_DECIMALS` decimals are tied.
    """
    from scipy.stats import rankdata  # a fifth of Django's start-up time

    ranks = rankdata(np.round(one, TIE_DECIMALS), axis=-1)
    other_ranks = rankdata(np.round(other, TIE_DECIMALS), axis=-1)
    return pearson(ranks, other_ranks)


#: Correlations by name.
MEASURES: Mapping[str, Callable[[FloatArray, FloatArray], FloatArray]] = (
    MappingProxyType(
        {"kendall": kendall_tau_b, "spearman": spearman, "pearson": pearson},
    )
)


def _ratio(product: FloatArray, squares: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(squares > 0, product / np.sqrt(squares), np.nan)
    return np.asarray(np.clip(ratio, -1, 1), dtype=np.float64)


def kendall_tau(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return Kendall's τ_b between two orders of systems, over the systems that both have.

    Parameters
    ----------
    one, other : mapping of str to float
        A score or a rank for each system; the same direction must be better in both. Values that
        agree to `TIE_DECIMALS` decimals are ties.

    Returns
    -------
    float
        From −1 (reverse order) to 1 (same order); NaN if all systems are tied in either, or if
        fewer than two systems are in both.

    References
    ----------
    M. G. Kendall (1945), The Treatment of Ties in Ranking Problems, Biometrika 33.
    """
    both = sorted(one.keys() & other.keys())
    scores = np.array([one[name] for name in both], dtype=np.float64)
    others = np.array([other[name] for name in both], dtype=np.float64)
    return float(kendall_tau_b(scores, others))


@dataclass(frozen=True, eq=False)
class DrawnScores:
    """Scores of a task's systems, also in resamples of each unit.

    `scores` has shape (n,) and `resampled` shape (R, n). With the same seed, segments and judges
    have the same weights in every task.
    """

    systems: tuple[str, ...]
    scores: Scores
    resampled: Mapping[Unit, Scores]
    fewest_units: int

    def estimable_by_name(self) -> dict[str, int]:
        """Return the indices of the systems that have a score, by name."""
        estimable = np.flatnonzero(self.scores.estimable).tolist()
        return {self.systems[index]: index for index in estimable}


def correlations(
    one: DrawnScores,
    other: DrawnScores,
    *,
    confidence: float = 0.95,
) -> CorrelationsOfScores:
    """Correlate the scores that two tasks give to the systems they have in common.

    Parameters
    ----------
    one, other : DrawnScores
        Scores with the same number of resamples and the same seed.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    CorrelationsOfScores
        Each interval is for the expected correlation over campaigns of this size with other
        segments and judges, see `estimate`. Noise lowers correlations, so the correlation of the
        true scores is further from 0.
    """
    index = one.estimable_by_name()
    other_index = other.estimable_by_name()
    names = tuple(name for name in index if name in other_index)
    if len(names) < FEWEST_SYSTEMS:
        return CorrelationsOfScores(names, {}, NoCorrelation.FEW_SYSTEMS)
    mine = [index[name] for name in names]
    theirs = [other_index[name] for name in names]
    estimates = {}
    scores = one.scores.values[mine]
    other_scores = other.scores.values[theirs]
    for name, measure in MEASURES.items():
        value = float(measure(scores, other_scores))
        if np.isnan(value):
            return CorrelationsOfScores(names, {}, NoCorrelation.EQUAL_SCORES)
        resampled: dict[Unit, FloatArray] = {}
        for unit in UNITS:
            own_values = one.resampled[unit].values[:, mine]
            other_values = other.resampled[unit].values[:, theirs]
            resampled[unit] = measure(own_values, other_values)
        estimates[name] = estimate(
            value,
            resampled,
            fewest_units=min(one.fewest_units, other.fewest_units),
            confidence=confidence,
            least=-1.0,
            most=1.0,
        )
    return CorrelationsOfScores(names, estimates)
