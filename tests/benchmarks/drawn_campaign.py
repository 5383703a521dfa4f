"""A campaign drawn from Koehn's model, with ties, for the benchmarks."""

import time
from collections.abc import Callable

import numpy as np

from ranking.core.judged.blocks import Blocks

COMPARISONS_PER_BLOCK = 10


def drawn_campaign(
    comparisons: int,
    *,
    systems: int = 15,
    noise: float = 10.0,
) -> Blocks:
    """Draw five-way blocks of `systems` systems whose qualities are evenly spread over 0 … 10."""
    rng = np.random.default_rng(comparisons)
    blocks = comparisons // COMPARISONS_PER_BLOCK
    shown = np.argsort(rng.random((blocks, systems)), axis=1)[:, :5]
    perceived = np.linspace(10, 0, systems)[shown] + rng.normal(0, noise, (blocks, 5))
    label = (1 + np.argsort(np.argsort(-perceived, axis=1), axis=1)).astype(np.int8)
    # Some neighbours tie, as in WMT.
    label -= (rng.random((blocks, 5)) < 0.3) & (label > 1)
    labels = np.zeros((blocks, systems), dtype=np.int8)
    candidates = np.full((blocks, systems), -1, dtype=np.int8)
    np.put_along_axis(labels, shown, label, axis=1)
    np.put_along_axis(
        candidates,
        shown,
        np.tile(np.arange(5, dtype=np.int8), (blocks, 1)),
        axis=1,
    )
    return Blocks(
        systems=tuple(f"system-{index:02}" for index in range(systems)),
        labels=labels,
        candidates=candidates,
        judge=rng.integers(0, 40, blocks).astype(np.int32),
        judges=tuple(f"judge-{index:02}" for index in range(40)),
        segment=rng.integers(1, 3004, blocks).astype(np.int32),
        key=rng.integers(0, 2**64, blocks, dtype=np.uint64),
    )


def processor_seconds(work: Callable[[], object]) -> float:
    """Processor time of one call: other work on the machine counts less in it."""
    start = time.process_time()
    work()
    return time.process_time() - start
