"""Second moments over every kind of unit; which kinds a variance uses is decided last.

Whether documents replace segments depends on how many documents there are and how large, in the
comparisons that a method counts (`ranking.core.counting.moments`). So judgments are counted by
documents and by segments, and the choice is made when all are counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.counting.counts import Layout
from ranking.core.counting.moments import (
    CLUSTER_UNITS,
    MIN_UNITS,
    Moments,
    second_moments,
    two_way_units,
    units_of,
)
from ranking.core.judged.blocks import Blocks

Int64Array = npt.NDArray[np.int64]


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

    def of_systems(self, layout: Layout, kept: Int64Array) -> AllMoments:
        """Return the moments of the comparisons between some of the systems.

        Parameters
        ----------
        layout : Layout
            Of these moments.
        kept : int64, shape (n',)
            Indices of the systems, ascending.

        Returns
        -------
        AllMoments
            In the same layout for n' systems.
        """
        place = np.full(layout.size, -1, dtype=np.int64)
        place[layout.used] = np.arange(len(layout.used))
        smaller = Layout(len(kept), ties=layout.ties, outright=layout.outright)
        used = place[layout.cells_of(kept)[smaller.used]]
        rows = np.ix_(used, used)
        documents, both = self.documents, self.judges_of_documents
        return AllMoments(
            blocks=self.blocks[rows],
            segments=self.segments[rows],
            judges=self.judges[rows],
            documents=None if documents is None else documents[rows],
            judges_of_documents=None if both is None else both[rows],
        )

    def of_first_cells(self, cells: int) -> AllMoments:
        """Return the moments of the first k of the used cells, as those of wins are of every layout."""
        documents, both = self.documents, self.judges_of_documents
        return AllMoments(
            blocks=_first(self.blocks, cells),
            segments=_first(self.segments, cells),
            judges=_first(self.judges, cells),
            documents=None if documents is None else _first(documents, cells),
            judges_of_documents=None if both is None else _first(both, cells),
        )

    def chosen(
        self, cells: Int64Array, *, several_documents: bool, fewest_documents: float = MIN_UNITS
    ) -> Moments:
        """Return the moments that a variance over segments and judges is computed from.

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
        documents, both = self.documents, self.judges_of_documents
        if several_documents and documents is not None and both is not None:
            found = Moments(cells, both, documents, self.judges)
            if found.effective("segments") >= fewest_documents:
                return found
            few_documents = True
        return Moments(cells, self.blocks, self.segments, self.judges, few_documents)


def _first(matrix: Int64Array, cells: int) -> Int64Array:
    # Formulas add floats in the order of memory: it must be the same wherever moments are from.
    return np.ascontiguousarray(matrix[:cells, :cells])


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
        By documents as well if the blocks name them.
    """
    blocks_, segments, judges = (
        second_moments(blocks, layout, units_of(blocks, unit)) for unit in CLUSTER_UNITS
    )
    if blocks.document is None:
        return AllMoments(blocks_, segments, judges)
    return AllMoments(
        blocks_,
        segments,
        judges,
        documents=second_moments(blocks, layout, two_way_units(blocks, "segments")),
        judges_of_documents=second_moments(blocks, layout, two_way_units(blocks, "blocks")),
    )
