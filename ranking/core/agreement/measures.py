"""Agreement between judges, and of judges with themselves, on comparisons and on labels.

Agreement on comparisons depends on which judgments are paired and on how agreement by chance is defined. Agreement on labels
compares the labels themselves, not the comparisons they imply (Hamon et al. 2007).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
from scipy import sparse

from ranking.core.agreement.cohen import cohen_shares, cohen_variances
from ranking.core.agreement.intervals import (
    AgreementEstimate,
    Interval,
    KappaLevel,
    KappaOptions,
    VarianceParts,
    additive_of,
    agreement_fields,
    kappa_intervals,
    reported,
    trimmed,
)
from ranking.core.agreement.left_out import (
    LeftOutSums,
    leave_one_out,
    left_out_of_comparisons,
    left_out_of_labels,
)
from ranking.core.agreement.statistics import (
    TIE_ROWS,
    Additive,
    Chance,
    Evaluate,
    Shares,
    TieSums,
    chance_of_pairs,
    kappa_of,
    pooled,
)
from ranking.core.agreement.units import PairCounts
from ranking.core.arrays import FloatArray, Int64Array, as_column, share
from ranking.core.counting.resampling import bootstrap_sums, trim_count
from ranking.core.judged.blocks import MAX_LABEL, Blocks, blocks_required
from ranking.core.judged.collapsed_candidates import Outcome, Pairing
from ranking.core.words import member_of, word_check


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

    def reported(self) -> AgreementMeasures:
        """Return the measures without κ whose intervals say too little."""
        return replace(self, inter=reported(self.inter), intra=reported(self.intra))


def measure_agreement(
    blocks: Blocks,
    *,
    pairing: Pairing = Pairing.UNORDERED,
    chance: Chance = Chance.CONGER,
    symmetric: bool = True,
    chance_from: Blocks | None = None,
    **how: Unpack[KappaOptions],
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
        Blocks in which to count ties for Conger's and Scott's P(E), if not `blocks`: for the agreement without
        the reference, Bojar et al. (2011, Table 3) use the judgments with it.
    **how
        Options for the intervals, see `KappaOptions`.

    Returns
    -------
    AgreementMeasures

    Raises
    ------
    ValueError
        If an argument is out of range, or `chance_from` is given and P(E) is another.

    References
    ----------
    O. Bojar et al. (2011), A Grain of Salt for the WMT Manual Evaluation. J. Cohen (1960).
    J. L. Fleiss (1971). K. Krippendorff (2004), Content Analysis, ch. 11. W. A. Scott (1955).
    """
    pairing = member_of(Pairing, "pairing", pairing)
    chance = member_of(Chance, "chance", chance)
    options = IntervalOptions(**how)
    blocks_required("measure_agreement", blocks)
    if chance_from is not None and chance not in {Chance.CONGER, Chance.SCOTT}:
        raise ValueError(
            "chance_from: this chance is not estimated from other judgments",
        )
    if chance is Chance.COHEN:
        inter, intra = _cohen_estimates(blocks, pairing, options, symmetric=symmetric)
    else:
        additive = additive_of(chance, len(Outcome), symmetric=symmetric)
        own = additive_of(chance, len(Outcome), symmetric=symmetric, of_same_judge=True)
        inter_sums, intra_sums, shared = left_out_of_comparisons(
            blocks=blocks,
            pairing=pairing,
            of_units=additive.of_units,
            chance_from=chance_from,
        )
        expected = chance_of_pairs(chance, inter_sums.tied)
        counts = None
        # With a distance between outcomes, pairs can agree in part.
        if chance is not Chance.KRIPPENDORFF_ORDINAL:
            counts = shared.of_pairs(expected)
        inter = options.estimate_of_sums(inter_sums, additive, counts)
        intra = options.estimate_of_sums(intra_sums, own)
    return AgreementMeasures(
        inter=inter,
        intra=intra,
        pairing=pairing,
        chance=chance,
        resample=options.resample,
        resamples=options.drawn,
        confidence=options.confidence,
        seed=options.seed,
    )


def _cohen_estimates(
    blocks: Blocks,
    pairing: Pairing,
    options: IntervalOptions,
    *,
    symmetric: bool,
) -> tuple[AgreementEstimate, AgreementEstimate]:
    """Return Cohen's κ between judges and of judges with themselves."""
    additive = pooled(Chance.SCOTT)
    inter_sums, intra_sums, _shared = left_out_of_comparisons(
        blocks,
        pairing,
        additive.of_units,
    )
    inter, intra = cohen_shares(
        blocks,
        pairing=pairing,
        symmetric=symmetric,
        resamples=options.drawn,
        seed=options.seed,
    )
    if options.drawn:
        return (
            options.resampled_estimate(inter_sums, inter),
            options.resampled_estimate(intra_sums, intra),
        )
    inter_parts, intra_parts = cohen_variances(
        blocks,
        pairing=pairing,
        symmetric=symmetric,
    )
    return (
        options.estimate(inter_sums, inter, inter_parts),
        options.estimate(intra_sums, intra, intra_parts),
    )


