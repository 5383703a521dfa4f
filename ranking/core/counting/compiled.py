"""Choose compiled or interpreted counting."""

from __future__ import annotations

import sys
from types import ModuleType

from ranking.core.compiling import kernel_if_worth

KERNEL = "ranking.core.counting.kernel"
RESAMPLING_KERNEL = "ranking.core.counting.resampling_kernel"
_WORTH_CALLING = 200_000


def counting_kernel(steps: int) -> ModuleType | None:
    """Return `ranking.core.counting.kernel` if it saves time for this many steps, else None.

    Parameters
    ----------
    steps : int
        Inner steps of the interpreted code: systems compared.
    """
    return _kernel(KERNEL, steps)


def resampling_kernel(steps: int) -> ModuleType | None:
    """Return `ranking.core.counting.resampling_kernel` if it saves time for so many weights, else None."""
    return _kernel(RESAMPLING_KERNEL, steps)


def _kernel(name: str, steps: int) -> ModuleType | None:
    if sys.byteorder != "little":  # the kernel reads words of 64 bits as four of 16
        return None
    return kernel_if_worth(name, steps, worth_calling=_WORTH_CALLING)
