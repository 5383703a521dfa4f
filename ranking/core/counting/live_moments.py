"""Second moments of counts, updated when judgments are added or removed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from ranking.core.counting.counts import Layout
from ranking.core.counting.moments import (
    MIN_UNITS,
    Moments,
    second_moments,
    unit_counts,
    units_of,
)
from ranking.core.judged.blocks import Blocks

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: The number of blocks up to which adding them one by one is fastest.
_FEW = 32
#: Units that later blocks may belong to; their counts so far are kept.
_OpenUnit = Literal["segments", "judges", "documents", "judges of documents"]
_ALWAYS: tuple[_OpenUnit, ...] = ("segments", "judges")
_OF_DOCUMENTS: tuple[_OpenUnit, ...] = ("documents", "judges of documents")


class LiveMoments:
    """Second moments over blocks, segments and judges, updated with each judgment.

    They equal those of `ranking.core.counting.moments.moments_of_blocks`, bit for bit, for any
    order of updates. One more block takes time in proportion to its comparisons times k. Memory
    holds three k × k counts, and k counts for each segment and each judge, of 8 bytes each. With
    documents, updates take twice the time, and there are five k × k counts, and also k counts for
    each document and each document of each judge.

    Parameters
    ----------
    layout : Layout
        With k used cells.
    documents : bool
        Whether all blocks to come name their documents. Segments are kept as well, because they are
        used as long as there are few documents.
    """

    def __init__(self, layout: Layout, *, documents: bool = False) -> None:
        self.layout = layout
        self.documents = documents
        self._open = (*_ALWAYS, *(_OF_DOCUMENTS if documents else ()))
        size = len(layout.used)
        self._place = np.full(layout.size, -1, dtype=np.int64)
        self._place[layout.used] = np.arange(size)
        self._moments_of_blocks = np.zeros((size, size), dtype=np.int64)
        self._moments = {unit: np.zeros((size, size), dtype=np.int64) for unit in self._open}
        self._counts: dict[_OpenUnit, dict[Hashable, Int64Array]] = {
            unit: {} for unit in self._open
        }

    def moments(self, cells: Int64Array, layout: Layout | None = None) -> Moments:
        """Return the moments of the judgments so far, as copies.

        Parameters
        ----------
        cells : int64, shape (m,)
            Counts of the same judgments, in the layout that is kept.
        layout : Layout, optional
            The cells to return, of those kept; all if not given.

        Returns
        -------
        Moments
            As `moments_of_blocks` returns them for that layout.
        """
        layout = layout or self.layout
        kept = layout.cells_in(self.layout)
        used = self._place[kept[layout.used]]
        rows = np.ix_(used, used)
        if self.documents:
            found = Moments(
                cells=cells[kept],
                blocks=self._moments["judges of documents"][rows],
                segments=self._moments["documents"][rows],
                judges=self._moments["judges"][rows],
            )
            if found.effective("segments") >= MIN_UNITS:
                return found
        return Moments(
            cells=cells[kept],
            blocks=self._moments_of_blocks[rows],
            segments=self._moments["segments"][rows],
            judges=self._moments["judges"][rows],
            few_documents=self.documents,
        )

    def change(self, blocks: Blocks, sign: int) -> None:
        """Add judgments with a sign of 1, or remove them with a sign of −1.

        Raises
        ------
        ValueError
            If the blocks name documents and the state does not keep them, or the other way round.
        """
        if (blocks.document is not None) != self.documents:
            named = "name" if self.documents else "do not name"
            raise ValueError(f"document: this state is of blocks that {named} their documents")
        if len(blocks) > _FEW:
            self._change_many(blocks, sign)
            return
        columns = self.layout.of_blocks(blocks)
        keys = {unit: _keys(blocks, unit) for unit in self._open}
        for block in range(len(blocks)):
            cells = self._place[columns.indices[columns.indptr[block] : columns.indptr[block + 1]]]
            both = np.ix_(cells, cells)
            self._moments_of_blocks[both] += sign
            for unit in self._open:
                counts, moments = self._counts_of(unit, keys[unit][block]), self._moments[unit]
                # (c + e)(c + e)ᵀ − c cᵀ; with −e for a removed block.
                moments[cells] += sign * counts
                moments[:, cells] += sign * counts[:, np.newaxis]
                moments[both] += 1
                counts[cells] += sign

    def merge(self, other: LiveMoments) -> None:
        """Add other moments of the same layout, for instance of another shard."""
        self._moments_of_blocks += other._moments_of_blocks
        for unit in self._open:
            theirs = other._counts[unit]
            keys = list(theirs)
            counts = np.array([theirs[key] for key in keys], dtype=np.int64)
            self._add_counts(unit, keys, counts, 1)

    def _change_many(self, blocks: Blocks, sign: int) -> None:
        self._moments_of_blocks += sign * second_moments(
            blocks, self.layout, units_of(blocks, "blocks")
        )
        for unit in self._open:
            number_of: dict[Hashable, int] = {}
            keys = _keys(blocks, unit)
            own = np.array([number_of.setdefault(key, len(number_of)) for key in keys])
            counts = unit_counts(blocks, self.layout, own).toarray().T
            self._add_counts(unit, list(number_of), counts, sign)

    def _add_counts(
        self, unit: _OpenUnit, keys: Sequence[Hashable], counts: Int64Array, sign: int
    ) -> None:
        """Add counts of shape (U, k) to those of the units `keys`."""
        if not keys:
            return
        before = np.array([self._counts_of(unit, key) for key in keys])
        # Products of doubles are exact up to 2**53, and many times faster than those of integers.
        crossed = _product(before, counts)
        self._moments[unit] += sign * (crossed + crossed.T) + _product(counts, counts)
        for key, added in zip(keys, counts, strict=True):
            self._counts[unit][key] += sign * added

    def _counts_of(self, unit: _OpenUnit, key: Hashable) -> Int64Array:
        size = len(self._moments_of_blocks)
        return self._counts[unit].setdefault(key, np.zeros(size, dtype=np.int64))


def _product(left: Int64Array, right: Int64Array) -> Int64Array:
    return np.rint(left.T.astype(np.float64) @ right.astype(np.float64)).astype(np.int64)


def _keys(blocks: Blocks, unit: _OpenUnit) -> list[Hashable]:
    """Return the key of each block's unit: segment and document numbers, judges' names."""
    if unit == "segments":
        return list(blocks.segment.tolist())
    judges = [blocks.judges[judge] for judge in blocks.judge.tolist()]
    if unit == "judges":
        return list(judges)
    documents: Iterable[int] = () if blocks.document is None else blocks.document.tolist()
    return list(documents) if unit == "documents" else list(zip(judges, documents, strict=True))
