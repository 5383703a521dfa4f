"""Intervals of κ over segments and judges, from the values of κ without each of them.

Every pair of judgments that κ counts belongs to one segment and to two judges. Pairs of one segment
are alike, because its outputs are easy or hard to compare for all judges. Pairs with a judge in
common are alike, because judges differ in care. κ of other judges on other segments therefore
varies around ours with about the variance (Cameron, Gelbach & Miller 2011 for two kinds of
clusters, Aronow, Samii & Assenova 2015 for pairs with a member in common)

    V = V_segments + V_judges − V_overlap − V_pairs + V_pairs in segments

Each term sums the squared changes of κ when a unit is left out: a segment; a judge, with all their
pairs; a judge's comparisons of one segment (overlap), whose pairs share both; and the pairs of two
judges, which V_judges counts once for each of the two. V_judges is a delete-one jackknife; so is
V_segments, or its linearised form (`ranking.core.agreement.linear`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: The units that an interval of κ takes for drawn at random.
KappaLevel = Literal["segments", "judges", "two_way"]
KAPPA_LEVELS: tuple[KappaLevel, ...] = get_args(KappaLevel)

#: A variance of κ below this is a rounding error: κ is at most 1, and floats have 16 digits.
_NOTHING = 1e-24
#: With fewer degrees of freedom, an interval holds every possible κ.
_MIN_DEGREES_OF_FREEDOM = 0.5


class NoInterval(StrEnum):
    """Why a κ has no interval; callers put the code into words."""

    TOO_FEW_JUDGES = "too_few_judges"
    """κ is undefined without one of the judges, so their differences cannot be estimated: there are
    two judges, or all pairs are with one judge."""

    TOO_FEW_SEGMENTS = "too_few_segments"
    """κ is undefined without one of the segments, so their differences cannot be estimated."""

    NO_VARIATION = "no_variation"
    """Leaving out any judge or segment changes nothing, for instance if all judges always agree."""


@dataclass(frozen=True, eq=False)
class Spread:
    """κ, and how it changes when part of the judgments are left out.

    Attributes
    ----------
    kappa : float
        κ of all judgments.
    without_segment : float64, shape (S,)
        κ without each segment; NaN where nothing is left to measure it on.
    without_judge : float64, shape (J,)
        κ without each judge. For the κ of one judge with the others: without each of the others.
    overlap : float
        Sum of the squared changes when one judge's comparisons of one segment are left out.
    pairs, pairs_in_segments : float
        The same for the pairs of two judges, and for their pairs on one segment. 0 if no pair is of
        two judges that are both drawn.
    judges : float
        Effective number of judges, see `ranking.core.counting.effective_numbers`.
    """

    kappa: float
    without_segment: FloatArray
    without_judge: FloatArray
    overlap: float
    judges: float
    pairs: float = 0.0
    pairs_in_segments: float = 0.0


@dataclass(frozen=True)
class VarianceParts:
    """κ, and the parts of its variance.

    Attributes
    ----------
    kappa : float
        κ of all judgments.
    of_segments, of_judges : float
        Variances over segments and over judges; NaN where they cannot be estimated.
    segments : int
        Number of segments.
    overlap, judges, pairs, pairs_in_segments : float
        As in `Spread`.
    """

    kappa: float
    of_segments: float
    segments: int
    of_judges: float
    overlap: float
    judges: float
    pairs: float = 0.0
    pairs_in_segments: float = 0.0


def parts_of_spread(spread: Spread) -> VarianceParts:
    """Return the parts of the variance from κ without each segment and without each judge."""
    return VarianceParts(
        kappa=spread.kappa,
        of_segments=jackknife(spread.kappa, spread.without_segment),
        segments=len(spread.without_segment),
        of_judges=jackknife(spread.kappa, spread.without_judge),
        overlap=spread.overlap,
        judges=spread.judges,
        pairs=spread.pairs,
        pairs_in_segments=spread.pairs_in_segments,
    )


@dataclass(frozen=True)
class Interval:
    """Ends of an interval, or the reason why there are none."""

    low: float | None
    high: float | None
    reason: NoInterval | None


@dataclass(frozen=True)
class Variance:
    """A variance of κ, and the degrees of freedom of the t distribution that goes with it."""

    value: float
    degrees_of_freedom: float


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


def variance(spread: Spread | VarianceParts, level: KappaLevel) -> Variance:
    """Estimate the variance of κ over judges, or over segments and judges.

    The degrees of freedom are J (J − 1) / (2 J − 1) for J judges (of equal shares; otherwise for
    their effective number), about half of the usual ones: a variance estimated from J values with
    an excess kurtosis of 2 is as uncertain as one from that many normal values. Judges' care has
    long tails: one careless judge in seven gives that kurtosis. If most of the variance comes from
    segments, there are more degrees of freedom (Satterthwaite 1946).

    Parameters
    ----------
    spread : Spread or VarianceParts
    level : "judges" or "two_way"

    Returns
    -------
    Variance
        NaN where it cannot be estimated.

    Raises
    ------
    ValueError
        If `level` is neither of these.
    """
    parts = parts_of_spread(spread) if isinstance(spread, Spread) else spread
    value, degrees_of_freedom = _variances([parts], level)
    return Variance(float(value[0]), float(degrees_of_freedom[0]))


def _variances(parts: Sequence[VarianceParts], level: KappaLevel) -> tuple[FloatArray, FloatArray]:
    """Return the variance of each κ and its degrees of freedom, as `variance` estimates them."""
    of_segments, of_judges, overlap, judges, pairs, in_segments, segments = (
        np.array([getattr(each, name) for each in parts], dtype=np.float64)
        for name in (
            *("of_segments", "of_judges", "overlap", "judges", "pairs", "pairs_in_segments"),
            "segments",
        )
    )
    degrees_of_freedom = np.where(
        judges > 1, judges * (judges - 1) / (2 * np.maximum(judges, 1) - 1), _MIN_DEGREES_OF_FREEDOM
    )
    degrees_of_freedom = np.maximum(_MIN_DEGREES_OF_FREEDOM, degrees_of_freedom)
    if level == "judges":
        return of_judges, degrees_of_freedom
    if level != "two_way":
        raise ValueError(f"resample: {level!r} is neither judges nor two_way")
    once = of_judges - pairs
    both = of_segments + once - overlap + in_segments
    value = np.maximum(np.maximum(both, of_segments), once)
    # NaN where there are fewer than two segments.
    few = np.maximum(segments - 1, 1)
    uncertain = np.maximum(once, 0.0) ** 2 / degrees_of_freedom + of_segments**2 / few
    found = degrees_of_freedom.copy()
    np.divide(value**2, uncertain, out=found, where=uncertain > 0)
    return value, np.fmax(degrees_of_freedom, found)


def kappa_interval(
    spread: Spread | VarianceParts, level: KappaLevel, *, confidence: float, lowest: float
) -> Interval:
    """Return an interval of κ, by Student's t on the logarithm of 1 − κ.

    1 − κ is the ratio of observed to expected disagreement, (1 − P(A)) / (1 − P(E)), and the
    logarithm of a ratio is closer to normal than the ratio itself. No interval reaches above 1.

    Parameters
    ----------
    spread : Spread or VarianceParts
    level : "judges" or "two_way"
    confidence : float
        Between 0 and 1.
    lowest : float
        The lowest possible κ, −P(E) / (1 − P(E)).

    Returns
    -------
    Interval
    """
    parts = parts_of_spread(spread) if isinstance(spread, Spread) else spread
    [found] = kappa_intervals([parts], level, confidence=confidence, lowest=[lowest])
    return found


def kappa_intervals(
    parts: Sequence[VarianceParts],
    level: KappaLevel,
    *,
    confidence: float,
    lowest: Sequence[float],
) -> list[Interval]:
    """Return the intervals of many κ at once, each as `kappa_interval` does.

    Parameters
    ----------
    parts : sequence of VarianceParts
    level : "judges" or "two_way"
    confidence : float
        Between 0 and 1.
    lowest : sequence of float
        The lowest possible value of each κ.

    Returns
    -------
    list of Interval
    """
    values, degrees_of_freedom = _variances(parts, level)
    quantiles = stdtrit(degrees_of_freedom, (1 + confidence) / 2).tolist()
    return [
        _interval(each, level, value, quantile, least)
        for each, value, quantile, least in zip(
            parts, values.tolist(), quantiles, lowest, strict=True
        )
    ]


def _interval(
    parts: VarianceParts, level: KappaLevel, value: float, quantile: float, lowest: float
) -> Interval:
    if math.isnan(parts.of_judges):
        return _TOO_FEW_JUDGES
    if level == "two_way" and math.isnan(parts.of_segments):
        return _TOO_FEW_SEGMENTS
    if value <= _NOTHING:
        return _NO_VARIATION
    disagreement = 1 - parts.kappa
    # Beyond this, the interval holds every κ, and exp would overflow.
    reach = min(700.0, quantile * math.sqrt(value) / disagreement)
    low = max(lowest, 1 - disagreement * math.exp(reach))
    return Interval(low, 1 - disagreement * math.exp(-reach), None)


_TOO_FEW_JUDGES = Interval(None, None, NoInterval.TOO_FEW_JUDGES)
_TOO_FEW_SEGMENTS = Interval(None, None, NoInterval.TOO_FEW_SEGMENTS)
_NO_VARIATION = Interval(None, None, NoInterval.NO_VARIATION)
