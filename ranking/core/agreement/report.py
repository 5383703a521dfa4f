"""Agreement of each judge with the others, and among all judges."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self, Unpack

import numpy as np

from ranking.core.agreement.intervals import (
    Agreement,
    Interval,
    KappaLevel,
    KappaOptions,
    agreement_fields,
    kappa_intervals,
    trimmed,
)
from ranking.core.agreement.measures import IntervalOptions
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
    **how: Unpack[KappaOptions],
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
    options = IntervalOptions(**how)
    tallies = tally_agreement(blocks)
    if not options.drawn:
        return agreement_of_tallies(
            tallies,
            chance=chance,
            chance_of_judges=chance_of_judges,
            resample=options.resample,
            confidence=options.confidence,
            seed=options.seed,
        )
    measure = _Kappas.chosen(chance, chance_of_judges)
    chances = measure.chances(tallies)
    intervals = []
    cut = trim_count(options.resamples, options.confidence)
    samples = measure.resampled(blocks, options)
    for sample, p_chance in zip(samples, chances, strict=True):
        intervals.append(trimmed(sample, p_chance, cut))
    return _report(
        tallies=tallies,
        chance=chance,
        chances=chances,
        intervals=intervals,
        how={
            "resample": options.resample,
            "resamples": options.resamples,
            "confidence": options.confidence,
            "seed": options.seed,
        },
    )


def agreement_of_tallies(
    tallies: AgreementTallies,
    *,
    chance: Chance = Chance.CONGER,
    chance_of_judges: JudgeChance = JudgeChance.OWN,
    resample: KappaLevel = "two_way",
    confidence: float = 0.95,
    seed: int = 0,
) -> AgreementReport:
    """Measure how much judges agree with each other, using sums over segments.

    Parameters
    ----------
    tallies : AgreementTallies
    chance, chance_of_judges, confidence, seed
        As for `inter_judge_agreement`.
    resample : "judges" or "two_way"

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
    measure = _Kappas.chosen(chance, chance_of_judges)
    chances = measure.chances(tallies)
    if resample == "segments":
        raise ValueError("resample: segments cannot be resampled from sums")
    chance_of_all = None
    if not measure.is_own:
        chance_of_all = chances[-1]
    judge_parts = parts_of_judges(tallies, p_chance=chance_of_all)
    parts = [*judge_parts, parts_of_all(tallies, chance=chance)]
    intervals = kappa_intervals(
        parts=parts,
        p_chance=chances,
        level=resample,
        confidence=confidence,
    )
    return _report(
        tallies=tallies,
        chance=chance,
        chances=chances,
        intervals=intervals,
        how={
            "resample": resample,
            "resamples": 0,
            "confidence": confidence,
            "seed": seed,
        },
    )


@dataclass(frozen=True)
class _Kappas:
    """κ of each judge and of all.

    Attributes
    ----------
    chance : Chance
    is_own : bool
        Whether P(E) of each judge's κ is from the judge's own pairs.
    """

    chance: Chance
    is_own: bool

    @classmethod
    def chosen(cls, chance: Chance, chance_of_judges: JudgeChance) -> Self:
        """Return κ with these definitions of P(E)."""
        is_own = chance_of_judges is JudgeChance.OWN and chance not in FIXED_CHANCE
        return cls(chance=chance, is_own=is_own)

    def of_counts(self, counts: Int64Array) -> tuple[FloatArray, FloatArray]:
        """Return κ and P(E), shape (J + 1, R), from counts of shape (J, R, 6)."""
        of_all, chance_of_all = kappa_of_all(counts, self.chance)
        known_chance = None
        if not self.is_own:
            known_chance = chance_of_all
        judge_kappas, chances = kappa_of_judge(counts[..., PAIRS], known_chance)
        kappas = np.vstack([judge_kappas, of_all])
        return kappas, np.vstack([chances, chance_of_all])

    def chances(self, tallies: AgreementTallies) -> list[float]:
        """Return P(E) of each judge, and of all."""
        _kappa, chances = self.of_counts(tallies.of_judges[:, np.newaxis])
        by_judge: list[float] = chances[:, 0].tolist()
        return by_judge

    def resampled(self, blocks: Blocks, options: IntervalOptions) -> FloatArray:
        """Return κ in resamples of segments, shape (J + 1, R)."""
        judges = len(blocks.judges)
        counts = count_agreement(blocks)
        sums = bootstrap_sums(
            counts.by_segment(judges),
            counts.segments.astype(np.uint64),
            resamples=options.resamples,
            seed=options.seed,
        )
        shape = (counts.counts.shape[1], judges, options.resamples)
        resampled_counts = sums.reshape(shape).transpose(1, 2, 0)
        kappas, _chances = self.of_counts(resampled_counts)
        return kappas


def _report(
    tallies: AgreementTallies,
    chance: Chance,
    chances: Sequence[float],
    intervals: Sequence[Interval],
    how: KappaOptions,
) -> AgreementReport:
    own_pairs = tallies.of_judges[:, [COMPARABLE, AGREEING]]
    # Each pair has two judges, so sums over judges count it twice.
    pairs = np.vstack([own_pairs, own_pairs.sum(axis=0) // 2])
    comparable, agreeing = pairs.T
    p_agree = share(agreeing, comparable).tolist()
    agreements = []
    for row, (own_comparable, own_agreeing) in enumerate(pairs.tolist()):
        fields = agreement_fields(
            comparable=own_comparable,
            agreeing=own_agreeing,
            p_agree=p_agree[row],
            p_chance=chances[row],
            interval=intervals[row],
        )
        agreements.append(Agreement(**fields))
    *judge_agreements, inter = agreements
    comparisons = tallies.of_judges[:, COMPARISONS].tolist()
    ties = tallies.of_judges[:, TIES].tolist()
    blocks = tallies.blocks.tolist()
    judges = []
    for index, name in enumerate(tallies.judges):
        judges.append(
            JudgeAgreement(
                judge=name,
                blocks=blocks[index],
                comparisons=comparisons[index],
                ties=ties[index],
                agreement=judge_agreements[index],
            ),
        )
    return AgreementReport(
        judges=tuple(judges),
        inter=inter,
        chance=chance,
        p_chance=inter.p_chance,
        comparisons=sum(comparisons),
        ties=sum(ties),
        **how,
    )
