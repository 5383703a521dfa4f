"""Second moments of the counts of blocks, segments and judges, for clustered variances.

Where documents are known they take the place of segments, because segments of one document are
alike; and what one judge did of one document that of a block, because it is both the judge's and
the document's (Cameron, Gelbach & Miller 2011).

A unit u, for instance a segment, adds the counts c_u to the cells of a `Layout`. The variance of
any smooth score of the counts is J (Σ_u c_u c_uᵀ) Jᵀ, with the score's influences J. The sums in
the middle are whole numbers: they do not depend on the order of the blocks, shards of whole units
add up, and one more block changes them by a few products.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.counting.compiled import counting_kernel
from ranking.core.counting.counts import Layout, count
from ranking.core.counting.tallies import chunks
from ranking.core.judged.blocks import Blocks
from ranking.core.judged.documents import first_segments

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

#: What blocks are clustered by.
ClusterUnit = Literal["blocks", "segments", "judges"]
CLUSTER_UNITS: tuple[ClusterUnit, ...] = ("blocks", "segments", "judges")

#: Below so many effective units a variance between them is not estimated. With four judges,
#: simulated ranges still hold in 93 to 97 of 100 cases, with three in 91 (docs/statistics/coverage.md).
MIN_UNITS = 3.5

_BLOCKS_AT_A_TIME = 1024


@dataclass(frozen=True, eq=False)
class Moments:
    """Counts, and their second moments over blocks, segments and judges.

    Attributes
    ----------
    cells : int64, shape (m,)
        Counts of all blocks, by the cells of a `Layout`.
    blocks, segments, judges : int64, shape (k, k)
        Σ c_u c_uᵀ over the blocks, the segments, the judges; for the k cells in `Layout.used`. By
        documents, `segments` is over the documents, and `blocks` over what each judge did of each
        document.
    few_documents : bool
        Whether documents are known, but too few of them for their variance: segments are in their
        place.
    """

    cells: Int64Array
    blocks: Int64Array
    segments: Int64Array
    judges: Int64Array
    few_documents: bool = False

    def effective(self, unit: ClusterUnit) -> float:
        """Return the effective number of units, (Σ a_u)² / Σ a_u² (Kish 1965).

        a_u is the number of comparisons of unit u. 0 without any comparison.
        """
        squares = float(getattr(self, unit).sum())
        return float(self.cells.sum()) ** 2 / squares if squares else 0.0


def effective_units_by_system(moments: Moments, layout: Layout, unit: ClusterUnit) -> FloatArray:
    """Return the effective number of units of each system.

    Parameters
    ----------
    moments : Moments
        In the layout.
    layout : Layout
        Of n systems.
    unit : "blocks", "segments" or "judges"

    Returns
    -------
    float64, shape (n,)
        (Σ a_u)² / Σ a_u², where a_u is the number of comparisons of the system in unit u (Kish
        1965); 0 for a system without any.

    References
    ----------
    L. Kish (1965), Survey Sampling.
    """
    takes_part = layout.takes_part.astype(np.float64)
    total = takes_part @ moments.cells[layout.used]
    second = takes_part @ getattr(moments, unit).astype(np.float64)
    squares = np.einsum("ik,ik->i", second, takes_part)
    found = np.zeros(layout.systems)
    np.divide(total**2, squares, out=found, where=squares > 0)
    return found


def units_of(blocks: Blocks, unit: ClusterUnit) -> Int64Array:
    """Number the unit of each block.

    Parameters
    ----------
    blocks : Blocks
        B blocks.
    unit : "blocks", "segments" or "judges"

    Returns
    -------
    int64, shape (B,)
    """
    if unit == "blocks":
        return np.arange(len(blocks), dtype=np.int64)
    return (blocks.segment if unit == "segments" else blocks.judge).astype(np.int64)


def two_way_units(blocks: Blocks, unit: ClusterUnit) -> Int64Array:
    """Number the unit that each block belongs to in a variance over segments and judges.

    Parameters
    ----------
    blocks : Blocks
        B blocks.
    unit : "blocks", "segments" or "judges"

    Returns
    -------
    int64, shape (B,)
        As `units_of`; where documents are known, documents for segments, and what each judge did
        of each document for blocks. However documents are numbered, the result is the same.
    """
    if blocks.document is None or unit == "judges":
        return units_of(blocks, unit)
    document = first_segments(blocks)
    if unit == "segments":
        return document
    return document * len(blocks.judges) + blocks.judge


def moments_of_blocks(
    blocks: Blocks, layout: Layout, *, fewest_documents: float = MIN_UNITS
) -> Moments:
    """Count blocks, and sum the products of what each block, segment and judge adds.

    Parameters
    ----------
    blocks : Blocks
        B blocks over the layout's n systems.
    layout : Layout
    fewest_documents : float
        With fewer effective documents, segments are taken in their place.

    Returns
    -------
    Moments
        By documents where they are known. Exact. Memory and time grow with k²; k < 1.5 n² without
        `outright`.
    """
    blocks_, segments, judges = (
        second_moments(blocks, layout, two_way_units(blocks, unit)) for unit in CLUSTER_UNITS
    )
    found = Moments(cells=count(blocks, layout), blocks=blocks_, segments=segments, judges=judges)
    if blocks.document is None or found.effective("segments") >= fewest_documents:
        return found
    return replace(
        found,
        blocks=second_moments(blocks, layout, units_of(blocks, "blocks")),
        segments=second_moments(blocks, layout, units_of(blocks, "segments")),
        few_documents=True,
    )


def second_moments(blocks: Blocks, layout: Layout, unit: Int64Array) -> Int64Array:
    """Sum the products of the counts of each unit.

    Parameters
    ----------
    blocks : Blocks
        B blocks over the layout's n systems.
    layout : Layout
    unit : int64, shape (B,)
        Number of the unit that each block belongs to.

    Returns
    -------
    int64, shape (k, k)
        Σ_u c_u c_uᵀ, for the cells in `Layout.used`.
    """
    # Kernel and sparse product alike want the blocks of a unit beside each other.
    order = np.argsort(unit, kind="stable")
    blocks, unit = blocks.take(order), unit[order]
    used = layout.used
    kernel = counting_kernel(len(blocks) * layout.size)
    if kernel is not None:
        summed: Int64Array = kernel.moments_of(
            blocks.labels,
            blocks.candidates,
            unit,
            used,
            ties=layout.ties,
            outright=layout.outright,
            size=layout.size,
        )
        return summed
    counts = unit_counts(blocks, layout, np.unique(unit, return_inverse=True)[1])
    return np.asarray((counts @ counts.T).toarray())


def unit_counts(blocks: Blocks, layout: Layout, unit: Int64Array) -> sparse.csr_array[np.int64]:
    """Count what each unit adds to the used cells of a layout.

    Parameters
    ----------
    blocks : Blocks
        B blocks.
    layout : Layout
    unit : int64, shape (B,)
        Numbers from 0 of the U units.

    Returns
    -------
    sparse int64, shape (k, U)
    """
    units = int(unit.max(initial=-1)) + 1
    cells, owners = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for rows in chunks(len(blocks), _BLOCKS_AT_A_TIME):
        columns = layout.of_blocks(blocks.take(rows))
        cells.append(columns.indices.astype(np.int64))
        owners.append(np.repeat(unit[rows], np.diff(columns.indptr)))
    cell, owner = np.concatenate(cells), np.concatenate(owners)
    ones = np.ones(len(cell), dtype=np.int64)
    # Cells that a unit lists several times are added up.
    total = sparse.csr_array((ones, (cell, owner)), shape=(layout.size, units))
    return sparse.csr_array(total)[layout.used]
