"""Compile all kernels in advance: ``python -m ranking.core.compile_kernels``."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context

from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.rank import rank

#: Modules whose kernels have explicit signatures: importing them compiles them. The slowest come
#: first.
_BY_IMPORT = ("ranking.core.methods.lopez_kernels",)


def compile_kernels() -> None:
    """Compile all kernels that are not cached, on all cores."""
    # Spawned, because forking would copy held locks.
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as processes:
        imports = [processes.submit(_import, name) for name in _BY_IMPORT]
        runs = [processes.submit(_run)]
        for step in (*imports, *runs):
            step.result()


def _import(name: str) -> None:
    """Import a module, which compiles its kernels; return nothing, because modules cannot be
    pickled.
    """
    import_module(name)


def _run() -> None:
    """Run the kernels that are not compiled on import, to compile them."""
    rows = [
        BlockRow("j", segment, ["a", "b", "c"], [1, 1 + segment % 2, 3]) for segment in range(9)
    ]
    blocks = blocks_from_rows(rows, "abc")
    for name in METHODS:
        rank(blocks, name, resamples=2)
    rank(blocks, "hopkins_may", resamples=2, parameters={"inference": "gibbs"})


if __name__ == "__main__":
    compile_kernels()
