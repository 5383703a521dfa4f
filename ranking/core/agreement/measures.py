"""Agreement between judges and of judges with themselves, by pairing and definition of chance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ranking.core.agreement.cohen import cohen_shares
from ranking.core.agreement.cohen_left_out import cohen_spreads
from ranking.core.agreement.intervals import (
    AgreementEstimate,
    additive_of,
    agreement_of_shares,
    percentiles,
    shares_of_compared,
)
from ranking.core.agreement.kappa_intervals import KAPPA_LEVELS, KappaLevel, Spread, kappa_interval
from ranking.core.agreement.left_out import (
    evaluate_with_ties,
    leave_one_out_spread,
    left_out_of_comparisons,
)
from ranking.core.agreement.pairs import ComparedPairs, compared_pairs
from ranking.core.agreement.report import Chance
from ranking.core.agreement.spread import lowest_kappa, squared_changes_of_pairs
from ranking.core.counting.bootstrap import trim_count
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.collapsed_candidates import Outcome, Pairing


@dataclass(frozen=True)
class AgreementMeasures:
    """Agreement of a test set.

    Attributes
    ----------
    inter : AgreementEstimate
        Between judges.
    intra : AgreementEstimate
        Of judges with themselves, where they judged an item more than once.
    pairing : Pairing
    chance : Chance
    resample : "segments", "judges" or "two_way"
        Units that the intervals take for drawn at random.
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

    What is compared are comparisons of two collapsed candidates of a segment: first better, tie, or
    second better. To exclude the reference, leave it out of `blocks` first.

    `Pairing.UNORDERED` compares for `inter` all pairs of comparisons of an item by *different*
    judges (Bojar et al. 2011). `Pairing.PRESENTED` is the script of WMT15 and WMT16: its `inter`
    compares *all* pairs of comparisons, including a judge's own repeated ones, but only if the
    candidates were shown in the same order. The P(E) of its `intra` is estimated from judges'
    comparisons on segments where they repeated a comparison, not from all comparisons.

    Which of two candidates is called the first is a convention. With `symmetric`, measures that
    count categories (Cohen, Fleiss, Krippendorff) therefore read each comparison once in each
    direction, and renaming a system changes nothing. Scott's π is always symmetric. Without
    `symmetric`, the first candidate of an unordered pair is the one whose systems come first by
    name; for `Pairing.PRESENTED` it is the one shown first, so P(E) includes the preference for a
    position.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    pairing : Pairing
    chance : Chance
        For `COHEN`, P(E) is that of each pair of judges on the items they share (for `intra`, of
        each judge with themselves), averaged with the number of their pairs of judgments as
        weights.
    symmetric : bool
    chance_from : Blocks or None
        Where to count ties for Scott's P(E), if not in `blocks`: Bojar et al. (2011, Table 3) use
        the judgments with the reference for the agreement without it.
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
            blocks, pairing=pairing, symmetric=symmetric, resamples=max(1, drawn), seed=seed
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
    """Return how κ changes when judgments are left out: between judges, and with themselves."""
    if chance is Chance.COHEN:
        return cohen_spreads(blocks, pairing=pairing, symmetric=symmetric)
    additive = additive_of(chance, len(Outcome), symmetric=symmetric)
    left_out = left_out_of_comparisons(blocks, pairing, additive.of_units, chance_from)
    evaluate = evaluate_with_ties(additive)
    pairs_of = None
    # With a distance between outcomes, pairs can agree in part.
    if chance is not Chance.KRIPPENDORFF_ORDINAL:
        pairs = compared.inter.units.pairs
        agreeing = int(np.trace(pairs, axis1=1, axis2=2).sum()) // 2
        moments = left_out.shared_items.pair_moments()
        pairs_of = partial(squared_changes_of_pairs, moments, int(pairs.sum()) // 2, agreeing)
    return leave_one_out_spread(left_out.inter, evaluate, pairs_of), leave_one_out_spread(
        left_out.intra, evaluate
    )
