"""Counts of comparisons: wins and ties of pairs, blocks won outright, and effective numbers of
units (Kish 1965).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from ranking.core.arrays import (
    BoolArray,
    FloatArray,
    Int64Array,
    as_column,
    off_diagonal,
)
from ranking.core.judged.blocks import Blocks


@dataclass(frozen=True, eq=False)
class Tallies:
    """Counts of pairwise comparisons between n systems.

    Attributes
    ----------
    systems : tuple of str, length n
    wins : int64, shape (n, n)
        ``wins[a, b]`` comparisons were won by a against b; the diagonal is 0.
    ties : int64, shape (n, n)
        ``ties[a, b] == ties[b, a]`` comparisons of a with b were tied; the diagonal is 0.
    """

    systems: tuple[str, ...]
    wins: Int64Array
    ties: Int64Array

    def without(self, systems: Collection[str]) -> Tallies:
        """Return the counts between the other systems, which do not depend on the removed ones."""
        indices = [
            index for index, name in enumerate(self.systems) if name not in systems
        ]
        return self.of_systems(np.array(indices, dtype=np.int64))

    def of_systems(self, indices: Int64Array) -> Tallies:
        """Return the counts between the systems with these indices."""
        names = tuple(self.systems[index] for index in indices.tolist())
        pairs = np.ix_(indices, indices)
        return Tallies(names, self.wins[pairs], self.ties[pairs])

    @property
    def comparisons(self) -> int:
        """Number of comparisons, including ties."""
        return int(self.wins.sum()) + self.tied

    @property
    def tied(self) -> int:
        """Number of tied comparisons, each counted once."""
        return int(self.ties.sum()) // 2

    @property
    def compared(self) -> Int64Array:
        """Indices of the systems that were compared with others, including ties."""
        comparisons = self.wins + self.wins.T + self.ties
        return np.flatnonzero(comparisons.any(axis=1))


def compared_groups(tallies: Tallies) -> list[Int64Array]:
    """Return the groups of systems connected by comparisons, including ties, largest first.

    Groups of equal size are sorted by their first systems. Systems never compared are in no group.
    """
    compared = tallies.compared
    if not len(compared):
        return []
    comparisons = (tallies.wins + tallies.ties)[np.ix_(compared, compared)]
    count, member = csgraph.connected_components(comparisons > 0, directed=False)
    groups = [compared[member == group] for group in range(count)]
    groups.sort(key=_first_system)
    groups.sort(key=len, reverse=True)
    return groups


def _first_system(group: Int64Array) -> int:
    return int(group[0])


def tally(blocks: Blocks) -> Tallies:
    """Count the wins and ties of each pair of systems.

    Two systems are compared in a block if both have a label and different candidates stand for
    them. A candidate is expanded to every system it stands for. Two systems of one candidate are
    not a comparison, because no judge compared them, nor are two with equal labels in best-worst
    scaling. The smaller label wins.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.

    Returns
    -------
    Tallies
        Counts over all blocks. Tallies of shards add up to those of the whole.
    """
    layout = Layout(len(blocks.systems), ties=True)
    counts = layout.unpack(count(blocks, layout))
    return Tallies(systems=blocks.systems, wins=counts.wins, ties=counts.tied)


def chunks(total: int, size: int) -> Iterator[slice]:
    """Yield ``range(total)`` as consecutive slices of at most `size`."""
    for start in range(0, total, size):
        yield slice(start, min(start + size, total))


def listed_comparisons(
    blocks: Blocks,
    *,
    as_shown: bool = False,
) -> tuple[Int64Array, Int64Array, Int64Array, Int64Array]:
    """List the comparisons of blocks, which are between labelled systems with different candidates.

    Memory grows with B times the square of the number of labels in a block, so pass one chunk of
    blocks at a time.

    Parameters
    ----------
    blocks : Blocks
        B blocks.
    as_shown : bool
        Whether the first of two systems is the one shown first, instead of the one with the smaller index.

    Returns
    -------
    block, first, second, outcome : int64, shape (C,)
        Row of the block and indices of the two systems, sorted by block and then by the places of
        the systems. The outcome is 1 if the first system is better, −1 if the second one is, 0 for a tie.
    """
    labelled = blocks.labels > 0
    if as_shown:
        positions = blocks.candidates
    else:
        positions = np.zeros_like(blocks.candidates)
    positions = np.where(labelled, positions, np.int8(127))
    order = np.argsort(positions, axis=1, kind="stable")
    width = np.count_nonzero(labelled, axis=1).max(initial=0)
    systems = order[:, : int(width)]
    labels = np.take_along_axis(blocks.labels, systems, axis=1)
    candidates = np.take_along_axis(blocks.candidates, systems, axis=1)
    p, q = np.triu_indices(systems.shape[1], 1)
    # Labelled systems come first, so if the second one has a label, both have.
    compared = labels[:, q] > 0
    compared &= candidates[:, p] != candidates[:, q]
    if blocks.best_worst:
        compared &= labels[:, p] != labels[:, q]
    block, pair = np.nonzero(compared)
    first = (block, p[pair])
    second = (block, q[pair])
    # The smaller label wins.
    outcome = np.sign(labels[second] - labels[first])
    return block, systems[first], systems[second], outcome.astype(np.int64)


@dataclass(frozen=True, eq=False)
class Comparisons:
    """C comparisons, each of two systems by a judge.

    Attributes
    ----------
    first, second : int64, shape (C,)
        Indices of the systems.
    judge : int64, shape (C,)
        Index of the judge.
    block : int64, shape (C,)
        Row of the block the comparison is from.
    outcome : int64, shape (C,)
        1 if the first system is better, −1 if the second one is, 0 for a tie.
    covariates : float64, shape (C, K)
        Covariate of the first system minus that of the second.
    """

    first: Int64Array
    second: Int64Array
    judge: Int64Array
    block: Int64Array
    outcome: Int64Array
    covariates: FloatArray


def comparisons_of(blocks: Blocks, covariate: FloatArray | None = None) -> Comparisons:
    """Return the comparisons of blocks, in the order of the blocks.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    covariate : float64, shape (B, n), optional
        Covariate of each system's output in each block, see `shown_position`. Values of systems
        without a label are ignored.

    Returns
    -------
    Comparisons
        Comparisons of labelled systems with different candidates, as in
        `ranking.core.counting.counts.tally`.
    """
    parts = [np.empty((4, 0), dtype=np.int64)]
    for rows in chunks(len(blocks), _BLOCKS_AT_A_TIME):
        block, *others = listed_comparisons(blocks.take(rows))
        parts.append(np.stack([block + rows.start, *others]))
    block, first, second, outcome = np.concatenate(parts, axis=1)
    if covariate is None:
        covariates = np.zeros((len(block), 0))
    else:
        difference = covariate[block, first] - covariate[block, second]
        covariates = as_column(difference)
    return Comparisons(
        first=first,
        second=second,
        judge=blocks.judge[block].astype(np.int64),
        block=block,
        outcome=outcome,
        covariates=covariates,
    )


def shown_position(blocks: Blocks) -> FloatArray:
    """Return the position of each output in its block: 0 for the first, 1 for the last.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.

    Returns
    -------
    float64, shape (B, n)
        0 where a system was not shown, or shown alone.
    """
    last = blocks.candidates.max(axis=1, initial=0)
    candidates = np.maximum(blocks.candidates, 0)
    position = candidates / as_column(np.maximum(1, last))
    return np.asarray(position, dtype=np.float64)


#: Blocks whose cells are listed at a time.
_BLOCKS_AT_A_TIME = 1 << 14


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of n systems, possibly in many resamples at once.

    Attributes
    ----------
    wins : int64, shape (..., n, n)
        ``wins[..., a, b]`` comparisons won by a against b; the diagonal is 0.
    ties : int64, shape (..., n, n), or None
        ``ties[..., a, b] == ties[..., b, a]`` tied comparisons; None if not counted.
    appearances, best, alone : int64, shape (..., n), or None
        Blocks in which the system was compared with another one; blocks in which it was better than
        or equal to all systems compared with it; blocks in which it was better than all of them.
        None if not counted.
    """

    wins: Int64Array
    ties: Int64Array | None = None
    appearances: Int64Array | None = None
    best: Int64Array | None = None
    alone: Int64Array | None = None

    @property
    def tied(self) -> Int64Array:
        """The ties; ValueError if they were not counted."""
        if self.ties is None:
            raise ValueError("counts: ties were not counted")
        return self.ties


