"""Agreement between judges, and of judges with themselves, on comparisons and on labels.

Agreement on comparisons depends on which judgments are paired and on how agreement by chance is defined. Agreement on labels
compares the labels themselves, not the comparisons they imply (Hamon et al. 2007).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse

from ranking.core.agreement.cohen import cohen_shares, cohen_spreads
from ranking.core.agreement.intervals import (
    KAPPA_LEVELS,
    AgreementEstimate,
    Interval,
    KappaLevel,
    NoInterval,
    Spread,
    additive_of,
    agreement_of_shares,
    kappa_interval,
    percentiles,
    shares_of_compared,
    trimmed,
)
from ranking.core.agreement.left_out import (
    leave_one_out_spread,
    left_out_of_comparisons,
    left_out_of_labels,
)
from ranking.core.agreement.statistics import (
    Chance,
    ComparedPairs,
    Evaluate,
    compared_labels,
    compared_pairs,
    lowest_kappa,
    share,
    squared_changes_of_pairs,
    sums_by_place,
)
from ranking.core.agreement.units import Units
from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.counting.resampling import bootstrap_sums, trim_count
from ranking.core.judged.blocks import MAX_LABEL, Blocks
from ranking.core.judged.collapsed_candidates import Outcome, Pairing


@dataclass(frozen=True)
class AgreementMeasures:
    """Agreement of a test set.

    Attributes
    ----------
    inter : AgreementEstimate
        Between judges.
    intra : AgreementEstimate
        Agreement of judges with themselves on items judged more than once.
    pairing : Pairing
    chance : Chance
    resample : "segments", "judges" or "two_way"
        Units that the intervals treat as random samples.
    resamples : int
        Number of bootstrap resamples; 0 unless `resample` is "segments".
    confidence : float
    seed : int
    """

    inter: AgreementEstimate
    intra: AgreementEstimate
    pairing: Pairing
    chance: Chance
    resample: KappaLevel
    resamples: int
    confidence: float
    seed: int


def measure_agreement(
    blocks: Blocks,
    *,
    pairing: Pairing = Pairing.UNORDERED,
    chance: Chance = Chance.SCOTT,
    symmetric: bool = True,
    chance_from: Blocks | None = None,
    resample: KappaLevel = "two_way",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> AgreementMeasures:
    """Measure the agreement between judges and of judges with themselves.

    Agreement is on the outcomes of comparisons of two collapsed candidates of a segment: first
    better, tie, or second better. To exclude the reference, remove it from `blocks` first.

    With `Pairing.UNORDERED`, `inter` uses all pairs of comparisons of an item by *different* judges
    (Bojar et al. 2011). `Pairing.PRESENTED` follows the script of WMT15 and WMT16: `inter` uses
    *all* pairs of comparisons, including a judge's own repeated ones, but only if the candidates
    were shown in the same order. P(E) for `intra` is estimated only from judges' comparisons on
    segments where they repeated a comparison.

    It is arbitrary which of two candidates is called the first. With `symmetric`, measures that
    count categories (Cohen, Fleiss, Krippendorff) therefore read each comparison once in each
    direction, so that renaming a system changes nothing. Scott's π is always symmetric. Without
    `symmetric`, the first candidate of an unordered pair is the one whose systems come first by
    name; with `Pairing.PRESENTED`, it is the one shown first, so P(E) includes position bias.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    pairing : Pairing
    chance : Chance
        For `COHEN`, P(E) is that of each pair of judges on the items they share (for `intra`, of
        each judge with themselves), averaged with their numbers of pairs of judgments as weights.
    symmetric : bool
    chance_from : Blocks or None
        Blocks in which to count ties for Scott's P(E), if not `blocks`: for the agreement without
        the reference, Bojar et al. (2011, Table 3) use the judgments with it.
    resample : "segments", "judges" or "two_way"
        Units that the intervals treat as random samples, see `ranking.core.agreement.report`;
        "two_way" is both.
    resamples : int
        Number of bootstrap resamples, for "segments".
    confidence : float
        Confidence of the intervals, between 0 and 1.
    seed : int
        0 ≤ seed < 2**64, for "segments".

    Returns
    -------
    AgreementMeasures

    Raises
    ------
    ValueError
        If an argument is out of range, or `chance_from` is given and `chance` is not `SCOTT`.

    References
    ----------
    O. Bojar et al. (2011), A Grain of Salt for the WMT Manual Evaluation. J. Cohen (1960).
    J. L. Fleiss (1971). K. Krippendorff (2004), Content Analysis, ch. 11. W. A. Scott (1955).
    """
    cut = trim_count(resamples, confidence)
    if chance_from is not None and chance is not Chance.SCOTT:
        raise ValueError("chance_from: only Scott's chance is estimated from other judgments")
    if resample not in KAPPA_LEVELS:
        raise ValueError(f"resample: {resample!r} is none of {', '.join(KAPPA_LEVELS)}")
    drawn = resamples if resample == "segments" else 0
    compared = compared_pairs(blocks, pairing)
    chances = compared if chance_from is None else compared_pairs(chance_from, pairing)
    sides = ((compared.inter, chances.inter.ties), (compared.intra, chances.intra.ties))
    if chance is Chance.COHEN:
        shares = cohen_shares(
            blocks, pairing=pairing, symmetric=symmetric, resamples=drawn, seed=seed
        )
    else:
        inter, intra = (
            shares_of_compared(
                side, ties, chance=chance, symmetric=symmetric, resamples=drawn, seed=seed
            )
            for side, ties in sides
        )
        shares = (inter, intra)
    if resample == "segments":
        intervals = [percentiles(each, cut) for each in shares]
    else:
        spreads = _spreads(blocks, compared, pairing, chance, symmetric, chance_from)
        intervals = [
            kappa_interval(
                spread,
                resample,
                confidence=confidence,
                lowest=lowest_kappa(float(each.p_chance[0])),
            )
            for spread, each in zip(spreads, shares, strict=True)
        ]
    inter_measure, intra_measure = (
        agreement_of_shares(side.units, ties, each, interval)
        for (side, ties), each, interval in zip(sides, shares, intervals, strict=True)
    )
    return AgreementMeasures(
        inter=inter_measure,
        intra=intra_measure,
        pairing=pairing,
        chance=chance,
        resample=resample,
        resamples=drawn,
        confidence=confidence,
        seed=seed,
    )


def _spreads(
    blocks: Blocks,
    compared: ComparedPairs,
    pairing: Pairing,
    chance: Chance,
    symmetric: bool,
    chance_from: Blocks | None,
) -> tuple[Spread, Spread]:
    """Return the changes of κ, between judges and of judges with themselves, when judgments are
    left out.
    """
    if chance is Chance.COHEN:
        return cohen_spreads(blocks, pairing=pairing, symmetric=symmetric)
    additive = additive_of(chance, len(Outcome), symmetric=symmetric)
    left_out = left_out_of_comparisons(blocks, pairing, additive.of_units, chance_from)
    pairs_of = None
    # With a distance between outcomes, pairs can agree in part.
    if chance is not Chance.KRIPPENDORFF_ORDINAL:
        pairs = compared.inter.units.pairs
        agreeing = int(np.trace(pairs, axis1=1, axis2=2).sum()) // 2
        moments = left_out.shared_items.pair_moments()
        pairs_of = partial(squared_changes_of_pairs, moments, int(pairs.sum()) // 2, agreeing)
    return leave_one_out_spread(left_out.inter, additive.evaluate, pairs_of), leave_one_out_spread(
        left_out.intra, additive.evaluate
    )


@dataclass(frozen=True)
class NAgreement:
    """Share of pairs of labels of one output that differ by at most n.

    Attributes
    ----------
    n : int
        0 … 4.
    agreeing, comparable : int
        Pairs of labels that differ by at most n, and all pairs.
    share, low, high : float or None
        agreeing / comparable, with its interval; None without pairs.
    no_interval : NoInterval or None
        Why `low` and `high` are None although `share` is not.
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
    """Measure the agreement of labels given to the same output.

    Hamon et al. (2007, §3.1) have two labels per segment. Here, all pairs of labels of a collapsed
    candidate of a segment count; for `inter`, only pairs by different judges.

    A label is given relative to the other outputs of the block: even judges who agree on every
    comparison may label an output differently when it is shown with other outputs. The values are
    therefore lower than for the absolute scales of the paper, and can only be compared between
    judges and campaigns of the same design.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    resample : "segments", "judges" or "two_way"
        Units that the intervals treat as random samples, see `ranking.core.agreement.report`;
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
    """Options for intervals; `cut` resampled values are trimmed at each end."""

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
        intervals = [
            kappa_interval(
                leave_one_out_spread(sums, additive.evaluate),
                options.resample,
                confidence=options.confidence,
                lowest=lowest_kappa(float(each.p_chance[0])),
            )
            for sums, each in zip(
                left_out_of_labels(blocks, additive.of_units), shares, strict=True
            )
        ]
    return [
        agreement_of_shares(side.units, side.ties, each, interval)
        for side, each, interval in zip(sides, shares, intervals, strict=True)
    ]


def _n_agreement(
    blocks: Blocks, compared: ComparedPairs, options: _IntervalOptions
) -> list[tuple[NAgreement, ...]]:
    """Return the n-agreement of labels between judges, and of judges with themselves."""
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
    """Return the number of pairs of labels in each group that differ by 0 … 4, shape (5, G)."""
    label = np.arange(MAX_LABEL)
    difference = np.abs(label[:, np.newaxis] - label[np.newaxis, :])
    return np.stack([units.pairs[:, difference == n].sum(axis=1) // 2 for n in label.tolist()])


def _share_within(n: int) -> Evaluate:
    """Return a function for the share of pairs of labels that differ by at most n, with P(E) =
    0.
    """

    def evaluate(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        counts = sums[:MAX_LABEL]
        return share(counts[: n + 1].sum(axis=0), counts.sum(axis=0)), np.zeros(sums.shape[1])

    return evaluate


def _resampled(units: Units, options: _IntervalOptions) -> list[Interval]:
    """Return percentile intervals over resamples of segments."""
    segments, column = np.unique(units.segment, return_inverse=True)
    by_segment = sparse.csc_array(sums_by_place(_by_difference(units), column, len(segments)))
    key = segments.astype(np.uint64)
    sums = bootstrap_sums(by_segment, key, resamples=options.resamples, seed=options.seed)
    within = np.cumsum(sums, axis=0)
    shares = share(within, within[-1])
    return [trimmed(row, 0.0, options.cut) for row in shares]
