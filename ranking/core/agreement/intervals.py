"""κ and its intervals over segments and judges, from counted pairs.

Pairs on one segment are correlated, because its outputs are easy or hard to compare for all judges,
and pairs with a common judge are correlated, because judges differ in care. The variance of κ over
samples of judges and segments is approximately (Cameron, Gelbach & Miller 2011; Aronow, Samii &
Assenova 2015)

    V = V_segments + V_judges − V_overlap − V_pairs + V_pairs in segments

Each term sums the squared changes of κ when a unit is left out: a segment; a judge, with all their pairs; a judge's
comparisons of one segment (overlap); and the pairs of two judges, which V_judges counts once for each of the two.
V_judges − V_pairs is corrected for few judges, see `pairs_counted_once`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal, Protocol, TypedDict, TypeVar, get_args

import numpy as np

from ranking.core.agreement.statistics import (
    Additive,
    Chance,
    fleiss,
    kappa_of,
    krippendorff,
    lowest_kappa,
    pooled,
)
from ranking.core.arrays import FloatArray, share
from ranking.core.estimates import t_quantile
from ranking.core.scores import NotEstimable
from ranking.core.words import member_of, word_check

#: The units that an interval of κ treats as random samples.
KappaLevel = Literal["segments", "judges", "two_way"]
KAPPA_LEVELS: tuple[KappaLevel, ...] = get_args(KappaLevel)


class KappaOptions(TypedDict, total=False):
    """Options for intervals of κ.

    Attributes
    ----------
    resample : "segments", "judges" or "two_way"
        Units that the intervals treat as random samples, see `ranking.core.agreement.report`;
        "two_way", the default, is both.
    resamples : int
        Number of bootstrap resamples, for "segments".
    confidence : float
        Confidence of the intervals, between 0 and 1.
    seed : int
        0 ≤ seed < 2**64, for "segments".
    """

    resample: KappaLevel
    resamples: int
    confidence: float
    seed: int


#: A variance of κ below this is a rounding error: κ is at most 1, and floats have 16 digits.
NO_VARIANCE = 1e-24
#: With fewer degrees of freedom, an interval holds every possible κ.
_MIN_DEGREES_OF_FREEDOM = 0.5


class NoInterval(StrEnum):
    """Reason why a κ has no interval; callers put the code into words."""

    TOO_FEW_JUDGES = "too_few_judges"
    """κ is undefined without one of the judges, so their differences cannot be estimated: there are
    two judges, or all pairs are with one judge."""

    TOO_FEW_SEGMENTS = "too_few_segments"
    """κ is undefined without one of the segments, so their differences cannot be estimated."""

    NO_VARIATION = "no_variation"
    """Leaving out any judge or segment changes nothing, for instance if all judges always agree."""


@dataclass(frozen=True)
class VarianceParts:
    """κ and the parts of its variance.

    Attributes
    ----------
    kappa : float
        κ of all judgments.
    of_segments, of_judges : float
        Variances over segments and over judges; NaN where they cannot be estimated.
    segments : int
        Number of segments.
    overlap : float
        Sum of the squared changes when one judge's comparisons of one segment are left out.
    judges : float
        Effective number of judges, see `ranking.core.counting.counts`.
    pairs, pairs_in_segments : float
        Sums of the squared changes when the pairs of two judges are left out, and their pairs on
        one segment. 0 if no pair consists of two sampled judges.
    """

    kappa: float
    of_segments: float
    segments: int
    of_judges: float
    overlap: float
    judges: float
    pairs: float = 0.0
    pairs_in_segments: float = 0.0


@dataclass(frozen=True)
class Interval:
    """Ends of an interval, or the reason why there is none."""

    low: float | None
    high: float | None
    reason: NoInterval | None


def jackknife(kappa: float, without: FloatArray) -> float:
    """Return the delete-one variance around κ: (n − 1) / n · Σ (κ without one − κ)².

    Parameters
    ----------
    kappa : float
    without : float64, shape (n,)
        κ without each unit; NaN where it cannot be computed.

    Returns
    -------
    float
        NaN for fewer than two units.
    """
    count = len(without)
    if count < 2:
        return math.nan
    changes = without - kappa
    return float((count - 1) / count * (changes @ changes))


def variances(
    parts: Sequence[VarianceParts],
    level: KappaLevel,
) -> tuple[FloatArray, FloatArray]:
    """Estimate the variance of each κ over judges, or over segments and judges, and its degrees of freedom.

    For J judges with equal shares (otherwise, for their effective number), the degrees of freedom
    are J (J − 1) / (2 J − 1), about half the usual number: with an excess kurtosis of 2, the
    variance of J values is as uncertain as that of about J / 2 normal values. Judges' care has long
    tails: one careless judge in seven results in this kurtosis. If most of the variance comes from
    segments, there are more degrees of freedom (Satterthwaite 1946).

    Parameters
    ----------
    parts : sequence of VarianceParts
    level : "judges" or "two_way"

    Returns
    -------
    variance, degrees_of_freedom : float64, shape (len(parts),)
        NaN where a variance cannot be estimated.

    Raises
    ------
    ValueError
        If `level` is invalid.
    """
    word_check("level", level, KappaLevel)
    judge_variance = _column(parts, "of_judges")
    judges_degrees = _degrees_of_judges(_column(parts, "judges"))
    if level == "judges":
        return judge_variance, judges_degrees
    if level != "two_way":
        raise ValueError(f"resample: {level!r} is neither judges nor two_way")
    segment_variance = _column(parts, "of_segments")
    judge_variance_once = pairs_counted_once(
        of_judges=judge_variance,
        pairs=_column(parts, "pairs"),
        judges=_column(parts, "judges"),
    )
    counted_twice = _column(parts, "overlap") - _column(parts, "pairs_in_segments")
    both = segment_variance + judge_variance_once - counted_twice
    value = np.maximum(np.maximum(both, segment_variance), judge_variance_once)
    # Satterthwaite. NaN where there are fewer than two segments.
    segments_degrees = np.maximum(_column(parts, "segments") - 1, 1)
    judge_uncertainty = np.maximum(judge_variance_once, 0.0) ** 2 / judges_degrees
    segment_uncertainty = segment_variance**2 / segments_degrees
    uncertainty = judge_uncertainty + segment_uncertainty
    degrees_of_freedom = judges_degrees.copy()
    np.divide(value**2, uncertainty, out=degrees_of_freedom, where=uncertainty > 0)
    return value, np.fmax(judges_degrees, degrees_of_freedom)


def _column(parts: Sequence[VarianceParts], name: str) -> FloatArray:
    return np.array([getattr(part, name) for part in parts], dtype=np.float64)


def _degrees_of_judges(judges: FloatArray) -> FloatArray:
    """Return J (J − 1) / (2 J − 1) degrees of freedom for J judges, see `variances`."""
    several = np.maximum(judges, 1)
    degrees: FloatArray = several * (several - 1) / (2 * several - 1)
    return np.maximum(_MIN_DEGREES_OF_FREEDOM, degrees)


def pairs_counted_once(
    of_judges: FloatArray,
    pairs: FloatArray,
    judges: FloatArray,
) -> FloatArray:
    """Return the variance over judges, V_judges, with the pairs of two judges counted once.

    If the agreement of judges i and j is a_i + a_j + b_ij, and κ its mean over the pairs of J judges,
    then V_judges counts the variance of b twice, so it is too large (Efron & Stein 1981), and
    V_judges − V_pairs lacks one part in J − 1 of the variance of a, because V_pairs contains it too.
    In between,

        ((J − 2)² V_judges − J (J − 1) V_pairs) / ((J − 2) (J − 3))

    has the right mean. It is itself uncertain where judges are few, so it is not taken below the one
    nor above the other. Three judges do not determine it: for them, V_judges − V_pairs is taken.

    Parameters
    ----------
    of_judges, pairs : float64, shape (n,)
        V_judges and V_pairs.
    judges : float64, shape (n,)
        Effective number of judges.
    """
    lower = of_judges - pairs
    enough = judges > 3
    several = np.where(enough, judges, 4.0)
    weighted = (several - 2) ** 2 * of_judges - several * (several - 1) * pairs
    unbiased = weighted / ((several - 2) * (several - 3))
    bounded = np.clip(unbiased, lower, of_judges)
    return np.where(enough, bounded, lower)


def kappa_intervals(
    parts: Sequence[VarianceParts],
    p_chance: Sequence[float],
    level: KappaLevel,
    confidence: float,
) -> list[Interval]:
    """Return intervals of values of κ, using Student's t on the logarithm of 1 − κ.

    1 − κ is the ratio of observed to expected disagreement, (1 − P(A)) / (1 − P(E)), and the
    logarithm of a ratio is closer to normal than the ratio itself. No interval extends above 1.

    Parameters
    ----------
    parts : sequence of VarianceParts
    p_chance : sequence of float
        P(E) of each κ, which determines the lowest possible κ.
    level : "judges" or "two_way"
    confidence : float
        Between 0 and 1.

    Returns
    -------
    list of Interval
    """
    word_check("level", level, KappaLevel)
    variance, degrees_of_freedom = variances(parts, level)
    low, high = kappa_ends(
        kappa=np.array([part.kappa for part in parts]),
        p_chance=np.array(p_chance),
        variance=np.maximum(variance, 0.0),
        degrees_of_freedom=degrees_of_freedom,
        confidence=confidence,
    )
    intervals = []
    for index, part in enumerate(parts):
        reason = _no_interval(part, level, float(variance[index]))
        if reason is None:
            interval = Interval(float(low[index]), float(high[index]), None)
        else:
            interval = Interval(None, None, reason)
        intervals.append(interval)
    return intervals


def _no_interval(
    parts: VarianceParts,
    level: KappaLevel,
    variance: float,
) -> NoInterval | None:
    if math.isnan(parts.of_judges):
        return NoInterval.TOO_FEW_JUDGES
    if level == "two_way" and math.isnan(parts.of_segments):
        return NoInterval.TOO_FEW_SEGMENTS
    if variance <= NO_VARIANCE:
        return NoInterval.NO_VARIATION
    return None


def left_out_interval(
    kappa: float,
    p_chance: float,
    *,
    without_segment: FloatArray,
    without_judge: FloatArray,
    confidence: float = 0.95,
) -> Interval:
    """Return the interval of κ over judges and segments, from κ without each of them.

    V_overlap and the variance of pairs are left out, so the interval is too wide rather than too
    narrow.

    Parameters
    ----------
    kappa, p_chance : float
        NaN for no interval.
    without_segment, without_judge : float64, shapes (S,) and (J,)
        NaN where κ cannot be computed.
    confidence : float
    """
    parts = VarianceParts(
        kappa=kappa,
        of_segments=jackknife(kappa, without_segment),
        segments=len(without_segment),
        of_judges=jackknife(kappa, without_judge),
        overlap=0.0,
        judges=len(without_judge),
    )
    [intervals] = kappa_intervals(
        parts=[parts],
        p_chance=[p_chance],
        level="two_way",
        confidence=confidence,
    )
    return intervals


def kappa_ends(
    kappa: FloatArray,
    p_chance: FloatArray,
    variance: FloatArray,
    degrees_of_freedom: FloatArray,
    confidence: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of intervals that are symmetric on the scale of log(1 − κ), cut at the lowest
    possible κ; NaN where something is NaN, or κ is 1.
    """
    disagreement = 1 - kappa
    quantile = t_quantile(confidence, degrees_of_freedom)
    relative_error = share(quantile * np.sqrt(variance), disagreement)
    # Beyond this, the interval contains every κ, and exp would overflow.
    reach = np.minimum(700.0, relative_error)
    lowest = 0.0 - share(p_chance, 1 - p_chance)
    low = 1 - disagreement * np.exp(reach)
    high = 1 - disagreement * np.exp(-reach)
    return np.maximum(lowest, low), high


