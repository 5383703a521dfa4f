"""Compile all kernels in advance: ``python -m ranking.core.compile_kernels``."""

from __future__ import annotations

from importlib import import_module

from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.rank import rank


def compile_kernels() -> None:
    """Compile all kernels that are not cached."""
    # Kernels with explicit signatures are compiled when their module is imported, the others when
    # they run.
    import_module("ranking.core.simulation.kernel")
    rows = [
        BlockRow("j", segment, ["a", "b", "c"], [1, 1 + segment % 2, 3]) for segment in range(9)
    ]
    blocks = blocks_from_rows(rows, "abc")
    for name in METHODS:
        rank(blocks, name, resamples=2)
    rank(blocks, "hopkins_may", resamples=2, parameters={"inference": "gibbs"})


if __name__ == "__main__":
    compile_kernels()
