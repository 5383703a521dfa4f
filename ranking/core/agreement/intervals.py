"""κ, with its interval, from pairs of judgments that are already counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.agreement.kappa_intervals import Interval, NoInterval
from ranking.core.agreement.pairs import Compared
from ranking.core.agreement.report import FIXED_CHANCE, Chance
from ranking.core.agreement.spread import kappa_of, lowest_kappa
from ranking.core.agreement.statistics import (
    Additive,
    Shares,
    Statistic,
    Ties,
    fleiss,
    fleiss_additive,
    krippendorff,
    krippendorff_additive,
    pooled,
    pooled_additive,
)
from ranking.core.agreement.units import Units
from ranking.core.counting.bootstrap import poisson_weights
from ranking.core.judged.blocks import UInt64Array
from ranking.core.scores import NotEstimable

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

#: The largest number of resampled sums, of 8 bytes each, held at a time.
_CELLS_AT_A_TIME = 1 << 21
_RESAMPLES_AT_A_TIME = 128


@dataclass(frozen=True)
class AgreementEstimate:
    """Agreement on pairs of judgments of the same item, with the counts behind it.

    Attributes
    ----------
    kappa : float or None
        (P(A) − P(E)) / (1 − P(E)), at most 1.
    p_agree : float or None
        P(A): agreeing / comparable; for Fleiss's κ the mean over items; for Krippendorff's α one
        minus the observed disagreement.
    p_chance : float or None
        P(E).
    agreeing, comparable : int
        Pairs of judgments of one item with the same outcome, and all such pairs.
    ties, labels : int
        Tied comparisons, and all comparisons, that Scott's P(E) is estimated from. (The script of
        WMT15 calls the outcome of a comparison its label.)
    low, high : float or None
        Ends of the interval of κ.
    reason : NotEstimable or None
        Why `kappa` is None.
    no_interval : NoInterval or None
        Why `low` and `high` are None where `kappa` is not.
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
    no_interval: NoInterval | None


def shares_of_compared(
    compared: Compared,
    ties: Ties,
    *,
    chance: Chance,
    symmetric: bool,
    resamples: int,
    seed: int,
) -> Shares:
    """Return P(A) and P(E) of counted pairs, with one P(E) for all judges.

    Parameters
    ----------
    compared : Compared
    ties : Ties
        Ties among the judgments that Scott's P(E) is estimated from.
    chance : Chance
        Any but `COHEN`, which is of pairs of judges: see `ranking.core.agreement.cohen`.
    symmetric : bool
    resamples : int
        0 for the original segments only.
    seed : int

    Returns
    -------
    Shares
    """
    segments = np.union1d(compared.units.segment, ties.segment)
    statistic = _measure(chance, symmetric=symmetric).statistic(compared.units, ties, segments)
    whole: Int64Array = np.asarray(statistic.by_segment.sum(axis=1)).reshape(-1, 1)
    key = segments.astype(np.uint64)
    found = [
        statistic.evaluate(sums)
        for sums in [
            whole,
            *resampled_sums(statistic.by_segment, key, resamples=resamples, seed=seed),
        ]
    ]
    return Shares(
        p_agree=np.concatenate([p_agree for p_agree, _ in found]),
        p_chance=np.concatenate([p_chance for _, p_chance in found]),
    )


def additive_of(chance: Chance, categories: int, *, symmetric: bool) -> Additive:
    """Return the agreement for a definition of chance as a function of sums over units.

    Parameters
    ----------
    chance : Chance
        Any but `COHEN`.
    categories : int
        Number of categories of a rating.
    symmetric : bool
    """
    return _measure(chance, symmetric=symmetric).additive(categories)


@dataclass(frozen=True)
class _Measure:
    """A measure of agreement from counts by segment, and from sums over units."""

    statistic: Callable[[Units, Ties, Int64Array], Statistic]
    additive: Callable[[int], Additive]


def _measure(chance: Chance, *, symmetric: bool) -> _Measure:
    if chance is Chance.COHEN:
        raise ValueError("chance: Cohen's is not the same for all judges")
    if chance is Chance.FLEISS:
        return _Measure(
            lambda units, _, segments: fleiss(units, segments, symmetric=symmetric),
            lambda _: fleiss_additive(symmetric=symmetric),
        )
    if chance in {Chance.KRIPPENDORFF, Chance.KRIPPENDORFF_ORDINAL}:
        ordinal = chance is Chance.KRIPPENDORFF_ORDINAL
        return _Measure(
            lambda units, _, segments: krippendorff(
                units, segments, symmetric=symmetric, ordinal=ordinal
            ),
            partial(krippendorff_additive, symmetric=symmetric, ordinal=ordinal),
        )
    expected = FIXED_CHANCE.get(chance)
    return _Measure(
        lambda units, ties, segments: pooled(units, ties, segments, expected),
        lambda _: pooled_additive(expected),
    )


def resampled_sums(
    by_segment: sparse.csc_array[np.int64], key: UInt64Array, *, resamples: int, seed: int
) -> Iterator[Int64Array]:
    """Yield sums of counts over segments, for some bootstrap resamples of segments at a time.

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
        Sums in consecutive resamples: together those of
        `ranking.core.counting.bootstrap.bootstrap_sums`, for any r.
    """
    at_a_time = max(1, min(_RESAMPLES_AT_A_TIME, _CELLS_AT_A_TIME // max(1, *by_segment.shape)))
    for first in range(0, resamples, at_a_time):
        count = min(at_a_time, resamples - first)
        weights = poisson_weights(key, seed=seed, resamples=count, first_resample=first)
        yield np.asarray(by_segment @ weights.astype(np.int64))


def percentiles(shares: Shares, cut: int) -> Interval:
    """Return the percentile interval of κ, with `cut` resampled values trimmed at each end."""
    kappas = kappa_of(shares.p_agree[1:], shares.p_chance[1:])
    # A resample without an estimate may have any κ: the lowest counts for the lower end.
    lowest = lowest_kappa(float(shares.p_chance[0]))
    low = float(np.sort(np.nan_to_num(kappas, nan=lowest))[cut])
    high = float(np.sort(np.nan_to_num(kappas, nan=1.0))[len(kappas) - 1 - cut])
    return Interval(low, high, None)


def agreement_of_shares(
    units: Units, ties: Ties, shares: Shares, interval: Interval
) -> AgreementEstimate:
    """Return κ, with its interval, from P(A) and P(E).

    Parameters
    ----------
    units : Units
        The units whose compared pairs are counted.
    ties : Ties
    shares : Shares
    interval : Interval
        Not used if κ cannot be estimated.

    Returns
    -------
    AgreementEstimate
    """
    agreeing = int(np.trace(units.pairs, axis1=1, axis2=2).sum()) // 2
    comparable = int(units.pairs.sum()) // 2
    p_agree, p_chance = float(shares.p_agree[0]), float(shares.p_chance[0])
    kappa = float(kappa_of(shares.p_agree[:1], shares.p_chance[:1])[0])
    estimable = not np.isnan(kappa)
    reason = NotEstimable.CHANCE_IS_CERTAIN if comparable else NotEstimable.NO_COMPARISON
    return AgreementEstimate(
        kappa=kappa if estimable else None,
        p_agree=None if np.isnan(p_agree) else p_agree,
        p_chance=None if np.isnan(p_chance) else p_chance,
        agreeing=agreeing,
        comparable=comparable,
        ties=int(ties.ties.sum()),
        labels=int(ties.labels.sum()),
        low=interval.low if estimable else None,
        high=interval.high if estimable else None,
        reason=None if estimable else reason,
        no_interval=interval.reason if estimable else None,
    )
