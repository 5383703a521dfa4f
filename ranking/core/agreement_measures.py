"""Agreement between and within judges, by every pairing and definition of chance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.agreement import FIXED_CHANCE, Chance
from ranking.core.agreement_statistics import (
    Statistic,
    Ties,
    cohen,
    fleiss,
    krippendorff,
    pooled,
)
from ranking.core.agreement_units import Units
from ranking.core.blocks import Blocks, UInt64Array
from ranking.core.collapsed import Pairing
from ranking.core.compared import Compared, compared_pairs
from ranking.core.resampling import chopped, poisson_weights
from ranking.core.wins import NotEstimable

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

#: Resampled sums held at a time, in cells of 8 bytes.
_CELLS_AT_A_TIME = 1 << 21
_RESAMPLES_AT_A_TIME = 128


@dataclass(frozen=True)
class Measure:
    """Agreement on pairs of judgments of the same item, with what it was counted from.

    Attributes
    ----------
    kappa : float or None
        (P(A) − P(E)) / (1 − P(E)), at most 1.
    p_agree : float or None
        P(A): agreeing / comparable; for Fleiss's κ the mean over items, for Krippendorff's α one
        minus the observed disagreement.
    p_chance : float or None
        P(E).
    agreeing, comparable : int
        Pairs of judgments of one item, and those of them with the same outcome.
    ties, labels : int
        Tied comparisons, and comparisons, of the judgments P(E) is estimated from where it is
        Scott's. (The script of WMT15 calls the outcome of a comparison its label.)
    low, high : float or None
        Ends of the percentile interval of κ.
    reason : NotEstimable or None
        Why `kappa` is None.
    """

    kappa: float | None
    p_agree: float | None
    p_chance: float | None
    agreeing: int
    comparable: int
    ties: int
    labels: int
    low: float | None
    high: float | None
    reason: NotEstimable | None


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
    compared = compared_pairs(blocks, pairing, by_judge=chance is Chance.COHEN)
    inter_ties, intra_ties = compared.inter.ties, compared.intra.ties
    if chance_from is not None:
        other = compared_pairs(chance_from, pairing, by_judge=False)
        inter_ties, intra_ties = other.inter.ties, other.intra.ties
    measured = partial(
        measure_compared,
        chance=chance,
        symmetric=symmetric,
        resamples=resamples,
        cut=cut,
        seed=seed,
    )
    return AgreementMeasures(
        inter=measured(compared.inter, inter_ties),
        intra=measured(compared.intra, intra_ties),
        pairing=pairing,
        chance=chance,
        resample="segments",
        resamples=resamples,
        confidence=confidence,
        seed=seed,
    )


def measure_compared(
    compared: Compared,
    ties: Ties,
    *,
    chance: Chance,
    symmetric: bool,
    resamples: int,
    cut: int,
    seed: int,
) -> Measure:
    """Measure agreement on pairs already counted; see `measure_agreement`.

    Parameters
    ----------
    compared : Compared
    ties : Ties
        Of the judgments Scott's P(E) is estimated from.
    chance : Chance
    symmetric : bool
    resamples : int
    cut : int
        Resampled values to chop off at each end.
    seed : int

    Returns
    -------
    Measure
    """
    segments = np.union1d(compared.units.segment, ties.segment)
    statistic = _statistic(compared, ties, segments, chance, symmetric=symmetric)
    total: Int64Array = np.asarray(statistic.by_segment.sum(axis=1)).reshape(-1, 1)
    agree, by_chance = statistic.evaluate(total)
    key = segments.astype(np.uint64)
    resampled = [
        _kappa(*statistic.evaluate(sums))
        for sums in resampled_sums(statistic.by_segment, key, resamples=resamples, seed=seed)
    ]
    return _as_measure(
        compared.units, ties, float(agree[0]), float(by_chance[0]), np.concatenate(resampled), cut
    )


def _statistic(
    compared: Compared, ties: Ties, segments: Int64Array, chance: Chance, *, symmetric: bool
) -> Statistic:
    if chance is Chance.COHEN:
        if compared.tables is None:
            raise ValueError("compared: Cohen's chance needs the tables by judge")
        return cohen(compared.tables, segments, symmetric=symmetric)
    if chance is Chance.FLEISS:
        return fleiss(compared.units, segments, symmetric=symmetric)
    if chance in {Chance.KRIPPENDORFF, Chance.KRIPPENDORFF_ORDINAL}:
        ordinal = chance is Chance.KRIPPENDORFF_ORDINAL
        return krippendorff(compared.units, segments, symmetric=symmetric, ordinal=ordinal)
    return pooled(compared.units, ties, segments, FIXED_CHANCE.get(chance))


def resampled_sums(
    by_segment: sparse.csc_array[np.int64], key: UInt64Array, *, resamples: int, seed: int
) -> Iterator[Int64Array]:
    """Sum counts over segments in bootstrap resamples of segments, some resamples at a time.

    Parameters
    ----------
    by_segment : sparse int64, shape (m, S)
    key : uint64, shape (S,)
        Numbers of the segments.
    resamples : int
    seed : int

    Yields
    ------
    int64, shape (m, r)
        Of consecutive resamples, whatever r the same as `ranking.core.resampling.bootstrap_sums`.
    """
    at_a_time = max(1, min(_RESAMPLES_AT_A_TIME, _CELLS_AT_A_TIME // max(1, *by_segment.shape)))
    for first in range(0, resamples, at_a_time):
        count = min(at_a_time, resamples - first)
        weights = poisson_weights(key, seed=seed, resamples=count, first_resample=first)
        yield np.asarray(by_segment @ weights.astype(np.int64))


def _kappa(p_agree: FloatArray, p_chance: FloatArray) -> FloatArray:
    return (p_agree - p_chance) / np.where(p_chance < 1, 1 - p_chance, np.nan)


def _as_measure(
    units: Units, ties: Ties, p_agree: float, p_chance: float, resampled: FloatArray, cut: int
) -> Measure:
    agreeing = int(np.trace(units.pairs, axis1=1, axis2=2).sum()) // 2
    comparable = int(units.pairs.sum()) // 2
    kappa = float(_kappa(np.array([p_agree]), np.array([p_chance]))[0])
    low = high = reason = None
    if np.isnan(kappa):
        reason = NotEstimable.CHANCE_IS_CERTAIN if comparable else NotEstimable.NO_COMPARISON
    else:
        # A resample without an estimate might have had any: the lowest for the lower end.
        lowest = -p_chance / (1 - p_chance)
        low = float(np.sort(np.nan_to_num(resampled, nan=lowest))[cut])
        high = float(np.sort(np.nan_to_num(resampled, nan=1.0))[len(resampled) - 1 - cut])
    return Measure(
        kappa=None if reason else kappa,
        p_agree=None if np.isnan(p_agree) else p_agree,
        p_chance=None if np.isnan(p_chance) else p_chance,
        agreeing=agreeing,
        comparable=comparable,
        ties=int(ties.ties.sum()),
        labels=int(ties.labels.sum()),
        low=low,
        high=high,
        reason=reason,
    )