@dataclass(frozen=True, kw_only=True)
class IntervalOptions:
    """Checked `KappaOptions`."""

    resample: KappaLevel = "two_way"
    resamples: int = 1000
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        trim_count(self.resamples, self.confidence)
        word_check("resample", self.resample, KappaLevel)

    @property
    def drawn(self) -> int:
        """Number of resamples of segments."""
        if self.resample == "segments":
            return self.resamples
        return 0

    def estimate_of_sums(
        self,
        sums: LeftOutSums,
        additive: Additive,
        counts: PairCounts | None = None,
    ) -> AgreementEstimate:
        """Return κ of counted pairs with one P(E) for all judges."""
        if self.drawn:
            return self.resampled_estimate(sums, self._resampled_shares(sums, additive))
        p_agree, p_chance = additive.evaluate(as_column(sums.whole))
        parts = leave_one_out(sums, additive.evaluate, counts)
        return self.estimate(sums, Shares(p_agree, p_chance), parts)

    def _resampled_shares(self, sums: LeftOutSums, additive: Additive) -> Shares:
        segment_sums = sparse.csc_array(sums.segments[:-TIE_ROWS])
        drawn = bootstrap_sums(
            sparse.vstack([segment_sums, sums.ties_of_judges()], format="csc"),
            sums.numbers.astype(np.uint64),
            resamples=self.resamples,
            seed=self.seed,
        )
        resampled, judge_sums = np.split(drawn, [segment_sums.shape[0]])
        ties, comparisons = np.split(judge_sums, 2)
        resampled_sums = np.stack([*resampled, *TieSums.of(ties, comparisons)])
        all_sums = np.column_stack([sums.whole, resampled_sums])
        p_agree, p_chance = additive.evaluate(all_sums)
        return Shares(p_agree, p_chance)

    def resampled_estimate(
        self,
        sums: LeftOutSums,
        shares: Shares,
    ) -> AgreementEstimate:
        """Return κ of counted pairs, with an interval from resamples of segments."""
        cut = trim_count(self.resamples, self.confidence)
        kappas = kappa_of(shares.p_agree[1:], shares.p_chance[1:])
        interval = trimmed(kappas, float(shares.p_chance[0]), cut)
        return _estimate(sums, shares, interval)

    def estimate(
        self,
        sums: LeftOutSums,
        shares: Shares,
        parts: VarianceParts,
    ) -> AgreementEstimate:
        """Return κ of counted pairs, with an interval from the parts of its variance."""
        [interval] = kappa_intervals(
            parts=[parts],
            p_chance=[float(shares.p_chance[0])],
            level=self.resample,
            confidence=self.confidence,
        )
        return _estimate(sums, shares, interval)


def _estimate(
    sums: LeftOutSums,
    shares: Shares,
    interval: Interval,
) -> AgreementEstimate:
    return AgreementEstimate(
        **agreement_fields(
            comparable=sums.comparable,
            agreeing=sums.agreeing,
            p_agree=float(shares.p_agree[0]),
            p_chance=float(shares.p_chance[0]),
            interval=interval,
        ),
        ties=int(sums.ties.ties),
        labels=int(sums.ties.comparisons),
    )


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

    def reported(self) -> LabelAgreement:
        """Return the measures without κ and α whose intervals say too little."""
        return replace(self, fleiss=reported(self.fleiss), alpha=reported(self.alpha))


@dataclass(frozen=True)
class LabelAgreements:
    """Agreement on labels, between judges (`inter`) and of judges with themselves (`intra`)."""

    inter: LabelAgreement
    intra: LabelAgreement

    def reported(self) -> LabelAgreements:
        """Return the measures without κ and α whose intervals say too little."""
        return LabelAgreements(self.inter.reported(), self.intra.reported())


def label_agreement(
    blocks: Blocks,
    **how: Unpack[KappaOptions],
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
    **how
        Options for the intervals, see `KappaOptions`.

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
    options = IntervalOptions(**how)
    fleiss = additive_of(Chance.FLEISS, MAX_LABEL, symmetric=False)
    alpha = additive_of(Chance.KRIPPENDORFF_ORDINAL, MAX_LABEL, symmetric=False)
    differences = left_out_of_labels(blocks, _pair_counts_by_difference)
    fleiss_sums = left_out_of_labels(blocks, fleiss.of_units)
    alpha_sums = left_out_of_labels(blocks, alpha.of_units)
    agreements = []
    for side, sums in enumerate(differences):
        agreements.append(
            LabelAgreement(
                n_agreement=_agreement_within(sums, options),
                fleiss=options.estimate_of_sums(fleiss_sums[side], fleiss),
                alpha=options.estimate_of_sums(alpha_sums[side], alpha),
            ),
        )
    inter, intra = agreements
    return LabelAgreements(inter, intra)


def _agreement_within(
    sums: LeftOutSums,
    options: IntervalOptions,
) -> tuple[AgreementEstimate, ...]:
    """Return the shares of pairs of labels that differ by at most 0 … 4."""
    agreeing = sums.whole[:MAX_LABEL].cumsum().tolist()
    estimates = []
    for n in range(MAX_LABEL):
        additive = Additive(_pair_counts_by_difference, _share_within(n))
        estimate = options.estimate_of_sums(sums, additive)
        estimates.append(replace(estimate, agreeing=int(agreeing[n])))
    return tuple(estimates)


def _pair_counts_by_difference(_values: Int64Array, pairs: Int64Array) -> FloatArray:
    """Return the number of pairs of labels in each unit that differ by 0 … 4, shape (5, G)."""
    label = np.arange(MAX_LABEL)
    difference = np.abs(np.subtract.outer(label, label))
    counts = []
    for n in label.tolist():
        ordered_pairs = pairs[:, difference == n].sum(axis=1)
        counts.append(ordered_pairs // 2)
    return np.stack(counts).astype(np.float64)


def _share_within(n: int) -> Evaluate:
    """Return a function for the share of pairs of labels that differ by at most n, with P(E) =
    0.
    """

    def evaluate(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        counts = sums[:MAX_LABEL]
        within = counts[: n + 1].sum(axis=0)
        p_agree = share(within, counts.sum(axis=0))
        return p_agree, np.zeros(sums.shape[1])

    return evaluate
