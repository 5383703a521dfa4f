"""The compiled check of the rows of a five-way CSV.

Importing this module imports numba; see `ranking.files.scan` for when that pays.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit


@njit(cache=True, nogil=True)
def shows_twice(candidate: npt.NDArray[np.int32], systems_of: npt.NDArray[np.int32]) -> bool:
    """Return whether any row of `candidate`, shape (N, S), holds a system more than once.

    `systems_of` has shape (candidates, most systems of one), padded with -1.
    """
    most = systems_of.shape[1]
    seen = np.full(systems_of.max() + 1, -1, dtype=np.int64)
    for row in range(len(candidate)):
        for place in range(candidate.shape[1]):
            one = candidate[row, place]
            if one < 0:
                continue
            for i in range(most):
                system = systems_of[one, i]
                if system < 0:
                    break
                if seen[system] == row:
                    return True
                seen[system] = row
    return False
