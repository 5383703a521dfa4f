"""When compiled code pays for loading it.

Compiled and interpreted code give the same bits, so this is a question of time alone. Loading the
compiled kernels takes about a second, most of it for numba itself; a small campaign is ranked in a
tenth of that. Kernels are compiled once after installation and kept in ``__pycache__`` beside
their source, or where that cannot be written in the user's cache folder, or in the folder that the
environment variable ``NUMBA_CACHE_DIR`` names. ``python -m ranking.core.compile_kernels`` compiles
them ahead, for instance while an image is built.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

#: Steps of about five nanoseconds that compiled code saves.
_WORTH_LOADING = 200_000_000


def kernel_if_worth(name: str, steps: int, *, worth_calling: int = 0) -> ModuleType | None:
    """Return a module of compiled code where it saves time, else None.

    Parameters
    ----------
    name : str
        Of the module.
    steps : int
        Inner steps of the interpreted code in its place.
    worth_calling : int
        From how many steps on the module is worth calling once it is loaded.
    """
    worth = worth_calling if name in sys.modules else _WORTH_LOADING
    return import_module(name) if steps >= worth else None
