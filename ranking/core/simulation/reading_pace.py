"""How long judges take for a word, measured from their active time, with an interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

Float64Array = npt.NDArray[np.float64]

#: Silent reading of English non-fiction takes 238 words a minute (Brysbaert 2019, a meta-analysis of 190
#: studies). Nobody has measured what ranking adds: every word is taken to be read twice.
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

    def quantiles(self, shares: npt.ArrayLike) -> Float64Array:
        """Return quantiles of the pace of those who judge the rest, for shares between 0 and 1."""
        from scipy import stats  # a fifth of the time in which Django starts

        deviate = stats.t.ppf(np.asarray(shares), self.degrees_of_freedom)
        farthest = np.log(_FARTHEST)
        return np.asarray(self.seconds * np.exp(np.clip(self.error * deviate, -farthest, farthest)))

    def times(self, factor: float) -> ReadingPace:
        """Return the pace for so many times as much: of a block of so many words."""
        return replace(
            self,
            seconds=self.seconds * factor,
            low=self.low * factor,
            high=self.high * factor,
        )

    @property
    def is_measured(self) -> bool:
        """Whether it comes from judgments."""
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
    """Measure the pace from blocks: by whom, with how many words, in how many seconds.

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
    from scipy import stats  # a fifth of the time in which Django starts

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
    reach = float(stats.t.ppf((1 + confidence) / 2, effective - 1)) * error
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