@dataclass(frozen=True)
class Layout:
    """The cells of a vector of counts for n systems.

    Cell ``a n + b`` counts wins of a over b; then, if `ties`, cell ``n² + a n + b`` with a < b ties
    of a with b; then, if `outright`, n cells each of `appearances`, `best` and `alone` (see
    `Counts`). Each judged block adds one to each of some cells, so counts of shards add up.
    """

    systems: int
    ties: bool = False
    outright: bool = False

    @property
    def size(self) -> int:
        """Number of cells, m."""
        return self._outright_start + 3 * self.systems * self.outright

    @property
    def _outright_start(self) -> int:
        """Number of cells of pairs, which come first."""
        return self.systems**2 * (1 + self.ties)

    @property
    def used(self) -> Int64Array:
        """Indices of the cells that blocks can add to, ascending, shape (k,).

        The others are wins of a system against itself, and ties in the reverse order.
        """
        n = self.systems
        apart = off_diagonal(n)
        parts = [apart.ravel()]
        if self.ties:
            parts.append(np.triu(apart).ravel())
        if self.outright:
            parts.append(np.ones(3 * n, dtype=np.bool_))
        is_used = np.concatenate(parts)
        return np.flatnonzero(is_used).astype(np.int64)

    @property
    def takes_part(self) -> BoolArray:
        """Participation of each system in each used cell, shape (n, k)."""
        n = self.systems
        first, second = np.divmod(np.arange(n * n), max(1, n))
        if self.ties:
            first = np.tile(first, 2)
            second = np.tile(second, 2)
        if self.outright:
            own = np.tile(np.arange(n), 3)
            first = np.append(first, own)
            second = np.append(second, own)
        system = as_column(np.arange(n))
        is_member: BoolArray = (first == system) | (second == system)
        return is_member[:, self.used]

    def cells_in(self, larger: Layout) -> Int64Array:
        """Return the indices of the m cells of this layout in a larger layout, shape (m,)."""
        cells = np.arange(self.size, dtype=np.int64)
        # Cells of blocks won outright come last in both.
        cells[self._outright_start :] += larger.size - self.size
        return cells

    def cells_of(self, indices: Int64Array) -> Int64Array:
        """Return the indices of the cells that compare only some of the systems.

        Parameters
        ----------
        indices : int64, shape (n',)
            Indices of these systems, ascending.

        Returns
        -------
        int64, shape (m',)
            One for each cell of the same layout for n' systems.
        """
        n = self.systems
        pairs = (as_column(indices) * n + indices).ravel()
        parts = [pairs]
        if self.ties:
            parts.append(n * n + pairs)
        if self.outright:
            appearances = self._outright_start + indices
            parts += [appearances, appearances + n, appearances + 2 * n]
        return np.concatenate(parts).astype(np.int64)

    def used_of(self, indices: Int64Array) -> Int64Array:
        """Return the indices, among the used cells, of the cells that compare only some of the
        systems.
        """
        used = self.used
        index = np.full(self.size, -1, dtype=np.int64)
        index[used] = np.arange(len(used))
        smaller = replace(self, systems=len(indices))
        cells = self.cells_of(indices)[smaller.used]
        return index[cells]

    def unpack(self, cells: Int64Array) -> Counts:
        """Convert vectors of counts, of shape (..., m), to `Counts`."""
        n = self.systems
        pairs = n * n
        shape = (*cells.shape[:-1], n, n)
        wins = np.ascontiguousarray(cells[..., :pairs]).reshape(shape)
        counts = Counts(wins=wins)
        if self.ties:
            above = cells[..., pairs : 2 * pairs].reshape(shape)
            counts = replace(counts, ties=above + np.swapaxes(above, -1, -2))
        if self.outright:
            outright = cells[..., self._outright_start :]
            appearances = outright[..., :n]
            best = outright[..., n : 2 * n]
            alone = outright[..., 2 * n :]
            counts = replace(counts, appearances=appearances, best=best, alone=alone)
        return counts

    def listed(self, blocks: Blocks) -> tuple[Int64Array, Int64Array]:
        """List the cells that each block adds one to, as rows of blocks and cells in arbitrary
        order.
        """
        n = self.systems
        block, first, second, outcome = listed_comparisons(blocks)
        forward = first * n + second
        backward = second * n + first
        cell = np.where(outcome > 0, forward, backward)
        if self.ties:
            cell = np.where(outcome == 0, n * n + forward, cell)
        counted = (outcome != 0) | self.ties
        rows = block[counted]
        cells = cell[counted]
        if not self.outright:
            return rows, cells
        appears = np.zeros((len(blocks), n), dtype=np.bool_)
        appears[block, first] = True
        appears[block, second] = True
        won = outcome > 0
        lost = outcome < 0
        is_tie = outcome == 0
        best = appears.copy()
        best[block[lost], first[lost]] = False
        best[block[won], second[won]] = False
        alone = best.copy()
        tied_block = block[is_tie]
        alone[tied_block, first[is_tie]] = False
        alone[tied_block, second[is_tie]] = False
        start = self._outright_start
        for holds in (appears, best, alone):
            row, system = np.nonzero(holds)
            rows = np.append(rows, row)
            cells = np.append(cells, start + system)
            start += n
        return rows, cells

    def of_blocks(self, blocks: Blocks) -> sparse.csc_array[np.int16]:
        """Return the cells that each block adds to, as a sparse column of ones, shape (m, B).

        Pass one chunk of blocks at a time, see `listed_comparisons`.
        """
        block, cell = self.listed(blocks)
        # Sorting the two as one number is faster than sorting by two keys.
        block_and_cell = np.sort(block * self.size + cell)
        block, cell = np.divmod(block_and_cell, max(1, self.size))
        starts = np.searchsorted(block, np.arange(len(blocks) + 1))
        ones = np.ones(len(cell), dtype=np.int16)
        return sparse.csc_array((ones, cell, starts), shape=(self.size, len(blocks)))


