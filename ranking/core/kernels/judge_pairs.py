"""Pairs of ratings of one item by two judges, counted in one pass over ratings sorted by item."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Int64Array = npt.NDArray[np.int64]


@njit(cache=True)
def count_judge_pairs(
    item: Int64Array,
    judge: Int64Array,
    category: Int64Array,
    items: int,
    judges: int,
    categories: int,
) -> Int64Array:
    """See `ranking.core.judge_pairs.judge_pair_tables`."""
    ends = np.zeros(items + 1, dtype=np.int64)
    for row in range(len(item)):
        ends[item[row] + 1] += 1
    for i in range(items):
        ends[i + 1] += ends[i]
    # Counting sort by item. A rating fits 32 bits, and half the memory is half the time.
    ratings = np.empty(len(item), dtype=np.int32)
    place = ends[:-1].copy()
    for row in range(len(item)):
        ratings[place[item[row]]] = judge[row] * categories + category[row]
        place[item[row]] += 1
    # Counted by (judge, category) of the two ratings in either order, put in order at the end.
    counts = np.zeros((judges * categories, judges * categories), dtype=np.int64)
    for i in range(items):
        for one in range(ends[i], ends[i + 1]):
            for other in range(one + 1, ends[i + 1]):
                counts[ratings[one], ratings[other]] += 1
    return _tables(counts, judges, categories)


@njit(cache=True)
def _tables(counts: Int64Array, judges: int, categories: int) -> Int64Array:
    """Add both orders of two different judges, and leave out those of one judge."""
    tables = np.zeros((judges, judges, categories, categories), dtype=np.int64)
    for i in range(judges):
        for j in range(i + 1, judges):
            for c in range(categories):
                for k in range(categories):
                    one, other = i * categories + c, j * categories + k
                    tables[i, j, c, k] = counts[one, other] + counts[other, one]
    return tables
