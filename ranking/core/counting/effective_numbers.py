"""Effective numbers of segments, documents and judges (Kish 1965)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ranking.core.counting.counts import Layout
from ranking.core.counting.tallies import chunks
from ranking.core.judged.blocks import Blocks

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


def effective_number_of_units(unit: npt.NDArray[np.integer], sizes: FloatArray) -> float:
    """Return the effective number of units that blocks belong to.

    Parameters
    ----------
    unit : integer, shape (B,)
        Number of the unit of each block.
    sizes : float64, shape (B,)
        Size of each block; a unit is as large as its blocks together.

    Returns
    -------
    float
        As `effective_number`.
    """
    return effective_number(np.bincount(np.unique(unit, return_inverse=True)[1], weights=sizes))


def counts_per_block(blocks: Blocks, layout: Layout) -> FloatArray:
    """Return how many cells of a layout each block adds to, for instance its comparisons.

    Parameters
    ----------
    blocks : Blocks
        B blocks over the layout's n systems.
    layout : Layout

    Returns
    -------
    float64, shape (B,)
    """
    found = np.zeros(len(blocks))
    for rows in chunks(len(blocks), _BLOCKS_AT_A_TIME):
        found[rows] = layout.of_blocks(blocks.take(rows)).astype(np.int64).sum(axis=0)
    return found
