"""Second moments of the counts of blocks, segments and judges, for clustered variances.

A unit u, for instance a segment, adds the counts c_u to the cells of a `Layout`. The variance of
any smooth score of the counts is J (Σ_u c_u c_uᵀ) Jᵀ, with the score's influence values J. The sum
in the middle consists of integers: it does not depend on the order of the blocks, sums of shards of
whole units add up, and one more block changes it by a few products.

If documents are known, they replace segments, because segments of one document are correlated. Each
judge's blocks of a document then replace single blocks, because they share both the judge and the
document (Cameron, Gelbach & Miller 2011). This requires enough documents, measured by their sizes
in the comparisons that a method counts. So judgments are counted by documents and by segments, and
the choice is made after counting all.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Literal

import numpy as np
from scipy import sparse

from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.counting.counts import Layout, chunks, count, effective_number_from
from ranking.core.judged.blocks import Blocks, first_segments
from ranking.core.words import word_check

#: Units that blocks are clustered by.
ClusterUnit = Literal["blocks", "segments", "judges"]
CLUSTER_UNITS: tuple[ClusterUnit, ...] = ("blocks", "segments", "judges")

#: Effective number of units below which their variance is not estimated. With four judges,
#: simulated ranges still hold in 93% to 97% of cases; with three, in 91%
#: (docs/statistics/coverage.md).
MIN_UNITS = 3.5

#: Number of blocks whose cells are listed at a time.
_BLOCKS_AT_A_TIME = 1 << 12
#: Number of units whose counts are held at a time.
_UNITS_AT_A_TIME = 1 << 16


@dataclass(frozen=True, eq=False)
class Moments:
    """Counts and their second moments over blocks, segments and judges.

    Attributes
    ----------
    cells : int64, shape (m,)
        Counts of all blocks, by the cells of a `Layout`.
    blocks, segments, judges : int64, shape (k, k)
        Σ c_u c_uᵀ over the blocks, the segments and the judges, for the k cells in `Layout.used`.
        If documents are known, `segments` is over documents, and `blocks` over each judge's blocks
        of each document.
    few_documents : bool
        Whether documents are known but too few to estimate their variance, so that `segments` and
        `blocks` are over segments and single blocks.
    """

    cells: Int64Array
    blocks: Int64Array
    segments: Int64Array
    judges: Int64Array
    few_documents: bool = False

    def __post_init__(self) -> None:
        # Formulas add floats in memory order, which must not depend on the origin of the counts.
        for name in ("cells", *CLUSTER_UNITS):
            whole = np.ascontiguousarray(getattr(self, name), dtype=np.int64)
            object.__setattr__(self, name, whole)

    def effective(self, unit: ClusterUnit) -> float:
        """Return the effective number of units, (Σ a_u)² / Σ a_u² (Kish 1965).

        a_u is the sum of the counts of unit u: its number of comparisons, unless blocks won
        outright are counted as well. The result is 0 without comparisons.
        """
        squares = getattr(self, unit)
        return effective_number_from(int(self.cells.sum()), int(squares.sum()))


def effective_units_by_system(
    moments: Moments,
    layout: Layout,
    unit: ClusterUnit,
) -> FloatArray:
    """Return the effective number of units of each system.

    Parameters
    ----------
    moments : Moments
        Moments in this layout.
    layout : Layout
        Layout for n systems.
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
    word_check("unit", unit, ClusterUnit)
    takes_part = layout.takes_part.astype(np.float64)
    total = takes_part @ moments.cells[layout.used]
    second = takes_part @ getattr(moments, unit).astype(np.float64)
    squares = np.einsum("ik,ik->i", second, takes_part)
    effective = np.zeros(layout.systems)
    np.divide(total**2, squares, out=effective, where=squares > 0)
    return effective


def units_of(blocks: Blocks, unit: ClusterUnit) -> Int64Array:
    """Return the number of the unit that each block belongs to.

    Parameters
    ----------
    blocks : Blocks
        B blocks.
    unit : "blocks", "segments" or "judges"

    Returns
    -------
    int64, shape (B,)
    """
    word_check("unit", unit, ClusterUnit)
    if unit == "blocks":
        return np.arange(len(blocks), dtype=np.int64)
    if unit == "segments":
        return blocks.segment.astype(np.int64)
    return blocks.judge.astype(np.int64)


def moments_of_blocks(
    blocks: Blocks,
    layout: Layout,
    *,
    fewest_documents: float = MIN_UNITS,
) -> Moments:
    """Return the counts of blocks, and their second moments over blocks, segments and judges.

    Parameters
    ----------
    blocks : Blocks
        B blocks over the layout's n systems.
    layout : Layout
    fewest_documents : float
        With fewer effective documents, segments are used instead.

    Returns
    -------
    Moments
        Exact; by documents if they are known. Memory and time grow with k², and k < 1.5 n² without
        `outright`.
    """
    return all_moments(blocks, layout).chosen(
        count(blocks, layout),
        several_documents=blocks.document is not None,
        fewest_documents=fewest_documents,
    )


