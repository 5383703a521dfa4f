"""The compiled way from rows of comparisons to the blocks they come from.

Importing this module imports numba; see `ranking.files.reading` for when that pays.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

#: Room for the systems of a block; more of them are not plain.
MAX_SYSTEMS = 32


@njit(cache=True, nogil=True)
def _place_of(
    name: int, rank: int, count: int, system: npt.NDArray[np.int32], label: npt.NDArray[np.int8]
) -> int:
    """Return the place of the name among the block's `count`: `count` if new, -1 if not plain."""
    for i in range(count):
        if system[i] == name:
            return i if label[i] == rank else -1
    if name < 0 or count == MAX_SYSTEMS:
        return -1
    system[count] = name
    label[count] = rank
    return count


@njit(cache=True, nogil=True)
def _grouped(
    count: int,
    compared: npt.NDArray[np.bool_],
    label: npt.NDArray[np.int8],
    group: npt.NDArray[np.int8],
) -> bool:
    """Put systems that are not compared into one group; False where the pairs do not allow it."""
    first_of = np.zeros(MAX_SYSTEMS, dtype=np.int64)
    groups = 0
    for i in range(count):
        g = 0
        while g < groups and compared[i, first_of[g]]:
            g += 1
        if g == groups:
            first_of[g] = i
            groups += 1
        group[i] = g
        for j in range(i):
            together = group[i] == group[j]
            if compared[i, j] == together or (together and label[i] != label[j]):
                return False
    return True


@njit(cache=True, nogil=True)
def gather(
    start: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
    same: npt.NDArray[np.int32],
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
    same : int32, shape (rows, columns)
        What must be the same in all rows of a block.
    system : int32, shape (rows, 2)
    rank : int8, shape (rows, 2)
    out_system, out_group, out_label : shape (B, MAX_SYSTEMS)
        Take the systems (-1 after the last), the candidate each belongs to, and its label.

    Returns
    -------
    bool
        False as soon as a block is not plain; the strict reader then has the last word.
    """
    compared = np.zeros((MAX_SYSTEMS, MAX_SYSTEMS), dtype=np.bool_)
    for b in range(len(start) - 1):
        count = 0
        for at in range(start[b], start[b + 1]):
            row, first = rows[at], rows[start[b]]
            fits = True
            for column in range(same.shape[1]):
                fits &= same[row, column] == same[first, column]
            one = _place_of(system[row, 0], rank[row, 0], count, out_system[b], out_label[b])
            count += one == count
            other = _place_of(system[row, 1], rank[row, 1], count, out_system[b], out_label[b])
            count += other == count
            if not fits or one < 0 or other < 0 or one == other or compared[one, other]:
                return False
            compared[one, other] = compared[other, one] = True
        if not _grouped(count, compared, out_label[b], out_group[b]):
            return False
        compared[:count, :count] = False
    return True
