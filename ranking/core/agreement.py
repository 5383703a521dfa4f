"""Agreement of judges with the others, and among each other."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from ranking.core.agreement_counts import count_agreement
from ranking.core.blocks import Blocks
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
        Ends of the percentile interval of κ.
    reason : NotEstimable or None
        Why `kappa` (and with it `low` and `high`) is None.
    """

    comparable: int
    agreeing: int
    p_agree: float | None
    kappa: float | None
    low: float | None
    high: float | None
    reason: NotEstimable | None


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
        P(E), the same for all judges; None if it needs comparisons and there are none.
    comparisons, ties : int
        Comparisons between collapsed candidates, and how many were tied.
    resample : str
        What was resampled for the intervals: "segments".
    resamples : int
    confidence : float
    seed : int
    """

    judges: tuple[JudgeAgreement, ...]
    inter: Agreement
    chance: Chance
    p_chance: float | None
    comparisons: int
    ties: int
    resample: str
    resamples: int
    confidence: float
    seed: int


def inter_judge_agreement(
    blocks: Blocks,
    *,
    chance: Chance = Chance.SCOTT,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> AgreementReport:
    """Measure how far judges agree with each other (Bojar et al. 2011, §2.2).

    Two judges agree on an item (a segment and an unordered pair of distinct outputs) when both
    prefer the same output or both call it a tie. Counted are all pairs of comparisons of an item
    by different judges, on collapsed outputs; a judge's own repeated judgments are not compared
    with each other. To exclude the reference, leave it out of `blocks` first.

    The intervals come from resampling *segments*, with weights as in `ranking.core.resampling`:
    all judgments of a segment stay together, since what makes one pair of outputs easy to agree
    on does so for all judges. P(E) is estimated anew in each resample. A resample in which κ is
    not estimable counts as the lowest possible κ at the lower end and as 1 at the upper end, so a
    judge who shares only a segment or two with others gets an interval that says so.

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set.
    chance : Chance
        Definition of P(E): `SCOTT`, `UNIFORM` or `RANDOM_CLICKER`, which are the same for all
        judges. For the others see `ranking.core.agreement_measures`.
    resamples : int
        Number of bootstrap resamples.
    confidence : float
        Confidence of the intervals, between 0 and 1.
    seed : int
        0 ≤ seed < 2**64.

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
    Evaluation, WMT. W. A. Scott (1955) for π, E. M. Bennett et al. (1954) for S.
    """
    cut = chopped(resamples, confidence)
    if chance is not Chance.SCOTT and chance not in FIXED_CHANCE:
        raise ValueError(f"chance: {chance.value} is not the same for all judges")
    judges = len(blocks.judges)
    counts = count_agreement(blocks)
    total: Int64Array = np.asarray(counts.by_segment.sum(axis=1)).reshape(-1, 1)
    unit = counts.segments.astype(np.uint64)
    resampled = bootstrap_sums(counts.by_segment, unit, resamples=resamples, seed=seed)
    point, samples = _kappas(total, chance), _kappas(resampled, chance)

    def agreement(row: int) -> Agreement:
        return _agreement(row, point, samples, cut)

    own_blocks = np.bincount(blocks.judge, minlength=judges)
    return AgreementReport(
        judges=tuple(
            JudgeAgreement(
                judge=name,
                blocks=int(own_blocks[row]),
                comparisons=int(counts.comparisons[row]),
                ties=int(counts.ties[row]),
                agreement=agreement(row),
            )
            for row, name in enumerate(blocks.judges)
        ),
        inter=agreement(judges),
        chance=chance,
        p_chance=None if np.isnan(point.p_chance[0]) else float(point.p_chance[0]),
        comparisons=int(counts.comparisons.sum()),
        ties=int(counts.ties.sum()),
        resample="segments",
        resamples=resamples,
        confidence=confidence,
        seed=seed,
    )


@dataclass(frozen=True, eq=False)
class _Kappas:
    """Counts and κ of J judges and, in the last row, over all; in each of R samples.

    `comparable`, `agreeing` and `kappa` have shape (J + 1, R), `p_chance` has shape (R,). Floats
    are NaN where the counts do not determine them; `_agreement` puts that into words.
    """

    comparable: Int64Array
    agreeing: Int64Array
    p_chance: FloatArray
    kappa: FloatArray


def _kappas(counts: Int64Array, chance: Chance) -> _Kappas:
    """Turn (resampled) sums of `AgreementCounts.by_segment`, shape (2 J + 2, R), into κ."""
    judges = len(counts) // 2 - 1
    by_judge, ties, total = counts[: 2 * judges], counts[-2], counts[-1]
    comparable, agreeing = by_judge[:judges], by_judge[judges:]
    # Each pair has two judges, so the sums over judges are even.
    comparable = np.vstack([comparable, comparable.sum(axis=0) // 2])
    agreeing = np.vstack([agreeing, agreeing.sum(axis=0) // 2])
    if chance is Chance.SCOTT:
        tied = _share(ties, total)
        p_chance = tied**2 + 2 * ((1 - tied) / 2) ** 2
    else:
        p_chance = np.full(len(total), FIXED_CHANCE[chance])
    p_agree = _share(agreeing, comparable)
    headroom = np.where(p_chance < 1, 1 - p_chance, np.nan)
    return _Kappas(
        comparable=comparable,
        agreeing=agreeing,
        p_chance=p_chance,
        kappa=(p_agree - p_chance) / headroom,
    )


def _share(part: Int64Array, whole: Int64Array) -> FloatArray:
    share: FloatArray = np.full(whole.shape, np.nan)
    np.divide(part, whole, out=share, where=whole > 0)
    return share


def _agreement(row: int, point: _Kappas, samples: _Kappas, cut: int) -> Agreement:
    comparable, agreeing = int(point.comparable[row, 0]), int(point.agreeing[row, 0])
    p_agree = agreeing / comparable if comparable else None
    kappa, p_chance = float(point.kappa[row, 0]), float(point.p_chance[0])
    if np.isnan(kappa):
        reason = NotEstimable.CHANCE_IS_CERTAIN if comparable else NotEstimable.NO_COMPARISON
        return Agreement(comparable, agreeing, p_agree, None, None, None, reason)
    # P(A) = 0 gives the lowest κ there is.
    lowest = -p_chance / (1 - p_chance)
    resampled = samples.kappa[row]
    low = np.sort(np.nan_to_num(resampled, nan=lowest))[cut]
    high = np.sort(np.nan_to_num(resampled, nan=1.0))[len(resampled) - 1 - cut]
    return Agreement(comparable, agreeing, p_agree, kappa, float(low), float(high), None)