def trimmed(resampled: FloatArray, p_chance: float, cut: int) -> Interval:
    """Return the percentile interval of resampled values of κ, trimming `cut` at each end; a NaN may
    stand for any value from the lowest to 1.
    """
    lowest = np.nan_to_num(resampled, nan=lowest_kappa(p_chance))
    highest = np.nan_to_num(resampled, nan=1.0)
    low = np.sort(lowest)[cut]
    high = np.sort(highest)[len(resampled) - 1 - cut]
    return Interval(float(low), float(high), None)


@dataclass(frozen=True)
class Agreement:
    """Agreement on pairs of judgments of the same item.

    Attributes
    ----------
    comparable, agreeing : int
        All pairs of judgments of one item, and those with the same outcome.
    p_agree : float or None
        P(A): agreeing / comparable; for Fleiss's κ the mean over items; for Krippendorff's α one
        minus the observed disagreement.
    kappa : float or None
        (P(A) − P(E)) / (1 − P(E)), at most 1.
    low, high : float or None
        Ends of the interval of κ.
    reason : NotEstimable or None
        Why `kappa` is None. `low` and `high` are then None too, unless κ is not reported because they
        are too far apart, see `reported`.
    p_chance : float or None
        P(E); None if it is estimated from pairs but there are none.
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
class AgreementEstimate(Agreement):
    """Agreement, with the counts behind P(E).

    Attributes
    ----------
    ties, labels : int
        Tied comparisons and all comparisons used to estimate Scott's P(E). (The script of WMT15
        calls the outcome of a comparison its label.)
    """

    ties: int = 0
    labels: int = 0


#: Upper ends of the classes of Landis and Koch (1977), except the highest: poor is below 0, slight up
#: to 0.20, fair up to 0.40, moderate up to 0.60, substantial up to 0.80, then almost perfect.
CLASS_ENDS = (0.2, 0.4, 0.6, 0.8)
#: Intervals as wide as this say too little if they span more than two classes.
_WIDE = 0.4


def strength_class(kappa: float) -> int:
    """Return the class of a κ after Landis and Koch (1977), from 0 (poor) to 5 (almost perfect)."""
    if kappa < 0:
        return 0
    # Their table has two decimals: "fair" begins at 0.21.
    return 1 + sum(round(kappa, 2) > end for end in CLASS_ENDS)


def says_enough(low: float | None, high: float | None) -> bool:
    """Return whether a κ with this interval may be reported: it lies within two neighbouring classes
    of `strength_class`, or is narrower than 0.4.
    """
    if low is None or high is None:
        return False
    if high - low < _WIDE:
        return True
    return strength_class(high) - strength_class(low) <= 1


def why_not_reported(
    kappa: float | None,
    low: float | None,
    high: float | None,
) -> NotEstimable | None:
    """Return why an estimated κ is not reported; None if it is, or if there is none."""
    if kappa is None or says_enough(low, high):
        return None
    if low is None:
        return NotEstimable.NO_INTERVAL
    return NotEstimable.INTERVAL_TOO_WIDE


class WithKappa(Protocol):
    """A frozen dataclass with a κ, its interval, and the reason why there is none."""

    @property
    def kappa(self) -> float | None:
        """κ."""

    @property
    def low(self) -> float | None:
        """Lower end of its interval."""

    @property
    def high(self) -> float | None:
        """Upper end of its interval."""

    @property
    def reason(self) -> NotEstimable | None:
        """Why there is no κ."""


_K = TypeVar("_K", bound=WithKappa)


def reported(kappa: _K) -> _K:
    """Return an agreement as it may be reported: without κ, and with the reason, if its interval says
    too little (`says_enough`). Its ends are kept.
    """
    reason = why_not_reported(kappa.kappa, kappa.low, kappa.high)
    if reason is None:
        return kappa
    changed: Any = kappa
    reduced: _K = replace(changed, kappa=None, reason=reason)
    return reduced


class AgreementFields(TypedDict):
    """The fields of `Agreement`."""

    comparable: int
    agreeing: int
    p_agree: float | None
    p_chance: float | None
    kappa: float | None
    low: float | None
    high: float | None
    reason: NotEstimable | None
    no_interval: NoInterval | None


def agreement_fields(
    comparable: int,
    agreeing: int,
    p_agree: float,
    p_chance: float,
    interval: Interval,
) -> AgreementFields:
    """Return the fields of `Agreement`; NaN becomes None, with the reason."""
    kappa = float(kappa_of(np.array(p_agree), np.array(p_chance)))
    fields: AgreementFields = {
        "comparable": comparable,
        "agreeing": agreeing,
        "p_agree": _none_for_nan(p_agree),
        "kappa": kappa,
        "low": interval.low,
        "high": interval.high,
        "reason": None,
        "p_chance": _none_for_nan(p_chance),
        "no_interval": interval.reason,
    }
    if math.isnan(kappa):
        fields["kappa"] = None
        fields["low"] = None
        fields["high"] = None
        fields["no_interval"] = None
        fields["reason"] = NotEstimable.NO_COMPARISON
        if comparable:
            fields["reason"] = NotEstimable.CHANCE_IS_CERTAIN
    return fields


def _none_for_nan(value: float) -> float | None:
    """Return a number; None for NaN."""
    if math.isnan(value):
        return None
    return value


def additive_of(
    chance: Chance,
    categories: int,
    *,
    symmetric: bool,
    of_same_judge: bool = False,
) -> Additive:
    """Return agreement, for a definition of chance, as a function of sums over units.

    Parameters
    ----------
    chance : Chance
        Any but `COHEN`.
    categories : int
        Number of categories of a rating.
    symmetric : bool
    of_same_judge : bool
        Whether judges are compared with themselves, which matters for `CONGER` only.
    """
    chance = member_of(Chance, "chance", chance)
    if chance is Chance.COHEN:
        raise ValueError("chance: Cohen's is not the same for all judges")
    if chance is Chance.FLEISS:
        return fleiss(symmetric=symmetric)
    if chance in {Chance.KRIPPENDORFF, Chance.KRIPPENDORFF_ORDINAL}:
        ordinal = chance is Chance.KRIPPENDORFF_ORDINAL
        return krippendorff(categories, symmetric=symmetric, ordinal=ordinal)
    return pooled(chance, of_same_judge=of_same_judge)
