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
    for position in range(blocks.positions):
        here = blocks.candidates == position
        found[:, position] = np.max(blocks.labels, axis=1, where=here, initial=0)
    return found
