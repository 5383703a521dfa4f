"""Hours and days until a target, with intervals, from judges' pace and from the work done on past
days.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from ranking.core.arrays import FloatArray, as_column
from ranking.core.estimates import t_quantile

#: The silent reading speed for English non-fiction is 238 words per minute (Brysbaert 2019, a
#: meta-analysis of 190 studies). No measurement for ranking is known, so every word is assumed to
#: be read twice.
DEFAULT_SECONDS = 2 * 60 / 238
#: The assumption may be off by this factor in both directions: words may be read once, or four
#: times.
DEFAULT_FACTOR = 2.0
#: With fewer, judgments are less informative than the assumption.
FEWEST_JUDGES = 3
FEWEST_BLOCKS = 30
_FARTHEST = 100.0


@dataclass(frozen=True, kw_only=True)
class ReadingPace:
    """Seconds of active time per word shown.

    Attributes
    ----------
    seconds, low, high : float
        The 95% interval is for the mean pace of as many other similar judges; without measurements,
        it is an assumption.
    judges, blocks : int
        Numbers of measured judges and blocks; 0 if the pace is assumed.
    error : float
        Standard error of the logarithm.
    degrees_of_freedom : float
        Degrees of freedom of the Student's t distribution of the logarithm; infinite for a normal
        distribution.
    """

    seconds: float
    low: float
    high: float
    judges: int = 0
    blocks: int = 0
    error: float = 0.0
    degrees_of_freedom: float = np.inf

    def quantiles(self, shares: npt.ArrayLike) -> FloatArray:
        """Return quantiles of the pace of future judges, for shares between 0 and 1."""
        deviate = stdtrit(self.degrees_of_freedom, np.asarray(shares))
        farthest = np.log(_FARTHEST)
        log_factor = np.clip(self.error * deviate, -farthest, farthest)
        return np.asarray(self.seconds * np.exp(log_factor))

    def times(self, factor: float) -> ReadingPace:
        """Return the pace multiplied by a factor, such as the words of a block."""
        return replace(
            self,
            seconds=self.seconds * factor,
            low=self.low * factor,
            high=self.high * factor,
        )

    @property
    def is_measured(self) -> bool:
        """True if the pace was measured."""
        return self.judges > 0


ASSUMED_PACE = ReadingPace(
    seconds=DEFAULT_SECONDS,
    low=DEFAULT_SECONDS / DEFAULT_FACTOR,
    high=DEFAULT_SECONDS * DEFAULT_FACTOR,
    # The factor is the end of a 95% interval.
    error=float(np.log(DEFAULT_FACTOR) / ndtri(0.975)),
)


def reading_pace(
    judges: Sequence[int],
    words: Sequence[float],
    seconds: Sequence[float],
    *,
    confidence: float = 0.95,
) -> ReadingPace | None:
    """Measure the pace from the judge, the number of words and the seconds of each block.

    The pace is Σ seconds / Σ words. Judges differ more than blocks, so the variance is that between
    judges (linearised, on the logarithm), doubled because future judges are other similar ones. If
    a few judges did most of the work, their effective number is smaller: (Σ w)² / Σ w² for w words
    each. Student's t has one degree of freedom fewer.

    Returns
    -------
    ReadingPace or None
        None with fewer than three judges or thirty blocks.
    """
    _judges, index = np.unique(np.asarray(judges), return_inverse=True)
    read = np.bincount(index, weights=np.asarray(words, dtype=np.float64))
    took = np.bincount(index, weights=np.asarray(seconds, dtype=np.float64))
    return pace_of_judges(read, took, blocks=len(index), confidence=confidence)


def pace_of_judges(
    words: npt.ArrayLike,
    seconds: npt.ArrayLike,
    *,
    blocks: int,
    confidence: float = 0.95,
) -> ReadingPace | None:
    """Measure the pace from each judge's sums, as in `reading_pace`; with blocks instead of words,
    the pace per block.
    """
    read = np.asarray(words, dtype=np.float64)
    took = np.asarray(seconds, dtype=np.float64)
    if len(read) < FEWEST_JUDGES or blocks < FEWEST_BLOCKS:
        return None
    if read.sum() <= 0 or took.sum() <= 0:
        return None
    total = read.sum()
    pace = took.sum() / total
    effective = max(2.0, total**2 / np.sum(read**2))
    residual = took - pace * read
    squares = np.sum(residual**2)
    variance = squares * effective / (effective - 1) / total**2
    error = float(np.sqrt(2 * variance)) / pace
    quantile = float(t_quantile(confidence, effective - 1))
    reach = quantile * error
    # Beyond a factor of a hundred, the interval is meaningless anyway.
    factor = float(np.exp(min(reach, np.log(_FARTHEST))))
    return ReadingPace(
        seconds=float(pace),
        low=float(pace / factor),
        high=float(pace * factor),
        judges=len(read),
        blocks=blocks,
        error=error,
        degrees_of_freedom=float(effective - 1),
    )


class EndOfWork(NamedTuple):
    """Days until the end, with an interval; `high` is None if no end is in sight."""

    days: float
    low: float
    high: float | None


def forecast_end(
    daily_work: Sequence[int],
    remaining: int,
    *,
    confidence: float = 0.95,
) -> EndOfWork | None:
    """Forecast the number of days until the remaining work is done.

    Future days are assumed to have the same distribution as past ones. The difference between the
    sum of D such days and D times the mean of n days has variance s² (D + D² / n); the interval
    contains all D whose sum may equal the remaining work (Fieller's interval with Student's t), so
    that it accounts for the uncertainty of the mean. Systematic differences between days, such as
    weekends, widen it, so pass whole weeks.

    Parameters
    ----------
    daily_work : sequence of int
        Amount done on each of n ≥ 2 consecutive whole days.
    remaining : int
        Amount left to do.
    confidence : float

    Returns
    -------
    EndOfWork or None
        Days from the end of the last of these days; None if nothing was done.

    Raises
    ------
    ValueError
        If there are fewer than two days, or a number is negative.
    """
    days = np.asarray(daily_work, dtype=np.float64)
    if len(days) < 2:
        raise ValueError(f"daily_work: expected two days or more, got {len(days)}")
    if remaining < 0 or np.any(days < 0):
        raise ValueError("daily_work, remaining: expected no negative number")
    if remaining == 0:
        return EndOfWork(0, 0, 0)
    if not days.any():
        return None
    shares = [(1 - confidence) / 2, (1 + confidence) / 2]
    [[low, high]] = end_quantiles(daily_work, [remaining], shares).tolist()
    return EndOfWork(remaining / float(days.mean()), low, _none_if_infinite(high))


def end_quantiles(
    daily_work: Sequence[int],
    remaining: npt.ArrayLike,
    shares: npt.ArrayLike,
) -> FloatArray:
    """Return quantiles of the days until the end, for each of several possible remaining amounts.

    Quantiles for shares (1 ± confidence) / 2 are the ends of the interval of `forecast_end`.

    Parameters
    ----------
    daily_work : sequence of int
        Amount done on each of n ≥ 2 consecutive whole days, at least something.
    remaining : float, shape (E,)
        Remaining amounts, possibly infinite.
    shares : float, shape (G,)
        Between 0 and 1.

    Returns
    -------
    float64, shape (E, G)
        Infinite if no end is in sight.
    """
    days = np.asarray(daily_work, dtype=np.float64)
    mean = float(days.mean())
    quantile = stdtrit(len(days) - 1, np.asarray(shares))
    width = quantile**2 * float(days.var(ddof=1))
    late = np.asarray(shares) > 0.5
    amounts = np.asarray(remaining, dtype=np.float64)
    rest = as_column(amounts)
    is_finite = np.isfinite(rest)
    amount = np.where(is_finite, rest, 1.0)
    # The ends solve (remaining − D mean)² = width (D + D² / n); the smaller one is written so that
    # `square` may be 0 or negative.
    square = mean**2 - width / len(days)
    line = 2 * amount * mean + width
    discriminant = line**2 - 4 * square * amount**2
    ends = line + np.sqrt(np.maximum(0.0, discriminant))
    low = np.zeros_like(ends)
    high = np.full_like(ends, np.inf)
    np.divide(2 * amount**2, ends, out=low, where=amount > 0)
    is_bounded = np.broadcast_to(square > 0, ends.shape)
    np.divide(ends, 2 * square, out=high, where=is_bounded)
    high = np.where(amount > 0, high, 0.0)
    quantiles = np.where(late, high, low)
    return np.where(is_finite, quantiles, np.inf)


#: Number of evenly spaced pace quantiles that are combined with each number of judgments.
_PACES = 200


@dataclass(frozen=True, kw_only=True)
class Ahead:
    """Work needed for a target; None beyond the horizon.

    Attributes
    ----------
    value : float or None
        Median.
    low, high : float or None
        Interval that contains a share `confidence` of outcomes.
    """

    value: float | None
    low: float | None
    high: float | None


def judgments_ahead(more: npt.ArrayLike, *, confidence: float = 0.95) -> Ahead:
    """Return the number of judgments a target takes, with an interval; `more` and `confidence` as
    for `hours_ahead`.
    """
    return _ahead(np.asarray(more, dtype=np.float64), confidence)


def hours_ahead(
    more: npt.ArrayLike,
    pace: ReadingPace,
    *,
    confidence: float = 0.95,
) -> Ahead:
    """Return the hours of active time that a target takes.

    The number of judgments and the pace are uncertain and independent: each likely number of
    judgments is combined with each of 200 paces, the quantiles 1/400, 3/400 … of future judges'
    pace, and quantiles of all products are returned.

    Parameters
    ----------
    more : sequence of float
        Remaining judgments in each of E equally likely simulated campaigns; infinite if a campaign
        does not reach the target. A single number if it is known.
    pace : ReadingPace
        Pace with `seconds` per judgment.
    confidence : float
        Share of outcomes that the interval contains, between 0 and 1.

    Returns
    -------
    Ahead
        Hours; infinite if the target may not be reached.
    """
    needs = np.asarray(more, dtype=np.float64)
    hours = np.outer(needs, pace.quantiles(_shares())) / 3600
    hours = np.where(as_column(needs) == 0, 0.0, hours)
    return _ahead(hours.ravel(), confidence)


def days_ahead(
    more: npt.ArrayLike,
    daily_work: Sequence[int],
    *,
    confidence: float = 0.95,
) -> Ahead | None:
    """Return the days that a target takes, from the end of the last past day.

    As in `hours_ahead`, but with quantiles of the days that a number of judgments takes, given the
    work on past days (`end_quantiles`).

    Parameters
    ----------
    more : sequence of float
    daily_work : sequence of int
        Number of judgments on each of n ≥ 2 consecutive whole days.
    confidence : float

    Returns
    -------
    Ahead or None
        None if nothing was done on any of them.
    """
    if not any(daily_work):
        return None
    days = end_quantiles(daily_work, np.asarray(more, dtype=np.float64), _shares())
    return _ahead(days.ravel(), confidence)


def _shares() -> FloatArray:
    return (np.arange(_PACES) + 0.5) / _PACES


def _ahead(values: FloatArray, confidence: float) -> Ahead:
    tail = (1 - confidence) / 2
    median = float(np.quantile(values, 0.5, method="inverted_cdf"))
    low = float(np.quantile(values, tail, method="lower"))
    high = float(np.quantile(values, 1 - tail, method="higher"))
    return Ahead(
        value=_none_if_infinite(median),
        low=_none_if_infinite(low),
        high=_none_if_infinite(high),
    )


def _none_if_infinite(value: float) -> float | None:
    if np.isinf(value):
        return None
    return value
