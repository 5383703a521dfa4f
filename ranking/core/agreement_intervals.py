"""κ of pairs of judgments that were counted already, with its interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.agreement import FIXED_CHANCE, Chance
from ranking.core.agreement_statistics import (
    Shares,
    Statistic,
    Ties,
    fleiss,
    krippendorff,
    pooled,
)
from ranking.core.agreement_units import Units
from ranking.core.blocks import UInt64Array
from ranking.core.compared import Compared
from ranking.core.resampling import poisson_weights
from ranking.core.wins import NotEstimable

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

#: Resampled sums held at a time, in cells of 8 bytes.
_CELLS_AT_A_TIME = 1 << 21
_RESAMPLES_AT_A_TIME = 128


@dataclass(frozen=True)
class Measure:
    """Agreement on pairs of judgments of the same item, with what it was counted from.

    Attributes
    ----------
    kappa : float or None
        (P(A) − P(E)) / (1 − P(E)), at most 1.
    p_agree : float or None
        P(A): agreeing / comparable; for Fleiss's κ the mean over items, for Krippendorff's α one
        minus the observed disagreement.
    p_chance : float or None
        P(E).
    agreeing, comparable : int
        Pairs of judgments of one item, and those of them with the same outcome.
    ties, labels : int
        Tied comparisons, and comparisons, of the judgments P(E) is estimated from where it is
        Scott's. (The script of WMT15 calls the outcome of a comparison its label.)
    low, high : float or None
        Ends of the percentile interval of κ.
    reason : NotEstimable or None
        Why `kappa` is None.
    """

    kappa: float | None
    p_agree: float | None
    p_chance: float | None
    agreeing: int
    comparable: int
    ties: int
    labels: int
    low: float | None
    high: float | None
    reason: NotEstimable | None


def measure_compared(
    compared: Compared,
    ties: Ties,
    *,
    chance: Chance,
    symmetric: bool,
    resamples: int,
    cut: int,
    seed: int,
) -> Measure:
    """Measure agreement on pairs already counted, by the judgments of all judges together.

    Parameters
    ----------
    compared : Compared
    ties : Ties
        Of the judgments Scott's P(E) is estimated from.
    chance : Chance
        Any but `COHEN`, which needs to know the judges: see `ranking.core.cohen`.
    symmetric : bool
    resamples : int
    cut : int
        Resampled values to chop off at each end.
    seed : int

    Returns
    -------
    Measure
    """
    segments = np.union1d(compared.units.segment, ties.segment)
    statistic = _statistic(compared, ties, segments, chance, symmetric=symmetric)
    whole: Int64Array = np.asarray(statistic.by_segment.sum(axis=1)).reshape(-1, 1)
    key = segments.astype(np.uint64)
    found = [
        statistic.evaluate(sums)
        for sums in [
            whole,
            *resampled_sums(statistic.by_segment, key, resamples=resamples, seed=seed),
        ]
    ]
    shares = Shares(
        p_agree=np.concatenate([p_agree for p_agree, _ in found]),
        p_chance=np.concatenate([p_chance for _, p_chance in found]),
    )
    return measure_of_shares(compared.units, ties, shares, cut)


def _statistic(
    compared: Compared, ties: Ties, segments: Int64Array, chance: Chance, *, symmetric: bool
) -> Statistic:
    if chance is Chance.COHEN:
        raise ValueError("chance: Cohen's is not the same for all judges")
    if chance is Chance.FLEISS:
        return fleiss(compared.units, segments, symmetric=symmetric)
    if chance in {Chance.KRIPPENDORFF, Chance.KRIPPENDORFF_ORDINAL}:
        ordinal = chance is Chance.KRIPPENDORFF_ORDINAL
        return krippendorff(compared.units, segments, symmetric=symmetric, ordinal=ordinal)
    return pooled(compared.units, ties, segments, FIXED_CHANCE.get(chance))


def resampled_sums(
    by_segment: sparse.csc_array[np.int64], key: UInt64Array, *, resamples: int, seed: int
) -> Iterator[Int64Array]:
    """Sum counts over segments in bootstrap resamples of segments, some resamples at a time.

    Parameters
    ----------
    by_segment : sparse int64, shape (m, S)
    key : uint64, shape (S,)
        Numbers of the segments.
    resamples : int
    seed : int

    Yields
    ------
    int64, shape (m, r)
        Of consecutive resamples, whatever r the same as `ranking.core.resampling.bootstrap_sums`.
    """
    at_a_time = max(1, min(_RESAMPLES_AT_A_TIME, _CELLS_AT_A_TIME // max(1, *by_segment.shape)))
    for first in range(0, resamples, at_a_time):
        count = min(at_a_time, resamples - first)
        weights = poisson_weights(key, seed=seed, resamples=count, first_resample=first)
        yield np.asarray(by_segment @ weights.astype(np.int64))


def measure_of_shares(units: Units, ties: Ties, shares: Shares, cut: int) -> Measure:
    """Turn P(A) and P(E) into κ with its interval.

    Parameters
    ----------
    units : Units
        The pairs compared, to be counted.
    ties : Ties
    shares : Shares
    cut : int
        Resampled values to chop off at each end.

    Returns
    -------
    Measure
    """
    agreeing = int(np.trace(units.pairs, axis1=1, axis2=2).sum()) // 2
    comparable = int(units.pairs.sum()) // 2
    p_agree, p_chance = float(shares.p_agree[0]), float(shares.p_chance[0])
    kappas = (shares.p_agree - shares.p_chance) / np.where(
        shares.p_chance < 1, 1 - shares.p_chance, np.nan
    )
    kappa, resampled = float(kappas[0]), kappas[1:]
    low = high = reason = None
    if np.isnan(kappa):
        reason = NotEstimable.CHANCE_IS_CERTAIN if comparable else NotEstimable.NO_COMPARISON
    else:
        # A resample without an estimate might have had any: the lowest for the lower end.
        lowest = -p_chance / (1 - p_chance)
        low = float(np.sort(np.nan_to_num(resampled, nan=lowest))[cut])
        high = float(np.sort(np.nan_to_num(resampled, nan=1.0))[len(resampled) - 1 - cut])
    return Measure(
        kappa=None if reason else kappa,
        p_agree=None if np.isnan(p_agree) else p_agree,
        p_chance=None if np.isnan(p_chance) else p_chance,
        agreeing=agreeing,
        comparable=comparable,
        ties=int(ties.ties.sum()),
        labels=int(ties.labels.sum()),
        low=low,
        high=high,
        reason=reason,
    )
