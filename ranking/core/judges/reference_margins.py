"""Margins of the reference in each block, given the labels that the judge used there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ranking.core.judged.blocks import MAX_LABEL, Blocks
from ranking.core.judged.shown_labels import shown_labels

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

_LABELS = np.arange(1, MAX_LABEL + 1)


@dataclass(frozen=True, eq=False)
class ReferenceMargins:
    """The reference's margins in B blocks that were labelled in K different ways.

    The margin of a block is the number of candidates that the reference won against, minus the
    number it lost against; ties do not count. Given how often the judge used each label in the
    block, the label of the reference determines the margin.

    Attributes
    ----------
    judge : int64, shape (B,)
        Index into `Blocks.judges`.
    kind : int64, shape (B,)
        How the block was labelled: a row of `used` and `margins`.
    margin : int64, shape (B,)
    used : int64, shape (K, 5)
        Number of candidates, including the reference, with the best label used, the second best and
        so on; 0 after the last. The values of the labels do not matter.
    margins : int64, shape (K, 5)
        Margin of the reference with this label.
    """

    judge: Int64Array
    kind: Int64Array
    margin: Int64Array
    used: Int64Array
    margins: Int64Array

    @property
    def shares(self) -> FloatArray:
        """Return the probability that clicking gives the reference each label, shape (K, 5)."""
        shares: FloatArray = self.used / self.used.sum(axis=1, keepdims=True)
        return shares

    @property
    def is_informative(self) -> npt.NDArray[np.bool_]:
        """Return whether each kind is informative, shape (K,): not if all its labels are equal."""
        return self.used[:, 1] > 0

    def by_judge(self, judges: int) -> tuple[Int64Array, Int64Array]:
        """Return blocks by kind, and sums of margins, for each judge.

        Returns
        -------
        int64, shape (judges, K)
            Blocks of each kind that the judge labelled.
        int64, shape (judges,)
            Sum of their margins.
        """
        kinds = len(self.used)
        blocks = np.bincount(self.judge * kinds + self.kind, minlength=judges * kinds)
        margin = np.zeros(judges, dtype=np.int64)
        np.add.at(margin, self.judge, self.margin)
        return blocks.reshape(judges, kinds), margin


def reference_margins(blocks: Blocks, index: int) -> ReferenceMargins:
    """Return the reference's margins in blocks where it and another candidate have a label.

    Parameters
    ----------
    blocks : Blocks
    index : int
        Column of the reference in `blocks.labels`.

    Returns
    -------
    ReferenceMargins
        Kinds are sorted, so they do not depend on the order of the blocks.
    """
    shown = shown_labels(blocks)
    used = np.stack([np.count_nonzero(shown == label, axis=1) for label in _LABELS], axis=1)
    label = blocks.labels[:, index].astype(np.int64)
    compared = (label > 0) & (used.sum(axis=1) > 1)
    label, used = label[compared], used[compared]
    better = np.sum(used, axis=1, where=label[:, np.newaxis] > _LABELS)
    worse = np.sum(used, axis=1, where=label[:, np.newaxis] < _LABELS)
    kinds, kind = _kinds(used)
    up_to = np.cumsum(kinds, axis=1)
    return ReferenceMargins(
        judge=blocks.judge[compared].astype(np.int64),
        kind=kind,
        margin=worse - better,
        used=kinds,
        margins=up_to[:, -1:] - 2 * up_to + kinds,
    )


def _kinds(used: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return the sorted distinct rows, zeros last, and the index of each row among them."""
    one_number = used @ (used.max(initial=0) + 1) ** np.arange(MAX_LABEL)
    _, first, row = np.unique(one_number, return_index=True, return_inverse=True)
    ways = used[first]
    ways = np.take_along_axis(ways, np.argsort(ways == 0, axis=1, kind="stable"), axis=1)
    kinds, kind_of_way = np.unique(ways, axis=0, return_inverse=True)
    return kinds, kind_of_way.reshape(-1)[row]
