"""Agreement between judges, and of judges with themselves, on comparisons and on labels.

Agreement on comparisons depends on which judgments are paired and on how agreement by chance is defined. Agreement on labels
compares the labels themselves, not the comparisons they imply (Hamon et al. 2007).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ranking.core.agreement.cohen import cohen_shares, cohen_variances
from ranking.core.agreement.intervals import (
    KAPPA_LEVELS,
    AgreementEstimate,
    KappaLevel,
    VarianceParts,
    additive_of,
    agreement_of_shares,
    kappa_intervals,
    shares_of_compared,
    trimmed,
)
from ranking.core.agreement.left_out import (
    leave_one_out,
    left_out_of_comparisons,
    left_out_of_labels,
)
from ranking.core.agreement.statistics import (
    Additive,
    Chance,
    Compared,
    ComparedPairs,
    Evaluate,
    Shares,
    Ties,
    compared_labels,
    compared_pairs,
    kappa_of,
    share,
    squared_changes_of_pairs,
)
from ranking.core.agreement.units import Units
from ranking.core.arrays import FloatArray
from ranking.core.counting.resampling import trim_count
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
    options = _IntervalOptions(resample, resamples, confidence, seed)
    if chance_from is not None and chance is not Chance.SCOTT:
        raise ValueError("chance_from: only Scott's chance is estimated from other judgments")
    compared = compared_pairs(blocks, pairing)
    chances = compared if chance_from is None else compared_pairs(chance_from, pairing)
    sides = [(compared.inter, chances.inter.ties), (compared.intra, chances.intra.ties)]
    if chance is Chance.COHEN:
        how: dict[str, Any] = {"pairing": pairing, "symmetric": symmetric}
        shares = cohen_shares(blocks, resamples=options.drawn, seed=seed, **how)
        inter, intra = options.estimates(sides, shares, lambda: cohen_variances(blocks, **how))
    else:
        additive = additive_of(chance, len(Outcome), symmetric=symmetric)
        inter, intra = options.estimates(
            sides,
            options.shares(sides, additive),
            lambda: _variances(blocks, compared, pairing, chance, additive, chance_from),
        )
    return AgreementMeasures(
        inter=inter,
        intra=intra,
        pairing=pairing,
        chance=chance,
        resample=resample,
        resamples=options.drawn,
        confidence=confidence,
        seed=seed,
    )


def _variances(
    blocks: Blocks,
    compared: ComparedPairs,
    pairing: Pairing,
    chance: Chance,
    additive: Additive,
    chance_from: Blocks | None,
) -> tuple[VarianceParts, VarianceParts]:
    """Return the parts of the variances of κ, between judges and of judges with themselves."""
    inter, intra, shared = left_out_of_comparisons(blocks, pairing, additive.of_units, chance_from)
    pairs_of = None
    # With a distance between outcomes, pairs can agree in part.
    if chance is not Chance.KRIPPENDORFF_ORDINAL:
        pairs = compared.inter.units.pairs
        agreeing = int(np.trace(pairs, axis1=1, axis2=2).sum()) // 2
        moments = shared.pair_moments()
        pairs_of = partial(squared_changes_of_pairs, moments, int(pairs.sum()) // 2, agreeing)
    evaluate = additive.evaluate
    return leave_one_out(inter, evaluate, pairs_of), leave_one_out(intra, evaluate)


@dataclass(frozen=True)
class _IntervalOptions:
    """Options for intervals."""

    resample: KappaLevel
    resamples: int
    confidence: float
    seed: int

    def __post_init__(self) -> None:
        trim_count(self.resamples, self.confidence)
        if self.resample not in KAPPA_LEVELS:
            raise ValueError(f"resample: {self.resample!r} is none of {', '.join(KAPPA_LEVELS)}")

    @property
    def drawn(self) -> int:
        """Number of resamples of segments."""
        return self.resamples if self.resample == "segments" else 0

    def shares(self, sides: Sequence[tuple[Compared, Ties]], additive: Additive) -> list[Shares]:
        """Return P(A) and P(E) of counted pairs, also in resamples."""
        how = {"resamples": self.drawn, "seed": self.seed}
        return [shares_of_compared(side, ties, additive, **how) for side, ties in sides]

    def estimates(
        self,
        sides: Sequence[tuple[Compared, Ties]],
        shares: Sequence[Shares],
        variances: Callable[[], Sequence[VarianceParts]],
    ) -> list[AgreementEstimate]:
        """Return κ of counted pairs, with intervals from resamples or from variances."""
        chances = [float(each.p_chance[0]) for each in shares]
        if self.resample == "segments":
            cut = trim_count(self.resamples, self.confidence)
            kappas = [kappa_of(each.p_agree[1:], each.p_chance[1:]) for each in shares]
            intervals = [trimmed(*each, cut) for each in zip(kappas, chances, strict=True)]
        else:
            intervals = kappa_intervals(variances(), chances, self.resample, self.confidence)
        return [
            agreement_of_shares(side.units, ties, each, interval)
            for (side, ties), each, interval in zip(sides, shares, intervals, strict=True)
        ]


@dataclass(frozen=True)
class LabelAgreement:
    """Agreement on labels.

    Attributes
    ----------
    n_agreement : tuple of AgreementEstimate
        For n = 0 … 4: pairs of labels of one output that differ by at most n; `kappa` is their
        share.
    fleiss : AgreementEstimate
        The "global kappa" of Hamon et al.; each of the five labels is a category.
    alpha : AgreementEstimate
        Krippendorff's α for ordinal labels.
    """

    n_agreement: tuple[AgreementEstimate, ...]
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
    options = _IntervalOptions(resample, resamples, confidence, seed)
    compared = compared_labels(blocks)
    within = [Additive(_by_difference, _share_within(n)) for n in range(MAX_LABEL)]
    chances = (Chance.FLEISS, Chance.KRIPPENDORFF_ORDINAL)
    fleiss, alpha = (additive_of(chance, MAX_LABEL, symmetric=False) for chance in chances)
    inter, intra = zip(
        *_of_labels(blocks, compared, within, options),
        *_of_labels(blocks, compared, [fleiss], options),
        *_of_labels(blocks, compared, [alpha], options),
        strict=True,
    )
    sides = ((inter, compared.inter), (intra, compared.intra))
    return LabelAgreements(
        *(
            LabelAgreement(
                n_agreement=tuple(
                    replace(each, agreeing=agreeing)
                    for each, agreeing in zip(
                        found[:MAX_LABEL],
                        _by_difference(side.units).sum(axis=1).cumsum().astype(int).tolist(),
                        strict=True,
                    )
                ),
                fleiss=found[-2],
                alpha=found[-1],
            )
            for found, side in sides
        )
    )


def _of_labels(
    blocks: Blocks,
    compared: ComparedPairs,
    measures: Sequence[Additive],
    options: _IntervalOptions,
) -> list[list[AgreementEstimate]]:
    """Return agreement on labels by measures of the same sums, between judges and of judges with
    themselves.
    """
    sides = [(side, side.ties) for side in (compared.inter, compared.intra)]
    sums = () if options.drawn else left_out_of_labels(blocks, measures[0].of_units)

    def estimates(additive: Additive) -> list[AgreementEstimate]:
        return options.estimates(
            sides,
            options.shares(sides, additive),
            lambda: [leave_one_out(each, additive.evaluate) for each in sums],
        )

    return [estimates(additive) for additive in measures]


def _by_difference(units: Units) -> FloatArray:
    """Return the number of pairs of labels in each group that differ by 0 … 4, shape (5, G)."""
    label = np.arange(MAX_LABEL)
    difference = np.abs(label[:, np.newaxis] - label[np.newaxis, :])
    pairs = [units.pairs[:, difference == n].sum(axis=1) // 2 for n in label.tolist()]
    return np.stack(pairs).astype(np.float64)


def _share_within(n: int) -> Evaluate:
    """Return a function for the share of pairs of labels that differ by at most n, with P(E) =
    0.
    """

    def evaluate(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        counts = sums[:MAX_LABEL]
        return share(counts[: n + 1].sum(axis=0), counts.sum(axis=0)), np.zeros(sums.shape[1])

    return evaluate