def count(blocks: Blocks, layout: Layout) -> Int64Array:
    """Count the cells of a layout over blocks, shape (m,)."""
    total: Int64Array = counts_of_units(
        blocks,
        layout,
        np.zeros(len(blocks), dtype=np.int64),
        1,
    )
    return total.ravel()


def counts_of_units(
    blocks: Blocks,
    layout: Layout,
    unit: Int64Array,
    units: int,
) -> Int64Array:
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
    totals = np.zeros(units * layout.size, dtype=np.int64)
    for rows in chunks(len(blocks), _BLOCKS_AT_A_TIME):
        block, cell = layout.listed(blocks.take(rows))
        cell_of_unit = unit[rows][block] * layout.size + cell
        totals += np.bincount(cell_of_unit, minlength=len(totals))
    return totals.reshape(units, layout.size)


def effective_number(sizes: npt.NDArray[np.integer] | FloatArray) -> float:
    """Return the number of equal units that would carry as much information, (Σ a)² / Σ a².

    Parameters
    ----------
    sizes : number, shape (U,)
        Size a of each unit, for instance its number of comparisons.

    Returns
    -------
    float
        Between 1 and U; 0 if all sizes are 0.

    References
    ----------
    L. Kish (1965), Survey Sampling.
    """
    values = sizes.astype(np.float64)
    total = float(values.sum())
    squares = float(values @ values)
    if squares:
        return total**2 / squares
    return 0.0


