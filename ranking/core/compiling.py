"""When loading compiled code pays.

Compiled and interpreted code give the same bits, so this is only a question of time. Loading the
compiled kernels takes about a second, most of it for numba itself; a small campaign is ranked in a
tenth of that. Kernels are compiled once after installation and kept in ``__pycache__`` beside their
source; in the user's cache folder if that cannot be written; or in the folder that the environment
variable ``NUMBA_CACHE_DIR`` names. ``python -m ranking.core.compile_kernels`` compiles them in
advance, for instance while an image is built.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

from optional_packages import has_extra

#: The number of steps, of about five nanoseconds each, from which loading compiled code pays.
_WORTH_LOADING = 200_000_000
#: The same where numba is loaded already, as it is once 50,000 judgments were read.
_WORTH_LOADING_ONE_MORE = 20_000_000


def kernel_if_worth(name: str, steps: int, *, worth_calling: int = 0) -> ModuleType | None:
    """Return a module of compiled code if it saves time, else None.

    Parameters
    ----------
    name : str
        Name of the module.
    steps : int
        Inner steps that the interpreted code would take.
    worth_calling : int
        Number of steps from which calling the module pays once it is loaded.
    """
    worth = _WORTH_LOADING_ONE_MORE if "numba" in sys.modules else _WORTH_LOADING
    if name in sys.modules:
        worth = worth_calling
    return import_module(name) if steps >= worth and has_extra("numba") else None
