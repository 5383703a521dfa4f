"""Counts that methods compute scores from: wins, ties, and blocks won outright."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.counting.compiled import counting_kernel
from ranking.core.counting.tallies import chunks, tied, won
from ranking.core.judged.blocks import Blocks

Int16Array = npt.NDArray[np.int16]
Int64Array = npt.NDArray[np.int64]

_BLOCKS_AT_A_TIME = 1024


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of n systems, possibly in many resamples at once.

    Attributes
    ----------
    wins : int64, shape (..., n, n)
        ``wins[..., a, b]`` comparisons won by a against b; the diagonal is 0.
    ties : int64, shape (..., n, n), or None
        ``ties[..., a, b] == ties[..., b, a]`` tied comparisons; None if not counted.
    shown, best, alone : int64, shape (..., n), or None
        Blocks in which the system was compared with another one; blocks in which it was better than
        or equal to all systems compared with it; blocks in which it was better than all of them.
        None if not counted.
    """

    wins: Int64Array
    ties: Int64Array | None = None
    shown: Int64Array | None = None
    best: Int64Array | None = None
    alone: Int64Array | None = None


@dataclass(frozen=True)
class Layout:
    """The cells of a vector of counts for n systems.

    Cell ``a n + b`` counts wins of a over b; then, if `ties`, cell ``n² + a n + b`` with a < b ties
    of a with b; then, if `outright`, n cells each of `shown`, `best` and `alone` (see `Counts`).
    Each judged block adds one to each of some cells, so counts of shards add up.
    """

    systems: int
    ties: bool = False
    outright: bool = False

    @property
    def size(self) -> int:
        """Number of cells, m."""
        n = self.systems
        return n * n * (1 + self.ties) + 3 * n * self.outright

    @property
    def used(self) -> Int64Array:
        """The cells that blocks can add to, ascending, shape (k,).

        No system wins against itself, and each tie is counted once.
        """
        n = self.systems
        apart = ~np.eye(n, dtype=np.bool_)
        parts = [apart.ravel()]
        if self.ties:
            parts.append(np.triu(apart).ravel())
        if self.outright:
            parts.append(np.ones(3 * n, dtype=np.bool_))
        return np.flatnonzero(np.concatenate(parts)).astype(np.int64)

    @property
    def takes_part(self) -> npt.NDArray[np.bool_]:
        """Whether each system takes part in each used cell, shape (n, k)."""
        n = self.systems
        first, second = np.divmod(np.arange(n * n), max(1, n))
        if self.ties:
            first, second = np.tile(first, 2), np.tile(second, 2)
        if self.outright:
            own = np.tile(np.arange(n), 3)
            first, second = np.append(first, own), np.append(second, own)
        system = np.arange(n)[:, np.newaxis]
        found: npt.NDArray[np.bool_] = (first == system) | (second == system)
        return found[:, self.used]

    def cells_in(self, larger: Layout) -> Int64Array:
        """Return the indices of the m cells of this layout in a larger layout, shape (m,)."""
        n = self.systems
        outright = larger.size - 3 * n + np.arange(3 * n * self.outright)
        return np.concatenate([np.arange(n * n * (1 + self.ties)), outright]).astype(np.int64)

    def cells_of(self, kept: Int64Array) -> Int64Array:
        """Return the indices of the cells that compare only some of the systems.

        Parameters
        ----------
        kept : int64, shape (n',)
            Indices of these systems, ascending.

        Returns
        -------
        int64, shape (m',)
            One for each cell of the same layout for n' systems.
        """
        n = self.systems
        pairs = (kept[:, np.newaxis] * n + kept).ravel()
        parts = [pairs, n * n + pairs] if self.ties else [pairs]
        if self.outright:
            start = self.size - 3 * n
            parts += [start + kind * n + kept for kind in range(3)]
        return np.concatenate(parts).astype(np.int64)

    def unpack(self, cells: Int64Array) -> Counts:
        """Return vectors of counts, of shape (..., m), as `Counts`."""
        n, lead = self.systems, cells.shape[:-1]
        ties = shown = best = alone = None
        if self.ties:
            above = cells[..., n * n : 2 * n * n].reshape(*lead, n, n)
            ties = above + np.swapaxes(above, -1, -2)
        if self.outright:
            start = self.size - 3 * n
            shown, best, alone = (cells[..., start + k * n : start + (k + 1) * n] for k in range(3))
        wins = np.ascontiguousarray(cells[..., : n * n]).reshape(*lead, n, n)
        return Counts(wins=wins, ties=ties, shown=shown, best=best, alone=alone)

    def of_blocks(self, blocks: Blocks) -> sparse.csc_array[np.int16]:
        """Return the cells that each block adds to, as a sparse column of ones, shape (m, B).

        This takes O(B n²) memory, so call it with a chunk of blocks at a time.
        """
        count, n = blocks.labels.shape
        beats = won(blocks.labels)
        parts = [beats.reshape(count, n * n)]
        if self.ties or self.outright:
            equal = tied(blocks.labels, blocks.candidates)
            if self.ties:
                parts.append(np.triu(equal).reshape(count, n * n))
            if self.outright:
                lost = np.any(beats, axis=1)
                drew = np.any(equal, axis=1)
                beaten = np.any(beats, axis=2)
                shown = lost | drew | beaten
                parts += [shown, shown & ~lost, shown & ~lost & ~drew]
        block, cell = np.nonzero(np.concatenate(parts, axis=1))
        starts = np.searchsorted(block, np.arange(count + 1))
        ones = np.ones(len(cell), dtype=np.int16)
        return sparse.csc_array((ones, cell, starts), shape=(self.size, count))


