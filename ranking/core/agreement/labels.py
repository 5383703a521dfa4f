"""Agreement on the labels themselves, not on the comparisons they imply (Hamon et al. 2007)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.agreement.intervals import (
    AgreementEstimate,
    additive_of,
    agreement_of_shares,
    percentiles,
    resampled_sums,
    shares_of_compared,
)
from ranking.core.agreement.kappa_intervals import (
    KAPPA_LEVELS,
    Interval,
    KappaLevel,
    NoInterval,
    kappa_interval,
)
from ranking.core.agreement.left_out import (
    Evaluate,
    evaluate_with_ties,
    leave_one_out_spread,
    left_out_of_labels,
)
from ranking.core.agreement.pairs import ComparedPairs, compared_labels
from ranking.core.agreement.report import Chance
from ranking.core.agreement.spread import lowest_kappa
from ranking.core.agreement.statistics import Additive, share
from ranking.core.agreement.units import Units
from ranking.core.counting.bootstrap import trim_count
from ranking.core.judged.blocks import MAX_LABEL, Blocks

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True)
class NAgreement:
    """How often two labels of one output differ by at most n.

    Attributes
    ----------
    n : int
        0 … 4.
    agreeing, comparable : int
        Pairs of labels that differ by at most n, and all pairs.
    share, low, high : float or None
        agreeing / comparable with its interval; None without a pair.
    no_interval : NoInterval or None
        Why `low` and `high` are None where `share` is not.
    """

    n: int
    agreeing: int
    comparable: int
    share: float | None
    low: float | None
    high: float | None
    no_interval: NoInterval | None


@dataclass(frozen=True)
class LabelAgreement:
    """Agreement on labels.

    Attributes
    ----------
    n_agreement : tuple of NAgreement
        For n = 0 … 4.
    fleiss : AgreementEstimate
        The "global kappa" of Hamon et al.; each of the five labels is a category.
    alpha : AgreementEstimate
        Krippendorff's α for ordinal labels.
    """

    n_agreement: tuple[NAgreement, ...]
    fleiss: AgreementEstimate
    alpha: AgreementEstimate


@dataclass(frozen=True)
class LabelAgreements:
    """Agreement on labels, between judges (`inter`) and of judges with themselves (`intra`)."""

    inter: LabelAgreement
    intra: LabelAgreement


def label_agreement(
    blocks: Blocks,
    *,
    resample: KappaLevel = "two_way",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> LabelAgreements:
    """Measure how close the labels of the same output are.

    Hamon et al. (2007, §3.1) have two labels per segment. Here, all pairs of labels of one
    collapsed candidate of a segment count; for `inter`, pairs of different judges.

    A label is given relative to the other outputs of the block: even judges who agree on every
    comparison may label an output differently in other company. The values are therefore lower than
    for the absolute scales of the paper, and can only be compared between judges and campaigns of
    the same design.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    resample : "segments", "judges" or "two_way"
        Units that the intervals take for drawn at random, see `ranking.core.agreement.report`;
        "two_way" is both.
    resamples : int
        Number of bootstrap resamples, for "segments".
    confidence : float
        Confidence of the intervals, between 0 and 1.
    seed : int
        0 ≤ seed < 2**64, for "segments".

    Returns
    -------
    LabelAgreements

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    O. Hamon, D. Mostefa, V. Arranz (2007), Diagnosing Human Judgments in MT Evaluation: an Example
    based on the Spanish Language, MT Summit XI.
    """
    options = _IntervalOptions(
        resample, resamples, trim_count(resamples, confidence), confidence, seed
    )
    if resample not in KAPPA_LEVELS:
        raise ValueError(f"resample: {resample!r} is none of {', '.join(KAPPA_LEVELS)}")
    compared = compared_labels(blocks)
    n_agreement = _n_agreement(blocks, compared, options)
    fleiss = _measures(blocks, compared, Chance.FLEISS, options)
    alpha = _measures(blocks, compared, Chance.KRIPPENDORFF_ORDINAL, options)
    inter, intra = (
        LabelAgreement(n_agreement=each, fleiss=kappa, alpha=ordinal)
        for each, kappa, ordinal in zip(n_agreement, fleiss, alpha, strict=True)
    )
    return LabelAgreements(inter=inter, intra=intra)


@dataclass(frozen=True)
class _IntervalOptions:
    """How intervals are computed; `cut` resampled values are trimmed at each end."""

    resample: KappaLevel
    resamples: int
    cut: int
    confidence: float
    seed: int


def _measures(
    blocks: Blocks, compared: ComparedPairs, chance: Chance, options: _IntervalOptions
) -> list[AgreementEstimate]:
    """Return Fleiss's κ or Krippendorff's α, between judges and of judges with themselves."""
    sides = [compared.inter, compared.intra]
    drawn = options.resamples if options.resample == "segments" else 0
    shares = [
        shares_of_compared(
            side, side.ties, chance=chance, symmetric=False, resamples=drawn, seed=options.seed
        )
        for side in sides
    ]
    if options.resample == "segments":
        intervals = [percentiles(each, options.cut) for each in shares]
    else:
        additive = additive_of(chance, MAX_LABEL, symmetric=False)
        lowest = [lowest_kappa(float(each.p_chance[0])) for each in shares]
        intervals = _left_out(blocks, additive, options, lowest)
    return [
        agreement_of_shares(side.units, side.ties, each, interval)
        for side, each, interval in zip(sides, shares, intervals, strict=True)
    ]


def _left_out(
    blocks: Blocks, additive: Additive, options: _IntervalOptions, lowest: list[float]
) -> list[Interval]:
    evaluate = evaluate_with_ties(additive)
    return [
        kappa_interval(
            leave_one_out_spread(sums, evaluate),
            options.resample,
            confidence=options.confidence,
            lowest=each,
        )
        for sums, each in zip(left_out_of_labels(blocks, additive.of_units), lowest, strict=True)
    ]


def _n_agreement(
    blocks: Blocks, compared: ComparedPairs, options: _IntervalOptions
) -> list[tuple[NAgreement, ...]]:
    """Return how close labels are, between judges and of judges with themselves."""
    sides = [compared.inter.units, compared.intra.units]
    if options.resample == "segments":
        intervals = [_resampled(units, options) for units in sides]
    else:
        intervals = [
            [
                kappa_interval(
                    leave_one_out_spread(sums, _share_within(n)),
                    options.resample,
                    confidence=options.confidence,
                    lowest=0.0,
                )
                for n in range(MAX_LABEL)
            ]
            for sums in left_out_of_labels(blocks, _by_difference)
        ]
    return [
        _shares(_by_difference(units).sum(axis=1).cumsum(), found)
        for units, found in zip(sides, intervals, strict=True)
    ]


def _shares(within: Int64Array, intervals: list[Interval]) -> tuple[NAgreement, ...]:
    comparable = int(within[-1])
    return tuple(
        NAgreement(
            n=n,
            agreeing=int(within[n]),
            comparable=comparable,
            share=int(within[n]) / comparable if comparable else None,
            low=interval.low if comparable else None,
            high=interval.high if comparable else None,
            no_interval=interval.reason if comparable else None,
        )
        for n, interval in enumerate(intervals)
    )


def _by_difference(units: Units) -> Int64Array:
    """Return the number of pairs of labels of each group that differ by 0 … 4, shape (5, G)."""
    label = np.arange(MAX_LABEL)
    difference = np.abs(label[:, np.newaxis] - label[np.newaxis, :])
    return np.stack([units.pairs[:, difference == n].sum(axis=1) // 2 for n in label.tolist()])


def _share_within(n: int) -> Evaluate:
    """Return a function for the share of labels that differ by at most n, with P(E) = 0."""

    def evaluate(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        counts = sums[:MAX_LABEL]
        return share(counts[: n + 1].sum(axis=0), counts.sum(axis=0)), np.zeros(sums.shape[1])

    return evaluate


def _resampled(units: Units, options: _IntervalOptions) -> list[Interval]:
    """Return percentile intervals over resamples of segments."""
    segments, column = np.unique(units.segment, return_inverse=True)
    rows = np.repeat(np.arange(MAX_LABEL), len(column))
    by_segment = sparse.coo_array(
        (_by_difference(units).ravel(), (rows, np.tile(column, MAX_LABEL))),
        shape=(MAX_LABEL, len(segments)),
    ).tocsc()
    key = segments.astype(np.uint64)
    sums = np.hstack(
        list(resampled_sums(by_segment, key, resamples=options.resamples, seed=options.seed))
    )
    within = np.cumsum(sums, axis=0)
    shares = share(within, within[-1])
    lows = np.sort(np.nan_to_num(shares, nan=0.0), axis=1)[:, options.cut]
    highs = np.sort(np.nan_to_num(shares, nan=1.0), axis=1)[:, options.resamples - 1 - options.cut]
    return [
        Interval(low, high, None) for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
    ]
