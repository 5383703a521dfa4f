"""Campaigns that grow, and what may be said about them at each look.

Each block changes a few products of the moments, so that a look costs the same early and late.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from ranking.core.anytime import (
    AnytimeRanges,
    anytime_ranges_of_moments,
    scores_and_influence,
    separated,
)
from ranking.core.counting.counts import Layout
from ranking.core.counting.moments import Moments
from ranking.core.uncertainty import ScoreCovariance, two_way_covariance
from tests.worlds import World, draw_campaign

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

LOOKS = 60
LEVEL = 0.05


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A world, and how its campaign comes in.

    Attributes
    ----------
    name : str
    world : World
    in_order_of : "segment" or "judge", optional
        All blocks of one before those of the next.
    documents : bool
        Whether documents of ten segments are given.
    """

    name: str
    world: World
    in_order_of: str | None = None
    documents: bool = False


class Growing:
    """Moments of a campaign that grows: each block changes a few products."""

    def __init__(self, systems: int, units: tuple[int, int, int]) -> None:
        self.systems = systems
        self.layout = Layout(systems)
        k = len(self.layout.used)
        self._counts = [np.zeros((count, k)) for count in units]
        self._moments = [np.zeros((k, k)) for _ in units]
        self._cells = np.zeros(self.layout.size, dtype=np.int64)

    def add(self, labels: npt.NDArray[np.int8], units: tuple[Int64Array, ...]) -> None:
        """Add blocks; `units` are the numbers of their segment, judge, and both together."""
        # No label is neither below nor above another.
        below = np.where(labels == 0, np.int8(127), labels)
        cells = (below[:, :, np.newaxis] < labels[:, np.newaxis, :]).reshape(
            len(labels),
            -1,
        )
        self._cells += cells.sum(axis=0)
        used = cells[:, self.layout.used].astype(np.float64)
        for index, unit in enumerate(units):
            counts, touched = self._counts[index], np.unique(unit)
            self._moments[index] -= counts[touched].T @ counts[touched]
            np.add.at(counts, unit, used)
            self._moments[index] += counts[touched].T @ counts[touched]

    def moments(self) -> Moments:
        """Return what `ranking.core.counting.moments` would count of all blocks so far."""
        segments, judges, both = (each.astype(np.int64) for each in self._moments)
        return Moments(
            cells=self._cells.copy(),
            blocks=both,
            segments=segments,
            judges=judges,
        )

    @property
    def wins(self) -> Int64Array:
        """Wins so far, shape (n, n)."""
        return self._cells.reshape(self.systems, self.systems)


class Look:
    """What each method says at one look: ``[a, b]``, a is better than b."""

    def __init__(self, growing: Growing, systems: tuple[str, ...]) -> None:
        self._wins, self._moments = growing.wins.copy(), growing.moments()
        self.systems = systems
        self.pairs = len(systems) * (len(systems) - 1) // 2

    @cached_property
    def anytime(self) -> AnytimeRanges:
        """What may be looked at."""
        return anytime_ranges_of_moments(self._moments, self.systems)

    @property
    def independent(self) -> BoolArray:
        """Of all pairs together, if comparisons were independent."""
        return separated(self._wins, confidence=1 - LEVEL / self.pairs)

    @property
    def two_way(self) -> BoolArray:
        """Of all pairs together, by tests that are right at one look."""
        return self._in_errors > -float(
            stdtrit(self._degrees_of_freedom, LEVEL / self.pairs / 2),
        )

    @property
    def _degrees_of_freedom(self) -> float:
        return self._two_way.degrees_of_freedom

    @cached_property
    def _scored(self) -> tuple[FloatArray, FloatArray]:
        scores, influence = scores_and_influence(self._moments, len(self.systems))
        return scores.values, influence

    @cached_property
    def _two_way(self) -> ScoreCovariance:
        return two_way_covariance(self._moments, self._scored[1])

    @cached_property
    def _in_errors(self) -> FloatArray:
        """Differences, in standard errors."""
        values, matrix = self._scored[0], self._two_way.matrix
        own = np.diag(matrix)
        variance = own[:, np.newaxis] + own - 2 * matrix
        difference = values[:, np.newaxis] - values
        # With a variance of 0 a test would reject anything: nothing is said instead.
        known = variance > 0
        return np.asarray(
            np.where(known, difference / np.sqrt(np.where(known, variance, 1)), 0),
        )


def looks(
    setting: Setting,
    seed: int,
    step: int,
    number: int = LOOKS,
) -> Iterator[tuple[Look, FloatArray]]:
    """Look at a campaign as it grows; with each look come the true qualities."""
    blocks, truth = draw_campaign(replace(setting.world, blocks=number * step), seed)
    segment, judge = blocks.segment.astype(np.int64), blocks.judge.astype(np.int64)
    if setting.in_order_of is not None:
        order = np.argsort(
            segment if setting.in_order_of == "segment" else judge,
            kind="stable",
        )
    else:
        order = np.arange(len(blocks))
    labels, segment, judge = blocks.labels[order], segment[order], judge[order]
    unit = segment // 10 if setting.documents else segment
    # As with documents: what a judge did of a document belongs together.
    both = (
        unit * setting.world.judges + judge
        if setting.documents
        else np.arange(len(blocks))
    )
    numbered = [np.unique(each, return_inverse=True)[1] for each in (unit, judge, both)]
    sizes = (*(int(each.max()) + 1 for each in numbered),)
    growing = Growing(setting.world.systems, (sizes[0], sizes[1], sizes[2]))
    for look in range(number):
        rows = slice(look * step, (look + 1) * step)
        growing.add(labels[rows], tuple(each[rows] for each in numbered))
        yield Look(growing, blocks.systems), truth
