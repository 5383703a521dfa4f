"""Hours and days until a target, from the pace of judges and from the work done on past days, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from ranking.core.arrays import FloatArray

#: Silent reading of English non-fiction takes 238 words a minute (Brysbaert 2019, a meta-analysis
#: of 190 studies). No measurement of ranking is known: every word is assumed to be read twice.
DEFAULT_SECONDS = 2 * 60 / 238
#: The assumption may be wrong by this factor in both directions: a word read once, or four times.
DEFAULT_FACTOR = 2.0
#: Below, judgments say less than the assumption does.
FEWEST_JUDGES, FEWEST_BLOCKS = 3, 30
_FARTHEST = 100.0


@dataclass(frozen=True, kw_only=True)
class ReadingPace:
    """Seconds of active time for a word that is shown.

    Attributes
    ----------
    seconds, low, high : float
        The interval holds the mean pace of as many other judges like these with 95 %; where nothing is
        measured it is an assumption.
    judges, blocks : int
        What was measured; 0 where it is assumed.
    error : float
        Standard error of the logarithm.
    degrees_of_freedom : float
        Of Student's t that the logarithm is distributed by; infinite for a normal distribution.
    """

    seconds: float
    low: float
    high: float
    judges: int = 0
    blocks: int = 0
    error: float = 0.0
    degrees_of_freedom: float = np.inf

    def quantiles(self, shares: npt.ArrayLike) -> FloatArray:
        """Return quantiles of the pace of those who judge the rest, for shares between 0 and 1."""
        deviate = stdtrit(self.degrees_of_freedom, np.asarray(shares))
        farthest = np.log(_FARTHEST)
        return np.asarray(self.seconds * np.exp(np.clip(self.error * deviate, -farthest, farthest)))

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
        """True if it comes from judgments."""
        return self.judges > 0


ASSUMED_PACE = ReadingPace(
    seconds=DEFAULT_SECONDS,
    low=DEFAULT_SECONDS / DEFAULT_FACTOR,
    high=DEFAULT_SECONDS * DEFAULT_FACTOR,
    # The factor is the end of an interval of 95 %.
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

    The pace is Σ seconds / Σ words. Judges differ more than blocks do, so the variance is that between
    judges (linearised, on the logarithm), and twice that: those who judge the rest are others like these.
    Where a few judges did most of the work, it is as if there were fewer of them: (Σ w)² / Σ w², w the
    words of each; Student's t with one degree of freedom less.

    Returns
    -------
    ReadingPace or None
        None with fewer than three judges or thirty blocks.
    """
    who, index = np.unique(np.asarray(judges), return_inverse=True)
    if len(who) < FEWEST_JUDGES or len(index) < FEWEST_BLOCKS:
        return None
    read = np.bincount(index, weights=np.asarray(words, dtype=np.float64))
    took = np.bincount(index, weights=np.asarray(seconds, dtype=np.float64))
    return pace_of_judges(read, took, blocks=len(index), confidence=confidence)


def pace_of_judges(
    words: npt.ArrayLike, seconds: npt.ArrayLike, *, blocks: int, confidence: float = 0.95
) -> ReadingPace | None:
    """Measure the pace from each judge's sums, as `reading_pace` does; with blocks for words, that of a block."""
    read = np.asarray(words, dtype=np.float64)
    took = np.asarray(seconds, dtype=np.float64)
    if len(read) < FEWEST_JUDGES or blocks < FEWEST_BLOCKS:
        return None
    if read.sum() <= 0 or took.sum() <= 0:
        return None
    pace = took.sum() / read.sum()
    effective = max(2.0, read.sum() ** 2 / (read**2).sum())
    residual = took - pace * read
    variance = (residual**2).sum() * effective / (effective - 1) / read.sum() ** 2
    error = float(np.sqrt(2 * variance)) / pace
    reach = float(stdtrit(effective - 1, (1 + confidence) / 2)) * error
    # Beyond a factor of a hundred nothing is known anyway.
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
    """Days until the end, with an interval; `high` is None where no end is in sight."""

    days: float
    low: float
    high: float | None


def forecast_end(done: Sequence[int], left: int, *, confidence: float = 0.95) -> EndOfWork | None:
    """Forecast in how many days the rest of some work will be done.

    Days to come are taken to be like these, each by chance as different from their mean as these are
    from one another. The sum of D such days differs from D times the mean of n days with variance
    s² (D + D² / n); the interval is of all D whose sum may be what is left (Fieller's interval with
    Student's t), so that it allows for the few days the mean comes from. Days that differ by habit, as
    weekends do, widen it: take whole weeks.

    Parameters
    ----------
    done : sequence of int
        What was done on each of n ≥ 2 consecutive whole days.
    left : int
        What is left to do.
    confidence : float

    Returns
    -------
    EndOfWork or None
        In days from the end of the last of these; None if nothing was done.

    Raises
    ------
    ValueError
        If there are fewer than two days, or a number is negative.
    """
    days = np.asarray(done, dtype=np.float64)
    if len(days) < 2:
        raise ValueError(f"done: expected two days or more, got {len(days)}")
    if left < 0 or np.any(days < 0):
        raise ValueError("done, left: expected no negative number")
    if left == 0:
        return EndOfWork(0, 0, 0)
    if not days.any():
        return None
    shares = [(1 - confidence) / 2, (1 + confidence) / 2]
    [[low, high]] = end_quantiles(done, [left], shares).tolist()
    return EndOfWork(left / float(days.mean()), low, None if np.isinf(high) else high)


