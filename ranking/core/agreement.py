"""Agreement of judges with the others, and among each other."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from ranking.core.agreement_counts import COMPARISONS, TIES, AgreementCounts, count_agreement
from ranking.core.agreement_spread import (
    cohen_chance,
    inter_spread,
    judge_spreads,
    kappa_of,
    lowest_kappa,
)
from ranking.core.agreement_statistics import scott_chance, share
from ranking.core.blocks import Blocks
from ranking.core.kappa_intervals import (
    KAPPA_LEVELS,
    Interval,
    KappaLevel,
    NoInterval,
    Spread,
    kappa_interval,
)
from ranking.core.resampling import bootstrap_sums, chopped
from ranking.core.wins import NotEstimable

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


class Chance(StrEnum):
    """How much agreement to expect by chance, P(E) (Bojar et al. 2011, §2.2.2)."""

    SCOTT = "scott"
    """Scott's π: t² + 2 ((1 − t) / 2)², t the share of ties among all comparisons given."""

    UNIFORM = "uniform"
    """The S measure: win, tie and loss equally likely, 1/3."""

    RANDOM_CLICKER = "random_clicker"
    """Two of five labels at random are equal one time in five: 0.2² + 2 · 0.4² = 0.36."""

    COHEN = "cohen"
    """Cohen's κ: each judge has shares of win, tie and loss of his own."""

    FLEISS = "fleiss"
    """Fleiss's κ: one distribution for all, items weigh the same however often they were judged."""

    KRIPPENDORFF = "krippendorff"
    """Krippendorff's α for nominal data."""

    KRIPPENDORFF_ORDINAL = "krippendorff_ordinal"
    """Krippendorff's α for ordinal data: win against loss is worse than win against tie."""


#: P(E) where it does not depend on the data.
FIXED_CHANCE = {Chance.UNIFORM: 1 / 3, Chance.RANDOM_CLICKER: 0.36}


class JudgeChance(StrEnum):
    """Whose ties P(E) of a single judge's κ is estimated from, where all judges' is Scott's."""

    OWN = "own"
    """The judge's t, and the others' u, on the pairs the judge is in: t u + (1 − t) (1 − u) / 2,
    Cohen's with symmetric outcomes. Who always ties agrees no more than chance has it."""

    POOLED = "pooled"
    """All judges' on all comparisons, as for κ over all."""


@dataclass(frozen=True)
class Agreement:
    """Agreement on pairs of judgments of the same item by different judges.

    Attributes
    ----------
    comparable : int
        Pairs of comparisons of one item by different judges.
    agreeing : int
        Those with the same outcome.
    p_agree : float or None
        agreeing / comparable, P(A).
    kappa : float or None
        (P(A) − P(E)) / (1 − P(E)), at most 1.
    low, high : float or None
        Ends of the interval of κ.
    reason : NotEstimable or None
        Why `kappa` (and with it `low` and `high`) is None.
    p_chance : float or None
        P(E); None if it needs pairs and there are none.
    no_interval : NoInterval or None
        Why `low` and `high` are None where `kappa` is not.
    """

    comparable: int
    agreeing: int
    p_agree: float | None
    kappa: float | None
    low: float | None
    high: float | None
    reason: NotEstimable | None
    p_chance: float | None = None
    no_interval: NoInterval | None = None


@dataclass(frozen=True)
class JudgeAgreement:
    """Agreement of one judge with all others, and how much the judge judged.

    Attributes
    ----------
    judge : str
    blocks : int
        Blocks judged.
    comparisons, ties : int
        Comparisons between collapsed candidates in those blocks, and how many were tied.
    agreement : Agreement
        On pairs of a comparison by this judge and one by another.
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
        Over all pairs of different judges. Each pair of comparisons counts once here, and once
        for each of its two judges in `judges`.
    chance : Chance
    p_chance : float or None
        P(E) of `inter`; None if it needs comparisons and there are none.
    chance_of_judges : JudgeChance
        Where P(E) of the κ of `judges` is from; `POOLED` where `chance` is fixed.
    comparisons, ties : int
        Comparisons between collapsed candidates, and how many were tied.
    resample : "segments", "judges" or "two_way"
        What the intervals take for drawn at random.
    resamples : int
        0 where nothing was resampled: only `segments` is a bootstrap.
    confidence : float
    seed : int
    """

    judges: tuple[JudgeAgreement, ...]
    inter: Agreement
    chance: Chance
    p_chance: float | None
    chance_of_judges: JudgeChance
    comparisons: int
    ties: int
    resample: KappaLevel
    resamples: int
    confidence: float
    seed: int


