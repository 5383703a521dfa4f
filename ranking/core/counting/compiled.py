"""Choose compiled or interpreted counting."""

from __future__ import annotations

import sys
from types import ModuleType

from ranking.core.compiling import kernel_if_worth

KERNEL = "ranking.core.counting.kernel"
_WORTH_CALLING = 200_000


def counting_kernel(steps: int) -> ModuleType | None:
    """Return `ranking.core.counting.kernel` if it saves time for this many steps, else None.

    Parameters
    ----------
    steps : int
        Inner steps of the interpreted code: weights drawn, or systems compared.
    """
    if sys.byteorder != "little":  # the kernel reads words of 64 bits as four of 16
        return None
    return kernel_if_worth(KERNEL, steps, worth_calling=_WORTH_CALLING)
