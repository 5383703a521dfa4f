"""Second moments of counts, updated as judgments are added and removed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from ranking.core.counting.counts import Layout
from ranking.core.counting.moments import (
    ClusterUnit,
    Moments,
    second_moments,
    unit_counts,
    units_of,
)
from ranking.core.judged.blocks import Blocks

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: Up to here, adding block by block is the fastest way.
_FEW = 32
#: The units that further blocks may belong to: what they added so far is kept.
_OPEN_UNITS: tuple[ClusterUnit, ...] = ("segments", "judges")


class LiveMoments:
    """Second moments over blocks, segments and judges, updated with each judgment.

    They equal those of `ranking.core.counting.moments.moments_of_blocks`, bit for bit, whatever the order
    of the updates. One more block takes time in proportion to its comparisons times k. Memory:
    three k × k counts, and k for each segment and each judge, of 8 bytes each.

    Parameters
    ----------
    layout : Layout
        With k used cells.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        size = len(layout.used)
        self._place = np.full(layout.size, -1, dtype=np.int64)
        self._place[layout.used] = np.arange(size)
        self._of_blocks = np.zeros((size, size), dtype=np.int64)
        self._moments = {unit: np.zeros((size, size), dtype=np.int64) for unit in _OPEN_UNITS}
        self._counts: dict[ClusterUnit, dict[Hashable, Int64Array]] = {
            unit: {} for unit in _OPEN_UNITS
        }

    def with_cells(self, cells: Int64Array) -> Moments:
        """Return the moments, together with the counts of the same judgments, shape (m,)."""
        return Moments(
            cells=cells,
            blocks=self._of_blocks,
            segments=self._moments["segments"],
            judges=self._moments["judges"],
        )

    def change(self, blocks: Blocks, sign: int) -> None:
        """Add judgments, or take them out with a sign of −1."""
        if len(blocks) > _FEW:
            self._change_many(blocks, sign)
            return
        columns = self.layout.of_blocks(blocks)
        keys = {unit: _keys(blocks, unit) for unit in _OPEN_UNITS}
        for block in range(len(blocks)):
            cells = self._place[columns.indices[columns.indptr[block] : columns.indptr[block + 1]]]
            both = np.ix_(cells, cells)
            self._of_blocks[both] += sign
            for unit in _OPEN_UNITS:
                counts, moments = self._counts_of(unit, keys[unit][block]), self._moments[unit]
                # (c + e)(c + e)ᵀ − c cᵀ, and likewise with − for a block taken out.
                moments[cells] += sign * counts
                moments[:, cells] += sign * counts[:, np.newaxis]
                moments[both] += 1
                counts[cells] += sign

    def merge(self, other: LiveMoments) -> None:
        """Take in other moments of the same layout, for instance of another shard."""
        self._of_blocks += other._of_blocks
        for unit in _OPEN_UNITS:
            theirs = other._counts[unit]
            keys = list(theirs)
            counts = np.array([theirs[key] for key in keys], dtype=np.int64)
            self._add_counts(unit, keys, counts, 1)

    def _change_many(self, blocks: Blocks, sign: int) -> None:
        self._of_blocks += sign * second_moments(blocks, self.layout, units_of(blocks, "blocks"))
        for unit in _OPEN_UNITS:
            numbers, own = np.unique(units_of(blocks, unit), return_inverse=True)
            counts = unit_counts(blocks, self.layout, own).toarray().T
            of_number = dict(zip(units_of(blocks, unit).tolist(), _keys(blocks, unit), strict=True))
            self._add_counts(unit, [of_number[number] for number in numbers.tolist()], counts, sign)

    def _add_counts(
        self, unit: ClusterUnit, keys: Sequence[Hashable], counts: Int64Array, sign: int
    ) -> None:
        """Add counts of shape (U, k) to those of the units `keys`."""
        if not len(keys):
            return
        before = np.array([self._counts_of(unit, key) for key in keys])
        # Products of doubles are exact up to 2**53, and many times as fast as those of integers.
        crossed = _product(before, counts)
        self._moments[unit] += sign * (crossed + crossed.T) + _product(counts, counts)
        for key, added in zip(keys, counts, strict=True):
            self._counts[unit][key] += sign * added

    def _counts_of(self, unit: ClusterUnit, key: Hashable) -> Int64Array:
        return self._counts[unit].setdefault(key, np.zeros(len(self._of_blocks), dtype=np.int64))


def _product(left: Int64Array, right: Int64Array) -> Int64Array:
    return np.rint(left.T.astype(np.float64) @ right.astype(np.float64)).astype(np.int64)


def _keys(blocks: Blocks, unit: ClusterUnit) -> list[Hashable]:
    """Return the key of each block's unit: the number of a segment, the name of a judge."""
    if unit == "judges":
        return [blocks.judges[judge] for judge in blocks.judge.tolist()]
    return list(blocks.segment.tolist())
