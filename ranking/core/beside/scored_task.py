"""A task whose judges score outputs one by one: systems are compared by their mean scores of a segment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ranking.core.beside.judged_task import TimedTask, Unit
from ranking.core.counting.bootstrap import poisson_weights
from ranking.core.scores import TIE_DECIMALS

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

_AT_A_TIME = 64


@dataclass(frozen=True, eq=False)
class OutputScores:
    """N scores of outputs of n systems, higher is better.

    Attributes
    ----------
    systems : tuple of str, length n
        Each has a score.
    system : int64, shape (N,)
        Index into `systems`.
    segment : int64, shape (N,)
        Number of the segment, as in `Blocks.segment`.
    judge : tuple of str, length N
        Pseudonym of who gave it.
    score : float64, shape (N,)

    Raises
    ------
    ValueError
        If the columns are not equally long, or a system has no score.
    """

    systems: tuple[str, ...]
    system: Int64Array
    segment: Int64Array
    judge: tuple[str, ...]
    score: FloatArray

    def __post_init__(self) -> None:
        columns = (self.system, self.segment, self.judge, self.score)
        if len({len(column) for column in columns}) != 1:
            raise ValueError("system, segment, judge, score: expected one of each a score")
        if set(self.system.tolist()) != set(range(len(self.systems))):
            raise ValueError("systems: expected a score of each")

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[int, str, str, float]]) -> OutputScores | None:
        """Return the scores of rows (segment, judge, system, score), whatever their order; None of no row."""
        ordered = sorted(rows)
        if not ordered:
            return None
        systems = tuple(sorted({system for _segment, _judge, system, _score in ordered}))
        place = {name: number for number, name in enumerate(systems)}
        return cls(
            systems=systems,
            system=np.array([place[system] for *_key, system, _score in ordered], dtype=np.int64),
            segment=np.array([segment for segment, *_others in ordered], dtype=np.int64),
            judge=tuple(judge for _segment, judge, *_others in ordered),
            score=np.array([score for *_others, score in ordered], dtype=np.float64),
        )


@dataclass(frozen=True, eq=False)
class ScoredTask(TimedTask):
    """A task whose blocks show one output.

    A system's score is the mean over its segments, whose scores are averaged first. Of two systems that one wins a segment
    whose mean there is higher.
    """

    scores: OutputScores

    @property
    def systems(self) -> tuple[str, ...]:
        """Those with a score."""
        return self.scores.systems

    def means(self) -> FloatArray:
        """Return the mean of each system, shape (n,)."""
        means: FloatArray = self._means(np.ones((len(self.scores.score), 1)))[0]
        return means

    def means_resampled(self, unit: Unit, *, seed: int, resamples: int) -> FloatArray:
        """Return the same in resamples of units, shape (R, n); NaN for a system without a score there."""
        return np.concatenate(
            [self._means(weights) for weights in self._weights(unit, seed, resamples)]
        )

    def wins(self) -> Int64Array:
        """Return the segments that each system won against each other one, shape (n, n)."""
        wins: Int64Array = self._wins(np.ones((len(self.scores.score), 1)))[0]
        return wins

    def wins_resampled(self, unit: Unit, *, seed: int, resamples: int) -> Int64Array:
        """Return the same in resamples of units, shape (R, n, n).

        A segment counts for a pair of systems as much as the scores of the two there do on average, rounded in the sum.
        """
        return np.concatenate(
            [self._wins(weights) for weights in self._weights(unit, seed, resamples)]
        )

    @cached_property
    def _cell(self) -> Int64Array:
        """The cell of each score among those of segments and systems, shape (N,)."""
        _numbers, row = np.unique(self.scores.segment, return_inverse=True)
        return row * len(self.systems) + self.scores.system

    @cached_property
    def _shape(self) -> tuple[int, int]:
        return len(np.unique(self.scores.segment)), len(self.systems)

    def _by_cell(self, values: FloatArray) -> FloatArray:
        """Return means of values of each segment and system, of shape (N, R) → (S, n, R); NaN where there is none."""
        segments, n = self._shape
        total = np.zeros((segments * n, values.shape[1]))
        np.add.at(total, self._cell, values)
        count = np.bincount(self._cell, minlength=segments * n).astype(np.float64)
        count[count == 0] = np.nan
        return (total / count[:, np.newaxis]).reshape(segments, n, -1)

    def _weights(self, unit: Unit, seed: int, resamples: int) -> list[FloatArray]:
        keys = self._keys(unit, self.scores.segment, self.scores.judge)
        return [
            poisson_weights(
                keys,
                seed=seed,
                resamples=min(_AT_A_TIME, resamples - first),
                first_resample=first,
            ).astype(np.float64)
            for first in range(0, resamples, _AT_A_TIME)
        ]

    def _means(self, weights: FloatArray) -> FloatArray:
        weighted = self._by_cell(weights * self.scores.score[:, np.newaxis])
        total, counted = (np.nansum(each, axis=0) for each in (weighted, self._by_cell(weights)))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((total / counted).T)

    def _wins(self, weights: FloatArray) -> Int64Array:
        n = len(self.systems)
        mean = self._by_cell(self.scores.score[:, np.newaxis])[:, :, 0]
        weight = self._by_cell(weights)
        wins = np.zeros((weights.shape[1], n, n), dtype=np.int64)
        for one in range(n):
            for other in range(n):
                # NaN is not more than 0.
                won = np.round(mean[:, one] - mean[:, other], TIE_DECIMALS) > 0
                both = (weight[won, one] + weight[won, other]) / 2
                wins[:, one, other] = np.rint(both.sum(axis=0))
        return wins
