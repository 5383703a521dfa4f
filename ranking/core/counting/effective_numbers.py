"""Effective numbers of segments, documents and judges (Kish 1965)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.counting.counts import Layout
from ranking.core.counting.tallies import chunks
from ranking.core.judged.blocks import MAX_LABEL, Blocks

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

_BLOCKS_AT_A_TIME = 1024


def effective_number(sizes: npt.NDArray[np.integer] | FloatArray) -> float:
    """Return the number of units of equal size that carry as much information: (Σ a)² / Σ a².

    Parameters
    ----------
    sizes : number, shape (U,)
        Size a of each unit, for instance its comparisons.

    Returns
    -------
    float
        Between 1 and U; 0 if all sizes are 0.

    References
    ----------
    L. Kish (1965), Survey Sampling.
    """
    values = sizes.astype(np.float64)
    squares = float(values @ values)
    return float(values.sum()) ** 2 / squares if squares else 0.0


@dataclass(frozen=True)
class UnitSizes:
    """Sizes of units, in whole numbers: the sum of all, and the sums of squares by kind of unit.

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


def effective_number_of_units(
    unit: npt.NDArray[np.integer], sizes: Int64Array | FloatArray
) -> float:
    """Return the effective number of units that blocks belong to.

    Parameters
    ----------
    unit : integer, shape (B,)
        Number of the unit of each block.
    sizes : number, shape (B,)
        Size of each block; a unit is as large as its blocks together.

    Returns
    -------
    float
        As `effective_number`.
    """
    return effective_number(np.bincount(np.unique(unit, return_inverse=True)[1], weights=sizes))


def effective_number_from(total: int, squares: int) -> float:
    """Return (Σ a)² / Σ a² of whole numbers; 0 if all are 0."""
    return float(total) ** 2 / float(squares) if squares else 0.0


def unit_sizes(blocks: Blocks, sizes: Int64Array) -> UnitSizes:
    """Return the sizes of the segments, judges and documents that blocks belong to.

    Parameters
    ----------
    blocks : Blocks
        B blocks.
    sizes : int64, shape (B,)
        Size of each block; a unit is as large as its blocks together.

    Returns
    -------
    UnitSizes
    """
    return UnitSizes(
        total=int(sizes.sum()),
        segments=_squares(blocks.segment, sizes),
        judges=_squares(blocks.judge, sizes),
        documents=None if blocks.document is None else _squares(blocks.document, sizes),
    )


def _squares(unit: npt.NDArray[np.integer], sizes: Int64Array) -> int:
    numbers, of_block = np.unique(unit, return_inverse=True)
    # Whole numbers, exact in floating point up to 2**53.
    summed = np.bincount(of_block, sizes, len(numbers)).astype(np.int64)
    return int(summed @ summed)


def counts_per_block(blocks: Blocks, layout: Layout) -> Int64Array:
    """Return how many cells of a layout each block adds to, for instance its comparisons.

    Parameters
    ----------
    blocks : Blocks
        B blocks over the layout's n systems.
    layout : Layout

    Returns
    -------
    int64, shape (B,)
    """
    if not layout.outright:
        return _comparisons_per_block(blocks, ties=layout.ties)
    found = np.zeros(len(blocks), dtype=np.int64)
    for rows in chunks(len(blocks), _BLOCKS_AT_A_TIME):
        found[rows] = layout.of_blocks(blocks.take(rows)).astype(np.int64).sum(axis=0)
    return found


def _comparisons_per_block(blocks: Blocks, *, ties: bool) -> Int64Array:
    """Return the comparisons of each block, from the numbers of systems that share a label."""
    labelled = blocks.labels > 0
    found = _pairs(labelled)
    if ties:
        for position in range(blocks.positions):
            # Systems of one candidate are not compared with each other.
            found -= _pairs(labelled & (blocks.candidates == position))
        return found
    for label in range(1, MAX_LABEL + 1):
        found -= _pairs(blocks.labels == label)
    return found


def _pairs(chosen: npt.NDArray[np.bool_]) -> Int64Array:
    count: Int64Array = np.count_nonzero(chosen, axis=1).astype(np.int64)
    pairs: Int64Array = count * (count - 1) // 2
    return pairs
