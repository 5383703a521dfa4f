"""Compile all kernels in advance: ``python -m ranking.core.compile_kernels``."""

from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.rank import rank


def compile_kernels() -> None:
    """Run each method, which compiles those of its kernels that are not cached."""
    rows = [
        BlockRow("j", segment, ["a", "b", "c"], [1, 1 + segment % 2, 3])
        for segment in range(9)
    ]
    blocks = blocks_from_rows(rows, "abc")
    for name in METHODS:
        rank(blocks, name, resamples=2)


if __name__ == "__main__":
    compile_kernels()