def second_moments(blocks: Blocks, layout: Layout, unit: Int64Array) -> Int64Array:
    """Return the sum over units of the products of their counts.

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
    cells = len(layout.used)
    total = np.zeros((cells, cells), dtype=np.int64)
    numbers, own = np.unique(unit, return_inverse=True)
    for units in chunks(len(numbers), _UNITS_AT_A_TIME):
        is_in_chunk = (own >= units.start) & (own < units.stop)
        rows = np.flatnonzero(is_in_chunk)
        number_in_chunk = own[rows] - units.start
        counts = sparse_counts_of_units(blocks.take(rows), layout, number_in_chunk)
        total += (counts @ counts.T).toarray()
    return total


def sparse_counts_of_units(
    blocks: Blocks,
    layout: Layout,
    unit: Int64Array,
) -> sparse.csr_array[np.int64]:
    """Return `counts_of_units` for many units: sparse, in the used cells of a layout.

    Parameters
    ----------
    blocks : Blocks
        B blocks.
    layout : Layout
    unit : int64, shape (B,)
        Number of each block's unit, 0 … U − 1.

    Returns
    -------
    sparse int64, shape (k, U)
    """
    units = int(unit.max(initial=-1)) + 1
    entries = [np.empty((2, 0), dtype=np.int64)]
    for rows in chunks(len(blocks), _BLOCKS_AT_A_TIME):
        block, cell = layout.listed(blocks.take(rows))
        owner = unit[rows][block]
        entries.append(np.stack([cell, owner]))
    cells, owners = np.concatenate(entries, axis=1)
    ones = np.ones(len(cells), dtype=np.int64)
    # `csr_array` adds up repeated entries of a cell for a unit.
    total = sparse.csr_array((ones, (cells, owners)), shape=(layout.size, units))
    return total[layout.used]


@dataclass(frozen=True, eq=False)
class AllMoments:
    """Second moments of the counts of blocks, segments, judges and documents.

    All have shape (k, k), int64, for the k cells in `Layout.used`; see `Moments`.

    Attributes
    ----------
    blocks, segments, judges
        Over single blocks, segments and judges.
    documents, judges_of_documents
        Over documents, and over each judge's blocks of each document; None if documents are not
        known.
    """

    blocks: Int64Array
    segments: Int64Array
    judges: Int64Array
    documents: Int64Array | None = None
    judges_of_documents: Int64Array | None = None

    def of_cells(self, used: Int64Array) -> AllMoments:
        """Return the moments of some of the k used cells, by index; in every layout, the first cells
        are those of wins.
        """
        square = np.ix_(used, used)
        smaller = {}
        for field in fields(self):
            moments = getattr(self, field.name)
            if moments is not None:
                smaller[field.name] = moments[square]
        return replace(self, **smaller)

    def chosen(
        self,
        cells: Int64Array,
        *,
        several_documents: bool,
        fewest_documents: float = MIN_UNITS,
    ) -> Moments:
        """Return the moments for computing a variance over segments and judges.

        Parameters
        ----------
        cells : int64, shape (m,)
            Counts of the same judgments, in the same layout.
        several_documents : bool
            Whether the judged segments are of at least two documents; a single one does not replace
            segments.
        fewest_documents : float
            With fewer effective documents, segments are used instead.

        Returns
        -------
        Moments
            As `ranking.core.counting.moments.moments_of_blocks` returns them.
        """
        few_documents = False
        documents = self.documents
        both = self.judges_of_documents
        if several_documents and documents is not None and both is not None:
            moments = Moments(cells, both, documents, self.judges)
            if moments.effective("segments") >= fewest_documents:
                return moments
            few_documents = True
        return Moments(cells, self.blocks, self.segments, self.judges, few_documents)


def all_moments(blocks: Blocks, layout: Layout) -> AllMoments:
    """Return the second moments of blocks over every kind of unit.

    Parameters
    ----------
    blocks : Blocks
        B blocks over the layout's n systems.
    layout : Layout

    Returns
    -------
    AllMoments
        Also by documents, if the blocks name them.
    """
    moments = AllMoments(
        blocks=second_moments(blocks, layout, units_of(blocks, "blocks")),
        segments=second_moments(blocks, layout, units_of(blocks, "segments")),
        judges=second_moments(blocks, layout, units_of(blocks, "judges")),
    )
    if blocks.document is None:
        return moments
    document = first_segments(blocks)
    judges_of_documents = document * len(blocks.judges) + blocks.judge
    return replace(
        moments,
        documents=second_moments(blocks, layout, document),
        judges_of_documents=second_moments(blocks, layout, judges_of_documents),
    )
