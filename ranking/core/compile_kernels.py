"""Compile all kernels in advance: ``python -m ranking.core.compile_kernels``."""

from __future__ import annotations

from importlib import import_module

from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.rank import rank

#: Modules whose kernels have explicit signatures: importing them compiles them.
_BY_IMPORT = (
    "ranking.core.agreement.judge_pairs_kernel",
    "ranking.core.counting.kernel",
    "ranking.core.methods.linear_ordering.exact_kernel",
    "ranking.core.methods.linear_ordering.search_kernel",
    "ranking.core.simulation.kernel",
)


def compile_kernels() -> None:
    """Compile kernels that are not cached, by importing some and by ranking with each method."""
    for name in _BY_IMPORT:
        import_module(name)
    rows = [
        BlockRow("j", segment, ["a", "b", "c"], [1, 1 + segment % 2, 3]) for segment in range(9)
    ]
    blocks = blocks_from_rows(rows, "abc")
    for name in METHODS:
        rank(blocks, name, resamples=2)
    rank(blocks, "hopkins_may", resamples=2, parameters={"inference": "gibbs"})


if __name__ == "__main__":
    compile_kernels()
