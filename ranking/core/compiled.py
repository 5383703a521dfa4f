"""When to count in compiled code: only where it pays for loading the compiler.

Compiled and interpreted code give the same bits, so this is a question of time alone. Loading the
compiled kernels takes about a second, most of it for numba itself; a small campaign is ranked in a
tenth of that. Kernels are compiled once after installation and kept in ``__pycache__`` beside
their source, or where that cannot be written in the user's cache folder, or in the folder that the
environment variable ``NUMBA_CACHE_DIR`` names. ``python -m ranking.core.compiled`` compiles them
ahead, for instance while an image is built.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

_COUNTING = "ranking.core.counting_kernel"
_ORDERING = "ranking.core.linear_ordering_kernel"
_SEARCHING = "ranking.core.linear_ordering_search_kernel"
#: Others with explicit signatures, which importing compiles.
_BY_IMPORT = ("ranking.core.judge_pairs_kernel", "ranking.core.simulation_kernel")
#: Steps of about five nanoseconds that compiled code saves.
_WORTH_LOADING = 200_000_000
_WORTH_CALLING = 200_000


def counting_kernel(steps: int) -> ModuleType | None:
    """Return `ranking.core.counting_kernel` if `steps` are worth it, else None.

    Parameters
    ----------
    steps : int
        Inner steps of the interpreted code: weights drawn, or systems compared.
    """
    if sys.byteorder != "little":  # the kernel reads words of 64 bits as four of 16
        return None
    worth = _WORTH_CALLING if _COUNTING in sys.modules else _WORTH_LOADING
    return import_module(_COUNTING) if steps >= worth else None


def ordering_kernel(steps: int, *, needed: bool) -> ModuleType | None:
    """Return `ranking.core.linear_ordering_kernel` if it is needed, loaded or worth it, else None.

    Parameters
    ----------
    steps : int
        Inner steps of the interpreted code: sets of items times items that may come last.
    needed : bool
        Whether interpreted code would take too much memory.
    """
    worth = needed or _ORDERING in sys.modules or steps >= _WORTH_LOADING
    return import_module(_ORDERING) if worth else None


def searching_kernel() -> ModuleType:
    """Return `ranking.core.linear_ordering_search_kernel`: nothing interpreted takes its place."""
    return import_module(_SEARCHING)


def compile_kernels() -> None:
    """Compile what is not kept yet, by importing some kernels and by ranking with each method."""
    from ranking.core.blocks import BlockRow, blocks_from_rows
    from ranking.core.methods import METHODS
    from ranking.core.ranking import rank

    for name in (_COUNTING, _ORDERING, _SEARCHING, *_BY_IMPORT):
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
