"""The compiled way from rows of comparisons to the blocks they come from.

Importing this module imports numba; see `ranking.files.scan` for when that pays.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

#: Room for the systems of a block; more of them are not plain.
MOST_SYSTEMS = 32


@njit(cache=True, nogil=True)
def gather(
    start: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
    system: npt.NDArray[np.int32],
    rank: npt.NDArray[np.int8],
    out_system: npt.NDArray[np.int32],
    out_group: npt.NDArray[np.int8],
    out_label: npt.NDArray[np.int8],
) -> bool:
    """Collect the systems of each block in the order in which they first occur.

    Parameters
    ----------
    start : int64, shape (B + 1,)
        Where the rows of each block begin in `rows`.
    rows : int64
        Rows of the file by block, in their order.
    system : int32, shape (rows, 2)
    rank : int8, shape (rows, 2)
    out_system, out_group, out_label : shape (B, MOST_SYSTEMS)
        Take the systems (-1 after the last), the candidate each belongs to, and its label.

    Returns
    -------
    bool
        False as soon as a block is not plain; the strict reader then has the last word.
    """
    seen = np.zeros(MOST_SYSTEMS, dtype=np.uint64)
    first_of = np.zeros(MOST_SYSTEMS, dtype=np.int64)
    for b in range(len(start) - 1):
        count = 0
        for at in range(start[b], start[b + 1]):
            row = rows[at]
            where = (-1, -1)
            for side in range(2):
                name = system[row, side]
                if name < 0:
                    return False
                found = -1
                for i in range(count):
                    if out_system[b, i] == name:
                        found = i
                        break
                if found < 0:
                    if count == MOST_SYSTEMS:
                        return False
                    found = count
                    out_system[b, found] = name
                    out_label[b, found] = rank[row, side]
                    seen[found] = np.uint64(0)
                    count += 1
                elif out_label[b, found] != rank[row, side]:
                    return False
                where = (found, where[0])
            one, other = where
            bit = np.uint64(1) << np.uint64(other)
            if one == other or seen[one] & bit:
                return False
            seen[one] |= bit
            seen[other] |= np.uint64(1) << np.uint64(one)
        groups = 0
        for i in range(count):
            group = -1
            for g in range(groups):
                if not seen[i] >> np.uint64(first_of[g]) & np.uint64(1):
                    group = g
                    break
            if group < 0:
                group = groups
                first_of[groups] = i
                groups += 1
            out_group[b, i] = group
        for i in range(count):
            for j in range(i):
                compared = seen[i] >> np.uint64(j) & np.uint64(1) == np.uint64(1)
                together = out_group[b, i] == out_group[b, j]
                if compared == together:
                    return False
                if together and out_label[b, i] != out_label[b, j]:
                    return False
    return True
