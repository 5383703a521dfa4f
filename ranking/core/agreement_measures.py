"""Agreement between and within judges, by every pairing and definition of chance."""

from __future__ import annotations

from dataclasses import dataclass

from ranking.core.agreement import Chance
from ranking.core.agreement_intervals import Measure, measure_compared, measure_of_shares
from ranking.core.blocks import Blocks
from ranking.core.cohen import cohen_shares
from ranking.core.collapsed import Pairing
from ranking.core.compared import compared_pairs
from ranking.core.resampling import chopped


@dataclass(frozen=True)
class AgreementMeasures:
    """Agreement of a test set.

    Attributes
    ----------
    inter : Measure
        Between judges.
    intra : Measure
        Of judges with themselves, where they judged an item more than once.
    pairing : Pairing
    chance : Chance
    resample : str
        What was resampled for the intervals: "segments".
    resamples : int
    confidence : float
    seed : int
    """

    inter: Measure
    intra: Measure
    pairing: Pairing
    chance: Chance
    resample: str
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
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> AgreementMeasures:
    """Measure the agreement between judges and of judges with themselves.

    Judgments are comparisons of two collapsed candidates of a segment: first better, tie, second
    better. To exclude the reference, leave it out of `blocks` first.

    `Pairing.UNORDERED` compares for `inter` all pairs of comparisons of an item by *different*
    judges (Bojar et al. 2011). `Pairing.PRESENTED` is the script of WMT15 and WMT16: its `inter`
    compares *all* pairs of comparisons, a judge's own repeated ones too, but only if the
    candidates were shown in the same order; and the P(E) of its `intra` is estimated from the
    judge's comparisons on the segments where he repeated one, not from all comparisons.

    `symmetric`: which of two candidates is the first is a convention, so for the measures that
    count categories (Cohen, Fleiss, Krippendorff) each comparison is read once each way, and
    renaming a system changes nothing. Scott's π is symmetric in any case. Without it the first
    candidate is, for unordered pairs, the one whose systems come first by name, and the one shown
    first for `Pairing.PRESENTED`: P(E) then also holds the preference for a position.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    pairing : Pairing
    chance : Chance
        For `COHEN` P(E) is that of each pair of judges on the items they share (for `intra`, of
        each judge with himself), averaged with the weight of their pairs of judgments.
    symmetric : bool
    chance_from : Blocks or None
        Where to count ties for Scott's P(E), if not in `blocks`: Bojar et al. (2011, Table 3) use
        the judgments with the reference for the agreement without it.
    resamples : int
        Number of bootstrap resamples of segments, see `ranking.core.agreement`.
    confidence : float
        Confidence of the intervals, between 0 and 1.
    seed : int
        0 ≤ seed < 2**64.

    Returns
    -------
    AgreementMeasures

    Raises
    ------
    ValueError
        If an argument is out of range, or `chance_from` is given with other than Scott's chance.

    References
    ----------
    O. Bojar et al. (2011), A Grain of Salt for the WMT Manual Evaluation. J. Cohen (1960).
    J. L. Fleiss (1971). K. Krippendorff (2004), Content Analysis, ch. 11. W. A. Scott (1955).
    """
    cut = chopped(resamples, confidence)
    if chance_from is not None and chance is not Chance.SCOTT:
        raise ValueError("chance_from: only Scott's chance is estimated from other judgments")
    compared = compared_pairs(blocks, pairing)
    if chance is Chance.COHEN:
        by_judge = cohen_shares(
            blocks, pairing=pairing, symmetric=symmetric, resamples=resamples, seed=seed
        )
        inter, intra = (
            measure_of_shares(side.units, side.ties, shares, cut)
            for side, shares in zip((compared.inter, compared.intra), by_judge, strict=True)
        )
    else:
        chances = compared if chance_from is None else compared_pairs(chance_from, pairing)
        inter, intra = (
            measure_compared(
                side,
                from_.ties,
                chance=chance,
                symmetric=symmetric,
                resamples=resamples,
                cut=cut,
                seed=seed,
            )
            for side, from_ in (
                (compared.inter, chances.inter),
                (compared.intra, chances.intra),
            )
        )
    return AgreementMeasures(
        inter=inter,
        intra=intra,
        pairing=pairing,
        chance=chance,
        resample="segments",
        resamples=resamples,
        confidence=confidence,
        seed=seed,
    )
