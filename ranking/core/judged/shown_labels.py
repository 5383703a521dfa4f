"""Labels by shown position, as a judge saw the block, instead of by system."""

from __future__ import annotations

import numpy as np

from ranking.core.judged.blocks import Blocks, Int8Array


def shown_labels(blocks: Blocks) -> Int8Array:
    """Return the labels by shown position.

    Parameters
    ----------
    blocks : Blocks
        With every system that was shown: a candidate without remaining systems is missing.

    Returns
    -------
    int8, shape (B, positions)
        1 best … 5 worst; 0 if the label was left blank or no candidate was shown.
    """
    found = np.zeros((len(blocks), blocks.positions), dtype=np.int8)
    for position, label in zip(blocks.candidates.T, blocks.labels.T, strict=True):
        # All systems of a candidate have its label.
        rows = np.flatnonzero(position >= 0)
        found[rows, position[rows]] = label[rows]
    return found