def count(
    blocks: Blocks, layout: Layout, weights: npt.NDArray[np.integer] | None = None
) -> Int64Array:
    """Count the cells of a layout over blocks.

    Parameters
    ----------
    blocks : Blocks
        B blocks over the layout's n systems.
    layout : Layout
        The m cells to count.
    weights : integer, shape (B,), optional
        How often each block counts; once if not given.

    Returns
    -------
    int64, shape (m,)
        Counts in the order of the layout, see `Layout.unpack`. Counts of shards add up to those of
        the whole.
    """
    kernel = counting_kernel(len(blocks) * layout.size // 8)
    if kernel is not None:
        counted: Int64Array = kernel.cells_of(
            blocks.labels,
            blocks.candidates,
            ties=layout.ties,
            outright=layout.outright,
            weights=weights,
        )[0]
        return counted
    total = np.zeros(layout.size, dtype=np.int64)
    for rows in chunks(len(blocks), _BLOCKS_AT_A_TIME):
        cells = layout.of_blocks(blocks.take(rows))
        times = np.ones(cells.shape[1]) if weights is None else weights[rows]
        total += np.asarray(cells.astype(np.int64) @ times.astype(np.int64))
    return total


def counts_of_units(blocks: Blocks, layout: Layout, unit: Int64Array, units: int) -> Int64Array:
    """Count the cells of a layout over the blocks of each unit.

    Parameters
    ----------
    blocks : Blocks
        B blocks over the layout's n systems.
    layout : Layout
        The m cells to count.
    unit : int64, shape (B,)
        Number of each block's unit, 0 … U − 1.
    units : int
        U.

    Returns
    -------
    int64, shape (U, m)
    """
    kernel = counting_kernel(len(blocks) * layout.size // 8)
    if kernel is not None:
        counted: Int64Array = kernel.cells_of(
            blocks.labels,
            blocks.candidates,
            ties=layout.ties,
            outright=layout.outright,
            unit=unit,
            units=units,
        )
        return counted
    totals = np.zeros((units, layout.size), dtype=np.int64)
    for rows in chunks(len(blocks), _BLOCKS_AT_A_TIME):
        cells = layout.of_blocks(blocks.take(rows))
        owners = np.repeat(unit[rows], np.diff(cells.indptr))
        np.add.at(totals, (owners, cells.indices), 1)
    return totals
