"""Rows of judges who differ, and κ of the rows without a unit."""

import math
from collections.abc import Callable

import numpy as np

from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows


def some_rows(
    seed: int,
    *,
    judges: int = 5,
    segments: int = 6,
    blocks: int = 60,
) -> list[BlockRow]:
    """Draw blocks of three of four outputs, with ties, blanks and repeated judgments."""
    random = np.random.default_rng(seed)
    return [
        BlockRow(
            f"j{random.integers(judges)}",
            int(random.integers(1, segments + 1)),
            [(name,) for name in random.permutation(list("abcd"))[:3]],
            [None if label == 4 else int(label) for label in random.integers(1, 5, 3)],
        )
        for _ in range(blocks)
    ]


def kappa_without(
    rows: list[BlockRow],
    kappa: Callable[[Blocks], float | None],
    *,
    judge: str | None = None,
    segment: int | None = None,
) -> float:
    """Measure without the rows of a judge, of a segment, or of a judge on a segment."""
    left = [
        row
        for row in rows
        if judge not in {None, row.judge} or segment not in {None, row.segment}
    ]
    found = kappa(blocks_from_rows(left, "abcd"))
    return math.nan if found is None else found
