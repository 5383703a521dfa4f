"""Counted judgments: the integers from which rankings by counts are computed, and effective numbers
of units.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ranking.core.arrays import Int64Array
from ranking.core.counting.counts import (
    Layout,
    Tallies,
    UnitSizes,
    chunks,
    count,
    counts_per_block,
    effective_number_from,
    unit_sizes,
)
from ranking.core.counting.moments import (
    MIN_UNITS,
    AllMoments,
    Moments,
    all_moments,
    second_moments,
    units_of,
)
from ranking.core.counting.resampling import Level, Resampling
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import Method
from ranking.core.sharding import Engine, in_threads, map_shards
from ranking.core.words import word_check


@dataclass(frozen=True)
class EffectiveUnits:
    """Effective numbers of units, see `ranking.core.counting.counts`.

    Attributes
    ----------
    segments, judges : float
        0 without any comparison.
    documents : float or None
        None if documents are not known.
    """

    segments: float
    judges: float
    documents: float | None = None


def effective_units(blocks: Blocks, method: Method) -> EffectiveUnits:
    """Compute the effective numbers of segments, judges and documents.

    They equal those of `ranking.core.counting.moments.Moments.effective`, but need no moments.

    Parameters
    ----------
    blocks : Blocks
    method : Method
        The size of a unit is the number of its comparisons that this method counts, with ties only
        if the method uses them.

    Returns
    -------
    EffectiveUnits
    """
    sizes = counts_per_block(blocks, method.layout(len(blocks.systems)))
    return effective_units_of_sizes(unit_sizes(blocks, sizes))


def effective_units_of_sizes(sizes: UnitSizes) -> EffectiveUnits:
    """Compute the effective numbers of segments, judges and documents from their sizes."""
    numbers = []
    for square in sizes.squares:
        numbers.append(effective_number_from(sizes.total, square))
    return EffectiveUnits(*numbers)


#: Levels whose resamples, with weighted units, are counted together with the judgments.
RESAMPLED: tuple[Level, ...] = ("blocks", "segments", "judges")


@dataclass(frozen=True, eq=False)
class CountedJudgments:
    """Counts of the judgments of one test set over n systems.

    They are integers, so the same judgments give the same counts regardless of the order of
    addition, and equal counts give bit-identical rankings.

    Attributes
    ----------
    systems : tuple of str, length n
    layout : Layout
        Layout of `cells`, with ties.
    cells : int64, shape (m,)
    blocks, segments, judges, documents : int
        Numbers of judged blocks, and of their segments, judges and documents; 0 if documents are
        unknown.
    sizes : UnitSizes
        Sizes of units, in comparisons that the method counts.
    moments : AllMoments or None
        In the method's layout, for ranges over segments and judges.
    resampled : int64, shape (R, m'), or None
        Counts in resamples, in the method's layout, for ranges over blocks, segments or judges.
    units : int64, shape (k, k), or None
        Second moments of the used cells over these units, for standard errors.
    """

    systems: tuple[str, ...]
    layout: Layout
    cells: Int64Array
    blocks: int
    segments: int
    judges: int
    documents: int
    sizes: UnitSizes
    moments: AllMoments | None = None
    resampled: Int64Array | None = None
    units: Int64Array | None = None

    def __post_init__(self) -> None:
        # Formulas add floats in memory order, which must not depend on the origin of the counts.
        object.__setattr__(
            self,
            "cells",
            np.ascontiguousarray(self.cells, dtype=np.int64),
        )
        if self.resampled is not None:
            whole = np.ascontiguousarray(self.resampled, dtype=np.int64)
            object.__setattr__(self, "resampled", whole)

    @property
    def tallies(self) -> Tallies:
        """Wins and ties."""
        n = len(self.systems)
        pairs = n * n
        wins = self.cells[:pairs].reshape(n, n)
        ties_above = self.cells[pairs : 2 * pairs].reshape(n, n)
        return Tallies(self.systems, wins, ties=ties_above + ties_above.T)

    def cells_for(self, method: Method) -> Int64Array:
        """Return the counts in a method's layout, shape (m',)."""
        layout = method.layout(len(self.systems))
        return self.cells[layout.cells_in(self.layout)]

    def chosen_moments(
        self,
        method: Method,
        *,
        fewest_documents: float = MIN_UNITS,
    ) -> Moments:
        """Return the moments for a variance over segments and judges, see `AllMoments.chosen`.

        Raises
        ------
        ValueError
            If no moments were counted.
        """
        if self.moments is None:
            raise ValueError("resample: no moments of segments and judges were counted")
        return self.moments.chosen(
            self.cells_for(method),
            several_documents=self.documents > 1,
            fewest_documents=fewest_documents,
        )

    def of_systems(self, indices: Int64Array, method: Method) -> CountedJudgments:
        """Return the counts of the comparisons between some of the systems.

        They are those of the blocks without the other systems, except for `sizes`, which are
        unchanged.

        Parameters
        ----------
        indices : int64, shape (n',)
            Indices of the systems, ascending.
        method : Method
            The method for which judgments were counted.
        """
        n = len(self.systems)
        if len(indices) == n:
            return self
        method_layout = method.layout(n)
        used = method_layout.used_of(indices)
        moments = self.moments
        if moments is not None:
            moments = moments.of_cells(used)
        resampled = self.resampled
        if resampled is not None:
            resampled = resampled[:, method_layout.cells_of(indices)]
        units = self.units
        if units is not None:
            units = units[np.ix_(used, used)]
        return replace(
            self,
            systems=tuple(self.systems[index] for index in indices.tolist()),
            layout=replace(self.layout, systems=len(indices)),
            cells=self.cells[self.layout.cells_of(indices)],
            moments=moments,
            resampled=resampled,
            units=units,
        )

    def of_group(self, group: Int64Array, method: Method) -> CountedJudgments:
        """Return the counts of a group of systems that is not connected with the others.

        Unlike in `of_systems`, blocks and sizes of units are the group's own. Without moments, they
        are derived from its share of the comparisons, with at most as many units as blocks.

        Parameters
        ----------
        group : int64, shape (n',)
            Indices of the systems, ascending.
        method : Method
            The method for which judgments were counted.
        """
        counts = self.of_systems(group, method)
        every = self.tallies.comparisons
        blocks = 0
        if every:
            blocks = self.blocks * counts.tallies.comparisons // every
        used = method.layout(len(group)).used
        total = int(counts.cells_for(method)[used].sum())
        moments = counts.moments
        squares = []
        if moments is None or not total:
            for square in self.sizes.squares:
                least = _least_squares(
                    total=total,
                    of_all=self.sizes.total,
                    squares=square,
                    blocks=blocks,
                )
                squares.append(least)
            return replace(counts, blocks=blocks, sizes=UnitSizes(total, *squares))
        for products in (moments.segments, moments.judges, moments.documents):
            if products is not None:
                squares.append(int(products.sum()))
        # If other groups have smaller blocks, the share is too large.
        alike = int(effective_number_from(total, int(moments.blocks.sum())))
        return replace(
            counts,
            blocks=min(blocks, alike),
            sizes=UnitSizes(total, *squares),
        )


def _least_squares(total: int, of_all: int, squares: int, blocks: int) -> int:
    """Return the sum of squares for the effective number of units of all groups, but at most the
    number of blocks.
    """
    most = min(effective_number_from(of_all, squares), float(blocks))
    if most:
        return math.ceil(total**2 / most)
    return 0


def layout_with_ties(method: Method, systems: int) -> Layout:
    """Return the layout counted for a method: its own cells, and ties."""
    return replace(method.layout(systems), ties=True)


def count_judgments(
    blocks: Blocks,
    method: Method,
    *,
    keeps: Level | None,
    resamples: int,
    seed: int,
    engine: Engine | None = None,
) -> CountedJudgments:
    """Count judgments for a method.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    method : Method
    keeps : Level or None
        Further counts in addition to wins and ties: "two_way" for moments; "blocks", "segments" or
        "judges" for resamples of these units; None for nothing.
    resamples : int
        Number R of resamples.
    seed : int
        0 ≤ seed < 2**64, of the resamples.
    engine : Engine, optional
        Where to compute; this thread if not given. Does not affect the result.

    Returns
    -------
    CountedJudgments
    """
    if keeps is not None:
        word_check("keeps", keeps, Level)
    documents = 0
    if blocks.document is not None:
        documents = len(np.unique(blocks.document))
    n = len(blocks.systems)
    layout = layout_with_ties(method, n)
    method_layout = method.layout(n)
    moments = None
    resampled = None
    units = None
    if keeps == "two_way":
        moments = all_moments(blocks, method_layout)
    elif keeps in ("blocks", "segments", "judges"):
        units = second_moments(blocks, method_layout, units_of(blocks, keeps))
        resampled = _resampled_counts(
            blocks=blocks,
            layout=method_layout,
            resampling=Resampling(keeps, seed),
            resamples=resamples,
            engine=engine,
        )
    return CountedJudgments(
        systems=blocks.systems,
        layout=layout,
        cells=count(blocks, layout),
        blocks=len(blocks),
        segments=len(np.unique(blocks.segment)),
        judges=len(np.unique(blocks.judge)),
        documents=documents,
        sizes=unit_sizes(blocks, counts_per_block(blocks, method_layout)),
        moments=moments,
        resampled=resampled,
        units=units,
    )


def _resampled_counts(
    blocks: Blocks,
    layout: Layout,
    resampling: Resampling,
    resamples: int,
    engine: Engine | None,
) -> Int64Array:
    workers = 1
    if engine is not None:
        workers = engine.workers
    ids = []
    for part in chunks(resamples, math.ceil(resamples / workers)):
        ids.append(range(part.start, part.stop))
    work = partial(_counted_resamples, blocks, layout, resampling)
    return np.concatenate(map_shards(work, ids, engine=engine))


@in_threads
def _counted_resamples(
    blocks: Blocks,
    layout: Layout,
    resampling: Resampling,
    ids: range,
) -> Int64Array:
    return resampling.counts(blocks, layout, ids)
