"""Margins of the reference in the blocks of each judge, given the labels used there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.judged.blocks import MAX_LABEL
from ranking.core.judges.clustered_share import cluster_sums
from ranking.core.judges.keyed_sums import KeyedSums
from ranking.core.judges.label_patterns import COUNT_BITS, Patterns

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

_AS_DIGITS = 1 << COUNT_BITS * np.arange(MAX_LABEL)[::-1]


@dataclass(frozen=True, eq=False)
class ReferenceMargins:
    """The reference's margins in the blocks of J judges, who used labels in K patterns.

    The margin of a block is the number of candidates that the reference won against, minus the
    number it lost against; ties do not count. Given how often the judge used each label in the
    block, the label of the reference determines the margin.

    Attributes
    ----------
    blocks : int64, shape (J, K)
        Blocks with each pattern.
    margin : int64, shape (J,)
        Sum of their margins.
    comparisons : int64, shape (J, 3)
        Comparisons with the reference, comparisons it won, and comparisons it tied.
    sums : int64, shape (J, 6)
        `cluster_sums` of the comparisons won among those of each block.
    used : int64, shape (K, 5)
        Number of candidates, including the reference, with the best label used, the second best and
        so on; 0 after the last.
    margins : int64, shape (K, 5)
        Margin of the reference with this label.
    """

    blocks: Int64Array
    margin: Int64Array
    comparisons: Int64Array
    sums: Int64Array
    used: Int64Array
    margins: Int64Array

    @property
    def shares(self) -> FloatArray:
        """Return the probability that clicking gives the reference each label, shape (K, 5)."""
        shares: FloatArray = self.used / self.used.sum(axis=1, keepdims=True)
        return shares

    @property
    def is_informative(self) -> npt.NDArray[np.bool_]:
        """Return whether each pattern is informative, shape (K,): not if all labels are equal."""
        return self.used[:, 1] > 0


def reference_margins(places: KeyedSums, judges: int) -> ReferenceMargins:
    """Return the reference's margins in blocks where it and another candidate have a label.

    Parameters
    ----------
    places : KeyedSums
        As `tally_places` counts them.
    judges : int
        Number J of judges.

    Returns
    -------
    ReferenceMargins
        Patterns are sorted, so they do not depend on the order of the blocks.
    """
    found = Patterns.of(places)
    compared = found.used[:, 0] > 0
    judge, times = found.judge[compared], found.blocks[compared]
    used, place = found.used[compared], found.detail[compared]
    # As one number, which sorts like the rows, and faster.
    _, first, kind = np.unique(used @ _AS_DIGITS, return_index=True, return_inverse=True)
    kinds = used[first]
    blocks = np.zeros((judges, len(kinds)), dtype=np.int64)
    np.add.at(blocks, (judge, kind), times)
    up_to = np.cumsum(used, axis=1)
    rows = np.arange(len(used))
    won = up_to[:, -1] - up_to[rows, place]
    tied = used[rows, place] - 1
    compared_with = up_to[:, -1] - 1
    counts = np.zeros((judges, 3), dtype=np.int64)
    np.add.at(counts, judge, np.stack([compared_with, won, tied], axis=1) * times[:, np.newaxis])
    sums = np.zeros((judges, 6), dtype=np.int64)
    np.add.at(sums, judge, cluster_sums(won, compared_with) * times[:, np.newaxis])
    up_to = np.cumsum(kinds, axis=1)
    return ReferenceMargins(
        blocks=blocks,
        # Won less lost: what was not won or tied was lost.
        margin=2 * counts[:, 1] + counts[:, 2] - counts[:, 0],
        comparisons=counts,
        sums=sums,
        used=kinds,
        margins=up_to[:, -1:] - 2 * up_to + kinds,
    )
