"""What was judged in one way, and how long it took, in resamples of segments and of judges."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from ranking.core.counting.bootstrap import bootstrap_wins, poisson_weights
from ranking.core.counting.resampling import segment_keys, unit_keys
from ranking.core.counting.tallies import chunks, tally
from ranking.core.judged.blocks import Blocks, UInt64Array

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: What is resampled: segments, judges, or what a judge judged of a segment.
Unit = Literal["segments", "judges", "cells"]
UNITS: tuple[Unit, ...] = get_args(Unit)
_SECONDS_PER_HOUR = 3600
_AT_A_TIME = 1024


@dataclass(frozen=True, eq=False)
class ActiveTime:
    """The active time that judges took for segments, that of changes included.

    Attributes
    ----------
    seconds : float64, shape (T,)
        At least 0; NaN where it was not measured.
    segment : int64, shape (T,)
        Number of the segment, as in `Blocks.segment`.
    judge : tuple of str, length T
        Pseudonym of who judged it.

    Raises
    ------
    ValueError
        If the columns are not equally long, or a time is negative.
    """

    seconds: FloatArray
    segment: Int64Array
    judge: tuple[str, ...]

    def __post_init__(self) -> None:
        if not len(self.seconds) == len(self.segment) == len(self.judge):
            raise ValueError("seconds, segment, judge: expected one of each")
        if np.any(self.seconds < 0):
            raise ValueError("seconds: expected none below 0")

    @cached_property
    def hours(self) -> float | None:
        """Hours of all; None if any time was not measured, or all are 0."""
        total = float(self.seconds.sum()) / _SECONDS_PER_HOUR
        return total if total > 0 else None  # NaN is not more than 0


@dataclass(frozen=True, eq=False)
class TimedTask(ABC):
    """What was judged in one way.

    Attributes
    ----------
    name : str
        By what callers know it.
    blocks : Blocks
        B judged blocks. Segments and judges of several tasks are the same where their numbers and pseudonyms are.
    time : ActiveTime
        Of judges of these blocks.

    Raises
    ------
    ValueError
        If there is no block, or somebody took time who judged none.
    """

    name: str
    blocks: Blocks
    time: ActiveTime

    def __post_init__(self) -> None:
        if not len(self.blocks):
            raise ValueError("blocks: expected at least one")
        if not set(self.time.judge) <= self._judge_keys.keys():
            raise ValueError("time: of a judge who judged no block")

    @property
    @abstractmethod
    def systems(self) -> tuple[str, ...]:
        """The n systems of which anything says how they compare."""

    @abstractmethod
    def wins(self) -> Int64Array:
        """Return how often each system was better than each other one, shape (n, n)."""

    @abstractmethod
    def wins_resampled(self, unit: Unit, *, seed: int, resamples: int) -> Int64Array:
        """Return the same in resamples of units, shape (R, n, n).

        A unit has the same weight in every task, and in `hours_resampled`, with the same seed.
        """

    @property
    def fewest_units(self) -> int:
        """The number of segments or that of judges, whichever is smaller."""
        return min(len(np.unique(self.blocks.segment)), len(self._judge_keys))

    def hours_resampled(self, unit: Unit, *, seed: int, resamples: int) -> FloatArray:
        """Return the hours in resamples of units, shape (R,).

        Parameters
        ----------
        unit : "segments", "judges" or "cells"
        seed, resamples : int
            As for `ranking.core.counting.bootstrap.poisson_weights`.
        """
        keys = self._keys(unit, self.time.segment, self.time.judge)
        hours = np.zeros(resamples)
        for rows in chunks(len(keys), _AT_A_TIME):
            weights = poisson_weights(keys[rows], seed=seed, resamples=resamples)
            hours += (self.time.seconds[rows, np.newaxis] * weights).sum(axis=0)
        return hours / _SECONDS_PER_HOUR

    @cached_property
    def _judge_keys(self) -> Mapping[str, np.uint64]:
        index, rows = np.unique(self.blocks.judge, return_index=True)
        keys = unit_keys(self.blocks, "judges")[rows]
        return {self.blocks.judges[n]: key for n, key in zip(index.tolist(), keys, strict=True)}

    def _keys(
        self, unit: Unit, segment: npt.NDArray[np.integer], judges: Sequence[str]
    ) -> UInt64Array:
        if unit == "segments":
            return segment_keys(segment)
        of_judge = np.array([self._judge_keys[name] for name in judges], dtype=np.uint64)
        # Keys are hashes, so a pair's may be made of its two.
        return of_judge if unit == "judges" else of_judge ^ segment_keys(segment)


@dataclass(frozen=True, eq=False)
class JudgedTask(TimedTask):
    """A task whose blocks show outputs side by side: systems are compared within blocks."""

    @cached_property
    def compared(self) -> Blocks:
        """The blocks over those systems that were compared with any other."""
        tallies = tally(self.blocks)
        met = (tallies.wins + tallies.wins.T + tallies.ties).sum(axis=1)
        systems = zip(self.blocks.systems, met.tolist(), strict=True)
        return self.blocks.without([name for name, comparisons in systems if not comparisons])

    @property
    def systems(self) -> tuple[str, ...]:
        """Those that were compared with any other."""
        return self.compared.systems

    def wins(self) -> Int64Array:
        """Return the comparisons that each system won against each other one, shape (n, n)."""
        return tally(self.compared).wins

    def wins_resampled(self, unit: Unit, *, seed: int, resamples: int) -> Int64Array:
        """Return the same in resamples of units, shape (R, n, n)."""
        return bootstrap_wins(self.keyed(unit), resamples=resamples, seed=seed)

    def keyed(self, unit: Unit) -> Blocks:
        """Return the compared blocks with the keys of their units, so that `bootstrap_counts` resamples these."""
        names = [self.blocks.judges[index] for index in self.blocks.judge.tolist()]
        return replace(self.compared, key=self._keys(unit, self.blocks.segment, names))
