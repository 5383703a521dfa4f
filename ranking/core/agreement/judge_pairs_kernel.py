"""Pairs of ratings of one item by two judges, counted in one pass over ratings sorted by item.

Importing this module imports numba, and compiles the first time. It is imported only by
`ranking.core.agreement.judge_pairs`, where there is much to count.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from optional_packages.numba import int64, njit, types

Int64Array = npt.NDArray[np.int64]

#: Read-only columns, such as those of `Blocks` and of data frames, and writable ones.
_COLUMN = types.Array(int64, 1, "C", readonly=True)


@njit(int64[:, :, :, ::1](int64[:, ::1], int64, int64), cache=True)
def _tables(counts: Int64Array, judges: int, categories: int) -> Int64Array:
    """Return the tables of pairs of different judges, both orders added up."""
    tables = np.zeros((judges, judges, categories, categories), dtype=np.int64)
    for i in range(judges):
        for j in range(i + 1, judges):
            for c in range(categories):
                for k in range(categories):
                    one, other = i * categories + c, j * categories + k
                    tables[i, j, c, k] = counts[one, other] + counts[other, one]
    return tables


@njit(int64[:, :, :, ::1](_COLUMN, _COLUMN, _COLUMN, int64, int64, int64), cache=True)
def count_judge_pairs(
    item: Int64Array,
    judge: Int64Array,
    category: Int64Array,
    items: int,
    judges: int,
    categories: int,
) -> Int64Array:
    """Count as `ranking.core.agreement.judge_pairs.judge_pair_tables` does."""
    # Counting sort by item, in 32 bits: half the memory takes nearly half the time.
    place = np.zeros(items + 1, dtype=np.uint32)
    for row in range(len(item)):
        place[item[row] + 1] += 1
    for i in range(items):
        place[i + 1] += place[i]
    ratings = np.empty(len(item), dtype=np.int32)
    for row in range(len(item)):
        here = item[row]
        ratings[place[here]] = judge[row] * categories + category[row]
        place[here] += 1
    # Each entry now points to the start of the next item. Counted by (judge, category) of the two
    # ratings in either order, put in order at the end.
    counts = np.zeros((judges * categories, judges * categories), dtype=np.int64)
    start = 0
    for i in range(items):
        end = int64(place[i])
        for one in range(start, end):
            for other in range(one + 1, end):
                counts[ratings[one], ratings[other]] += 1
        start = end
    return _tables(counts, judges, categories)