def inter_judge_agreement(
    blocks: Blocks,
    *,
    chance: Chance = Chance.SCOTT,
    chance_of_judges: JudgeChance = JudgeChance.OWN,
    resample: KappaLevel = "two_way",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> AgreementReport:
    """Measure how far judges agree with each other (Bojar et al. 2011, §2.2).

    Two judges agree on an item (a segment and an unordered pair of distinct outputs) when both
    prefer the same output or both call it a tie. Counted are all pairs of comparisons of an item
    by different judges, on collapsed outputs; a judge's own repeated judgments are not compared
    with each other. To exclude the reference, leave it out of `blocks` first.

    The intervals are of κ in other segments and, with other judges of the same kind, see
    `ranking.core.kappa_intervals`: those of the κ of one judge are for this judge with others of
    the kind. "segments" keeps the judges instead and resamples segments, with weights as in
    `ranking.core.resampling`: all judgments of a segment stay together, and P(E) is estimated anew
    in each resample. A resample in which κ is not estimable counts as the lowest possible κ at the
    lower end and as 1 at the upper end. Where judges differ in care that holds κ of other judges in
    half of all campaigns only (docs/statistics/agreement.md).

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    chance : Chance
        Definition of P(E): `SCOTT`, `UNIFORM` or `RANDOM_CLICKER`, which are the same for all
        judges. For the others see `ranking.core.agreement_measures`.
    chance_of_judges : JudgeChance
        With `SCOTT`, P(E) of each judge's κ.
    resample : "segments", "judges" or "two_way"
        What the intervals take for drawn at random; "two_way" both.
    resamples : int
        Number of bootstrap resamples, for "segments".
    confidence : float
        Confidence of the intervals, between 0 and 1.
    seed : int
        0 ≤ seed < 2**64, for "segments".

    Returns
    -------
    AgreementReport
        Agreement of each judge and over all.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    O. Bojar, M. Ercegovčević, M. Popel, O. Zaidan (2011), A Grain of Salt for the WMT Manual
    Evaluation, WMT. W. A. Scott (1955) for π, E. M. Bennett et al. (1954) for S, J. Cohen (1960).
    """
    cut = chopped(resamples, confidence)
    if chance is not Chance.SCOTT and chance not in FIXED_CHANCE:
        raise ValueError(f"chance: {chance.value} is not the same for all judges")
    if resample not in KAPPA_LEVELS:
        raise ValueError(f"resample: {resample!r} is none of {', '.join(KAPPA_LEVELS)}")
    own = chance is Chance.SCOTT and chance_of_judges is JudgeChance.OWN
    judges = len(blocks.judges)
    counts = count_agreement(blocks, meetings=resample != "segments")
    by_segment = counts.by_segment(judges, own_chance=own)
    total: Int64Array = np.asarray(by_segment.sum(axis=1)).reshape(-1, 1)
    point = _kappas(total, judges, chance, own_chance=own)
    if resample == "segments":
        unit = counts.segments.astype(np.uint64)
        sums = bootstrap_sums(by_segment, unit, resamples=resamples, seed=seed)
        intervals = _percentiles(point, _kappas(sums, judges, chance, own_chance=own), cut)
    else:
        intervals = _intervals(counts, point, chance, resample, confidence, own_chance=own)
    found = [_agreement(row, point, interval) for row, interval in enumerate(intervals)]
    own_blocks = np.bincount(blocks.judge, minlength=judges)
    of_judges = counts.by_judge(judges)
    return AgreementReport(
        judges=tuple(
            JudgeAgreement(
                judge=name,
                blocks=int(own_blocks[row]),
                comparisons=int(of_judges[row, COMPARISONS]),
                ties=int(of_judges[row, TIES]),
                agreement=found[row],
            )
            for row, name in enumerate(blocks.judges)
        ),
        inter=found[judges],
        chance=chance,
        p_chance=found[judges].p_chance,
        chance_of_judges=JudgeChance.OWN if own else JudgeChance.POOLED,
        comparisons=int(of_judges[:, COMPARISONS].sum()),
        ties=int(of_judges[:, TIES].sum()),
        resample=resample,
        resamples=resamples if resample == "segments" else 0,
        confidence=confidence,
        seed=seed,
    )


@dataclass(frozen=True, eq=False)
class _Kappas:
    """Counts and κ of J judges and, in the last row, over all; in each of R samples.

    All have shape (J + 1, R). Floats are NaN where the counts do not determine them; `_agreement`
    puts that into words.
    """

    comparable: Int64Array
    agreeing: Int64Array
    p_chance: FloatArray
    kappa: FloatArray


def _kappas(counts: Int64Array, judges: int, chance: Chance, *, own_chance: bool) -> _Kappas:
    """Turn (resampled) sums of `AgreementCounts.by_segment`, shape (…, R), into κ."""
    comparable, agreeing = counts[:judges], counts[judges : 2 * judges]
    if chance is Chance.SCOTT:
        p_chance = scott_chance(share(counts[-2], counts[-1]))
    else:
        p_chance = np.full(counts.shape[1], FIXED_CHANCE[chance])
    if own_chance:
        own, others = (counts[k * judges : (k + 1) * judges] for k in (2, 3))
        of_judges = cohen_chance(share(own, comparable), share(others, comparable))
    else:
        of_judges = np.broadcast_to(p_chance, comparable.shape)
    # Each pair has two judges, so the sums over judges are even.
    comparable = np.vstack([comparable, comparable.sum(axis=0) // 2])
    agreeing = np.vstack([agreeing, agreeing.sum(axis=0) // 2])
    p_chance = np.vstack([of_judges, p_chance])
    return _Kappas(
        comparable=comparable,
        agreeing=agreeing,
        p_chance=p_chance,
        kappa=kappa_of(share(agreeing, comparable), p_chance),
    )


def _percentiles(point: _Kappas, samples: _Kappas, cut: int) -> list[Interval]:
    found = []
    for by_chance, resampled in zip(point.p_chance[:, 0], samples.kappa, strict=True):
        low = np.sort(np.nan_to_num(resampled, nan=lowest_kappa(float(by_chance))))[cut]
        high = np.sort(np.nan_to_num(resampled, nan=1.0))[len(resampled) - 1 - cut]
        found.append(Interval(float(low), float(high), None))
    return found


def _intervals(
    counts: AgreementCounts,
    point: _Kappas,
    chance: Chance,
    level: KappaLevel,
    confidence: float,
    *,
    own_chance: bool,
) -> list[Interval]:
    judges = len(point.kappa) - 1
    p_chance = float(point.p_chance[-1, 0])
    spreads: list[Spread] = [
        *judge_spreads(counts, judges, p_chance=None if own_chance else p_chance),
        inter_spread(counts, judges, expected=FIXED_CHANCE.get(chance)),
    ]
    return [
        kappa_interval(spread, level, confidence=confidence, lowest=lowest_kappa(float(by_chance)))
        for spread, by_chance in zip(spreads, point.p_chance[:, 0], strict=True)
    ]


def _agreement(row: int, point: _Kappas, interval: Interval) -> Agreement:
    comparable, agreeing = int(point.comparable[row, 0]), int(point.agreeing[row, 0])
    kappa, by_chance = float(point.kappa[row, 0]), float(point.p_chance[row, 0])
    estimable = not np.isnan(kappa)
    reason = NotEstimable.CHANCE_IS_CERTAIN if comparable else NotEstimable.NO_COMPARISON
    return Agreement(
        comparable=comparable,
        agreeing=agreeing,
        p_agree=agreeing / comparable if comparable else None,
        kappa=kappa if estimable else None,
        low=interval.low if estimable else None,
        high=interval.high if estimable else None,
        reason=None if estimable else reason,
        p_chance=None if np.isnan(by_chance) else by_chance,
        no_interval=interval.reason if estimable else None,
    )