@dataclass(frozen=True)
class UnitSizes:
    """Integer sizes of units: their sum, and the sums of their squares by kind of unit.

    Attributes
    ----------
    total : int
    segments, judges : int
    documents : int or None
        None if documents do not replace segments.
    """

    total: int
    segments: int
    judges: int
    documents: int | None = None

    @property
    def squares(self) -> tuple[int, ...]:
        """Sums of squares over segments, over judges, and over documents if they are known."""
        if self.documents is None:
            return (self.segments, self.judges)
        return (self.segments, self.judges, self.documents)


def effective_number_from(total: int, squares: int) -> float:
    """Return (Σ a)² / Σ a² of integers; 0 if all are 0."""
    if squares:
        return float(total) ** 2 / float(squares)
    return 0.0


def unit_sizes(blocks: Blocks, sizes: Int64Array) -> UnitSizes:
    """Return the sizes of the segments, judges and documents that blocks belong to.

    Parameters
    ----------
    blocks : Blocks
        B blocks.
    sizes : int64, shape (B,)
        Size of each block; the size of a unit is the sum of its blocks' sizes.

    Returns
    -------
    UnitSizes
    """
    documents = None
    if blocks.document is not None:
        documents = _squares(blocks.document, sizes)
    return UnitSizes(
        total=int(sizes.sum()),
        segments=_squares(blocks.segment, sizes),
        judges=_squares(blocks.judge, sizes),
        documents=documents,
    )


def _squares(unit: npt.NDArray[np.integer], sizes: Int64Array) -> int:
    """Return the sum of the squares of the sizes of units."""
    numbers, of_block = np.unique(unit, return_inverse=True)
    # Integers, exact in floating point up to 2**53.
    summed = np.bincount(of_block, sizes, len(numbers)).astype(np.int64)
    return int(summed @ summed)


def counts_per_block(blocks: Blocks, layout: Layout) -> Int64Array:
    """Return the number of cells of a layout that each block adds to, for instance its comparisons.

    Parameters
    ----------
    blocks : Blocks
        B blocks over the layout's n systems.
    layout : Layout

    Returns
    -------
    int64, shape (B,)
    """
    counts = np.zeros(len(blocks), dtype=np.int64)
    for rows in chunks(len(blocks), _BLOCKS_AT_A_TIME):
        block, _cell = layout.listed(blocks.take(rows))
        counts[rows] = np.bincount(block, minlength=rows.stop - rows.start)
    return counts
