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
        Pairs of labels, and those that differ by at most n.
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
        The "global kappa" of Hamon et al., with each of the five labels a category.
    alpha : AgreementEstimate
        Krippendorff's α, the labels being ordinal.
    """

    n_agreement: tuple[NAgreement, ...]
    fleiss: AgreementEstimate
    alpha: AgreementEstimate


@dataclass(frozen=True)
class LabelAgreements:
    """Agreement on labels between judges, and of judges with themselves."""

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
    """Measure how near the labels are that are given to the same output.

    Hamon et al. (2007, §3.1) have two labels a segment; here all pairs of labels of one collapsed
    candidate of a segment count, by different judges for `inter`.

    A label is given relative to the other outputs of the block: even judges who agree on every
    comparison may label an output differently in other company. The values are therefore lower
    than for the absolute scales of the paper, and comparable between judges and campaigns of the
    same design only.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    resample : "segments", "judges" or "two_way"
        What the intervals take for drawn at random, see `ranking.core.agreement.report`; "two_way" both.
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
    how = _How(resample, resamples, trim_count(resamples, confidence), confidence, seed)
    if resample not in KAPPA_LEVELS:
        raise ValueError(f"resample: {resample!r} is none of {', '.join(KAPPA_LEVELS)}")
    compared = compared_labels(blocks)
    n_agreement = _n_agreement(blocks, compared, how)
    fleiss = _measures(blocks, compared, Chance.FLEISS, how)
    alpha = _measures(blocks, compared, Chance.KRIPPENDORFF_ORDINAL, how)
    inter, intra = (
        LabelAgreement(n_agreement=each, fleiss=kappa, alpha=ordinal)
        for each, kappa, ordinal in zip(n_agreement, fleiss, alpha, strict=True)
    )
    return LabelAgreements(inter=inter, intra=intra)


@dataclass(frozen=True)
class _How:
    """How intervals are found; `cut` resampled values are trimmed off at each end."""

    resample: KappaLevel
    resamples: int
    cut: int
    confidence: float
    seed: int


def _measures(
    blocks: Blocks, compared: ComparedPairs, chance: Chance, how: _How
) -> list[AgreementEstimate]:
    """Measure κ on labels between judges, and of judges with themselves."""
    sides = [compared.inter, compared.intra]
    drawn = how.resamples if how.resample == "segments" else 0
    shares = [
        shares_of_compared(
            side, side.ties, chance=chance, symmetric=False, resamples=drawn, seed=how.seed
        )
        for side in sides
    ]
    if how.resample == "segments":
        intervals = [percentiles(each, how.cut) for each in shares]
    else:
        additive = additive_of(chance, MAX_LABEL, symmetric=False)
        lowest = [lowest_kappa(float(each.p_chance[0])) for each in shares]
        intervals = _left_out(blocks, additive, how, lowest)
    return [
        agreement_of_shares(side.units, side.ties, each, interval)
        for side, each, interval in zip(sides, shares, intervals, strict=True)
    ]


def _left_out(blocks: Blocks, additive: Additive, how: _How, lowest: list[float]) -> list[Interval]:
    evaluate = evaluate_with_ties(additive)
    return [
        kappa_interval(
            leave_one_out_spread(sums, evaluate),
            how.resample,
            confidence=how.confidence,
            lowest=each,
        )
        for sums, each in zip(left_out_of_labels(blocks, additive.of_units), lowest, strict=True)
    ]


def _n_agreement(
    blocks: Blocks, compared: ComparedPairs, how: _How
) -> list[tuple[NAgreement, ...]]:
    """Count how near labels are, between judges and of judges with themselves."""
    sides = [compared.inter.units, compared.intra.units]
    if how.resample == "segments":
        intervals = [_resampled(units, how) for units in sides]
    else:
        intervals = [
            [
                kappa_interval(
                    leave_one_out_spread(sums, _within(n)),
                    how.resample,
                    confidence=how.confidence,
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
    """Count the pairs of labels of each group that differ by 0 … 4: shape (5, G)."""
    label = np.arange(MAX_LABEL)
    difference = np.abs(label[:, np.newaxis] - label[np.newaxis, :])
    return np.stack([units.pairs[:, difference == n].sum(axis=1) // 2 for n in label.tolist()])


def _within(n: int) -> Evaluate:
    """Return P(A) for "differs by at most n"; nothing is expected by chance."""

    def evaluate(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        counts = sums[:MAX_LABEL]
        return share(counts[: n + 1].sum(axis=0), counts.sum(axis=0)), np.zeros(sums.shape[1])

    return evaluate


def _resampled(units: Units, how: _How) -> list[Interval]:
    """Percentile intervals over resamples of segments."""
    segments, column = np.unique(units.segment, return_inverse=True)
    rows = np.repeat(np.arange(MAX_LABEL), len(column))
    by_segment = sparse.coo_array(
        (_by_difference(units).ravel(), (rows, np.tile(column, MAX_LABEL))),
        shape=(MAX_LABEL, len(segments)),
    ).tocsc()
    key = segments.astype(np.uint64)
    sums = np.hstack(list(resampled_sums(by_segment, key, resamples=how.resamples, seed=how.seed)))
    within = np.cumsum(sums, axis=0)
    shares = share(within, within[-1])
    lows = np.sort(np.nan_to_num(shares, nan=0.0), axis=1)[:, how.cut]
    highs = np.sort(np.nan_to_num(shares, nan=1.0), axis=1)[:, how.resamples - 1 - how.cut]
    return [
        Interval(low, high, None) for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
    ]