def end_quantiles(done: Sequence[int], left: npt.ArrayLike, shares: npt.ArrayLike) -> FloatArray:
    """Return quantiles of the days until the end, for each of some amounts that may be left.

    Those of shares (1 ± confidence) / 2 are the ends of the interval of `forecast_end`.

    Parameters
    ----------
    done : sequence of int
        What was done on each of n ≥ 2 consecutive whole days, at least something.
    left : float, shape (E,)
        May be infinite.
    shares : float, shape (G,)
        Between 0 and 1.

    Returns
    -------
    float64, shape (E, G)
        Infinite where no end is in sight.
    """
    days = np.asarray(done, dtype=np.float64)
    mean = float(days.mean())
    width = stdtrit(len(days) - 1, np.asarray(shares)) ** 2 * float(days.var(ddof=1))
    late = np.asarray(shares) > 0.5
    rest = np.asarray(left, dtype=np.float64)[:, np.newaxis]
    is_finite = np.isfinite(rest)
    known = np.where(is_finite, rest, 1.0)
    # The ends solve (left − D mean)² = width (D + D² / n); the smaller one is written so that `square` may be 0 or less.
    square, line = mean**2 - width / len(days), 2 * known * mean + width
    root = np.sqrt(np.maximum(0.0, line**2 - 4 * square * known**2))
    low = np.divide(2 * known**2, line + root, out=np.zeros_like(root), where=known > 0)
    high = np.full_like(root, np.inf)
    np.divide(line + root, 2 * square, out=high, where=np.broadcast_to(square > 0, root.shape))
    found = np.where(late, np.where(known > 0, high, 0.0), low)
    return np.asarray(np.where(is_finite, found, np.inf))


#: Number of paces, spread evenly over their range, that are combined with each number of judgments.
_PACES = 200


@dataclass(frozen=True, kw_only=True)
class Ahead:
    """Work that a target takes, or None beyond the horizon.

    Attributes
    ----------
    value : float or None
        Half of what may come is below.
    low, high : float or None
        A share `confidence` of what may come lies between these.
    """

    value: float | None
    low: float | None
    high: float | None


def judgments_ahead(more: npt.ArrayLike, *, confidence: float = 0.95) -> Ahead:
    """Return how many judgments a target takes, with an interval; `more` and `confidence` as for `hours_ahead`."""
    return _ahead(np.asarray(more, dtype=np.float64), confidence)


def hours_ahead(more: npt.ArrayLike, pace: ReadingPace, *, confidence: float = 0.95) -> Ahead:
    """Return the hours of active time that a target takes.

    Both are uncertain, and neither depends on the other: each of the likely numbers of judgments is combined with
    each of 200 paces, the quantiles 1/400, 3/400 … of what the pace of those who judge the rest may be, and the
    quantiles of all these products are returned.

    Parameters
    ----------
    more : sequence of float
        Judgments still to make in each of E simulated campaigns that are equally likely; infinite where a campaign
        does not reach the target. One number if it is known.
    pace : ReadingPace
        Its `seconds` are those of a judgment.
    confidence : float
        Between 0 and 1: the share of the likely hours that the interval holds.

    Returns
    -------
    Ahead
        In hours; infinite where the target may not be reached.
    """
    needs = np.asarray(more, dtype=np.float64)
    hours = np.outer(needs, pace.quantiles(_shares())) / 3600
    return _ahead(np.where(needs[:, np.newaxis] == 0, 0.0, hours).ravel(), confidence)


def days_ahead(
    more: npt.ArrayLike, done: Sequence[int], *, confidence: float = 0.95
) -> Ahead | None:
    """Return the days that a target takes, from the end of the last of the days that are over.

    As `hours_ahead`, with the quantiles of the days that a number of judgments may take after what was done on each
    of some days (`ranking.core.simulation.work_ahead`).

    Parameters
    ----------
    more : sequence of float
    done : sequence of int
        Judgments of each of n ≥ 2 whole days in a row.
    confidence : float

    Returns
    -------
    Ahead or None
        None if nothing was done on any of them.
    """
    if not any(done):
        return None
    days = end_quantiles(done, np.asarray(more, dtype=np.float64), _shares())
    return _ahead(days.ravel(), confidence)


def _shares() -> FloatArray:
    return (np.arange(_PACES) + 0.5) / _PACES


def _ahead(values: FloatArray, confidence: float) -> Ahead:
    tail = (1 - confidence) / 2
    return Ahead(
        value=_known(float(np.quantile(values, 0.5, method="inverted_cdf"))),
        low=_known(float(np.quantile(values, tail, method="lower"))),
        high=_known(float(np.quantile(values, 1 - tail, method="higher"))),
    )


def _known(value: float) -> float | None:
    return None if np.isinf(value) else value
