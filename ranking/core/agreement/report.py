"""Agreement of each judge with the others, and among all judges."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ranking.core.agreement.intervals import (
    Agreement,
    KappaLevel,
    agreement_fields,
    kappa_intervals,
    trimmed,
)
from ranking.core.agreement.statistics import (
    FIXED_CHANCE,
    Chance,
    kappa_of_judge,
)
from ranking.core.agreement.tallies import (
    PAIRS,
    AgreementTallies,
    kappa_of_all,
    parts_of_all,
    parts_of_judges,
    tally_agreement,
)
from ranking.core.agreement.units import (
    AGREEING,
    COMPARABLE,
    COMPARISONS,
    TIES,
    count_agreement,
)
from ranking.core.arrays import FloatArray, Int64Array, share
from ranking.core.counting.resampling import bootstrap_sums, trim_count
from ranking.core.judged.blocks import Blocks
from ranking.core.words import member_of, word_check


class JudgeChance(StrEnum):
    """Judges whose ties determine P(E) for the κ of one judge, unless it is fixed."""

    OWN = "own"
    """The judge's share of ties t, and the others' u, in the judge's pairs: t u + (1 − t) (1 − u) /
    2, which is Cohen's with symmetric outcomes. A judge who always ties agrees no more than by
    chance."""

    POOLED = "pooled"
    """The share of ties of all judges in all comparisons, as for κ of all judges."""


@dataclass(frozen=True)
class JudgeAgreement:
    """Agreement of one judge with all others, and the judge's amount of work.

    Attributes
    ----------
    judge : str
    blocks : int
        Blocks judged.
    comparisons, ties : int
        Comparisons between collapsed candidates in those blocks, and tied ones.
    agreement : Agreement
        Agreement on pairs of a comparison by this judge and one by another judge.
    """

    judge: str
    blocks: int
    comparisons: int
    ties: int
    agreement: Agreement


@dataclass(frozen=True)
class AgreementReport:
    """Inter-judge agreement of a test set.

    Attributes
    ----------
    judges : tuple of JudgeAgreement
        In the order of `Blocks.judges`.
    inter : Agreement
        Over all pairs of different judges. Each pair of comparisons counts once here, and once for
        each of its judges in `judges`.
    chance : Chance
    p_chance : float or None
        P(E) of `inter`; None if it is estimated from comparisons but there are none.
    comparisons, ties : int
        Comparisons between collapsed candidates, and tied ones.
    resample : "segments", "judges" or "two_way"
        Units that the intervals treat as random samples.
    resamples : int
        Number of bootstrap resamples; 0 unless `resample` is "segments".
    confidence : float
    seed : int
    """

    judges: tuple[JudgeAgreement, ...]
    inter: Agreement
    chance: Chance
    p_chance: float | None
    comparisons: int
    ties: int
    resample: KappaLevel
    resamples: int
    confidence: float
    seed: int


def inter_judge_agreement(
    blocks: Blocks,
    *,
    chance: Chance = Chance.CONGER,
    chance_of_judges: JudgeChance = JudgeChance.OWN,
    resample: KappaLevel = "two_way",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> AgreementReport:
    """Measure how much judges agree with each other (Bojar et al. 2011, §2.2).

    Two judges agree on an item (a segment and an unordered pair of distinct outputs) when both
    prefer the same output or both call it a tie. All pairs of comparisons of an item by different
    judges are counted, on collapsed outputs; a judge's own repeated judgments are not compared with
    each other. To exclude the reference, leave it out of `blocks` first.

    By default, intervals generalise to other segments and other similar judges; see
    `ranking.core.agreement.intervals`. The interval of one judge's κ is for this judge with other
    similar judges. "segments" keeps the judges and resamples segments, with weights as in
    `ranking.core.counting.resampling`: all judgments of a segment stay together, and P(E) is
    estimated in each resample. A resample in which κ cannot be estimated counts as the lowest
    possible κ at the lower end and as 1 at the upper end. If judges differ in care, these intervals
    cover the κ of other judges in only half of all campaigns (docs/statistics/agreement.md).

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    chance : Chance
        Definition of P(E): `CONGER`, `SCOTT`, `UNIFORM` or `RANDOM_CLICKER`, which have one P(E)
        for all judges. For the others, see `ranking.core.agreement.measures`.
    chance_of_judges : JudgeChance
        Source of P(E) of each judge's κ, with `CONGER` and `SCOTT`.
    resample : "segments", "judges" or "two_way"
        Units that the intervals treat as random samples; "two_way" is both.
    resamples : int
        Number of bootstrap resamples, for "segments".
    confidence : float
        Confidence of the intervals, between 0 and 1.
    seed : int
        0 ≤ seed < 2**64, for "segments".

    Returns
    -------
    AgreementReport
        Agreement of each judge and of all judges.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    O. Bojar, M. Ercegovčević, M. Popel, O. Zaidan (2011), A Grain of Salt for the WMT Manual
    Evaluation, WMT. W. A. Scott (1955) for π, E. M. Bennett et al. (1954) for S, J. Cohen (1960).
    """
    chance = member_of(Chance, "chance", chance)
    chance_of_judges = member_of(JudgeChance, "chance_of_judges", chance_of_judges)
    word_check("resample", resample, KappaLevel)
    trim_count(resamples, confidence)
    return agreement_of_tallies(
        tally_agreement(blocks),
        chance=chance,
        chance_of_judges=chance_of_judges,
        resample=resample,
        confidence=confidence,
        seed=seed,
        blocks=blocks,
        resamples=resamples if resample == "segments" else 0,
    )


def agreement_of_tallies(
    tallies: AgreementTallies,
    *,
    chance: Chance = Chance.CONGER,
    chance_of_judges: JudgeChance = JudgeChance.OWN,
    resample: KappaLevel = "two_way",
    confidence: float = 0.95,
    seed: int = 0,
    blocks: Blocks | None = None,
    resamples: int = 0,
) -> AgreementReport:
    """Measure how much judges agree with each other, using sums over segments.

    Parameters
    ----------
    tallies : AgreementTallies
    chance, chance_of_judges, resample, confidence, seed
        As for `inter_judge_agreement`.
    blocks : Blocks, optional
        The judgments, which "segments" needs.
    resamples : int
        Number of resamples of segments.

    Returns
    -------
    AgreementReport
        The result of `inter_judge_agreement`; equal sums give bit-identical results.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    chance = member_of(Chance, "chance", chance)
    chance_of_judges = member_of(JudgeChance, "chance_of_judges", chance_of_judges)
    word_check("resample", resample, KappaLevel)
    own = chance not in FIXED_CHANCE and chance_of_judges is JudgeChance.OWN
    judges = len(tallies.judges)

    def kappas(counts: Int64Array) -> tuple[FloatArray, FloatArray]:
        """Return κ of each judge and of all, and P(E), from counts of shape (J, R, 6)."""
        of_all, chance_of_all = kappa_of_all(counts, chance)
        kappa = kappa_of_judge(counts[..., PAIRS], None if own else chance_of_all)
        return np.vstack([kappa[0], of_all]), np.vstack([kappa[1], chance_of_all])

    chances = kappas(tallies.of_judges[:, np.newaxis])[1][:, 0].tolist()
    if resample == "segments":
        if blocks is None:
            raise ValueError("resample: segments cannot be resampled from sums")
        counts = count_agreement(blocks)
        unit = counts.segments.astype(np.uint64)
        sums = bootstrap_sums(
            counts.by_segment(judges), unit, resamples=resamples, seed=seed
        )
        samples = kappas(
            sums.reshape(tallies.of_judges.shape[1], judges, resamples).transpose(
                1, 2, 0
            )
        )[0]
        cut = trim_count(resamples, confidence)
        intervals = []
        for each in zip(samples, chances, strict=True):
            intervals.append(trimmed(*each, cut))
    else:
        of_judges = parts_of_judges(tallies, p_chance=None if own else chances[-1])
        parts = [*of_judges, parts_of_all(tallies, chance=chance)]
        intervals = kappa_intervals(
            parts=parts, p_chance=chances, level=resample, confidence=confidence
        )
    own_pairs = tallies.of_judges[:, [COMPARABLE, AGREEING]]
    # Each pair has two judges, so sums over judges count it twice.
    pairs = np.vstack([own_pairs, own_pairs.sum(axis=0) // 2]).T
    columns = (*pairs, share(pairs[1], pairs[0]))
    rows = zip(
        *(column.tolist() for column in columns), chances, intervals, strict=True
    )
    *found, inter = (Agreement(**agreement_fields(*row)) for row in rows)
    comparisons, ties = tallies.of_judges[:, [COMPARISONS, TIES]].T
    work = (each.tolist() for each in (tallies.blocks, comparisons, ties))
    return AgreementReport(
        judges=tuple(map(JudgeAgreement, tallies.judges, *work, found)),
        inter=inter,
        chance=chance,
        p_chance=inter.p_chance,
        comparisons=int(comparisons.sum()),
        ties=int(ties.sum()),
        resample=resample,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
    )
