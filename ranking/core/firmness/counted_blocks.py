"""What each block adds to the counts that a method scores, to take blocks away again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.counting.counts import Layout
from ranking.core.counting.tallies import chunks
from ranking.core.firmness.first_place import overtaken_by
from ranking.core.judged.blocks import Blocks, UInt64Array
from ranking.core.methods.method import CountsMethod
from ranking.core.scores import Scores

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

_BLOCKS_AT_A_TIME = 1024


@dataclass(frozen=True, eq=False)
class CountedBlocks:
    """B blocks as what each adds to the m cells of a method's layout.

    Attributes
    ----------
    method : CountsMethod
    parameters : mapping
        All parameters of the method.
    layout : Layout
        Of n systems.
    cells : sparse int64, shape (m, B)
    key : uint64, shape (B,)
        Content keys, to order blocks that add the same.
    """

    method: CountsMethod
    parameters: Mapping[str, Any]
    layout: Layout
    cells: sparse.csc_array[np.int64]
    key: UInt64Array

    @cached_property
    def total(self) -> Int64Array:
        """Counts of all blocks, shape (m,)."""
        return np.asarray(self.cells.sum(axis=1)).ravel().astype(np.int64)

    def of(self, rows: Int64Array) -> Int64Array:
        """Return the counts of some blocks, shape (m,)."""
        return np.asarray(self.cells[:, rows].sum(axis=1)).ravel().astype(np.int64)

    def scores(self, counts: Int64Array) -> Scores:
        """Return the scores of counts of shape (R, m), shape (R, n)."""
        return self.method.score_counted(counts, self.layout, **self.parameters)

    def overtaken_without(self, removed: Int64Array, first: int) -> Int64Array:
        """Return who is ahead of the first without counts of shape (R, m), see `overtaken_by`."""
        return overtaken_by(self.scores(self.total - removed), first)

    def gains(self, counts: Int64Array, first: int, rival: int) -> FloatArray:
        """Return how much the lead of the first over a rival shrinks without each block, shape (B,).

        This is the first derivative at `counts`, of shape (m,) for the m cells of the layout, in units of the score.
        Raises ValueError if the method has no influence values.
        """
        if self.method.influence is None:
            raise ValueError(f"{self.method.name} has no influence values")
        influence = self.method.influence(self.layout.unpack(counts), **self.parameters)
        return np.asarray((influence[first] - influence[rival]) @ self.cells)

    @cached_property
    def kinds(self) -> BlockKinds:
        """The blocks that add anything, those that add the same together."""
        cells = self.cells
        by_content: dict[bytes, list[int]] = {}
        for row in range(cells.shape[1]):
            added = cells.indices[cells.indptr[row] : cells.indptr[row + 1]]
            if len(added):
                by_content.setdefault(np.sort(added).tobytes(), []).append(row)
        # In an order that does not depend on that of the rows.
        listed = [by_content[content] for content in sorted(by_content)]
        return BlockKinds(
            cells=np.stack([self.of(np.array(rows[:1])) for rows in listed])
            if listed
            else np.zeros((0, self.layout.size), dtype=np.int64),
            rows=[sorted(rows, key=lambda row: int(self.key[row])) for rows in listed],
        )


@dataclass(frozen=True, eq=False)
class BlockKinds:
    """Blocks by what they add: V kinds.

    Attributes
    ----------
    cells : int64, shape (V, m)
    rows : list of list of int
        The blocks of each kind.
    """

    cells: Int64Array
    rows: Sequence[Sequence[int]]

    def __len__(self) -> int:
        """Return the number of kinds, V."""
        return len(self.rows)


def counted_blocks(
    blocks: Blocks, method: CountsMethod, parameters: Mapping[str, Any] | None = None
) -> CountedBlocks:
    """Count each of B blocks.

    Memory grows with the number of comparisons: about 12 bytes for each.
    """
    layout = method.layout(len(blocks.systems))
    parts = [layout.of_blocks(blocks.take(rows)) for rows in chunks(len(blocks), _BLOCKS_AT_A_TIME)]
    cells = sparse.hstack(parts, format="csc") if parts else sparse.csc_array((layout.size, 0))
    return CountedBlocks(
        method=method,
        parameters=method.complete(parameters),
        layout=layout,
        cells=sparse.csc_array(cells, dtype=np.int64),
        key=blocks.key,
    )
