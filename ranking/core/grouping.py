"""Sums of rows by group and of values by cell, and distinct pairs of whole numbers."""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.arrays import FloatArray, Int64Array, share


def sums_by_group(
    rows: npt.NDArray[Any],
    group: npt.NDArray[np.integer],
    groups: int,
) -> npt.NDArray[Any]:
    """Sum the rows of each group.

    Parameters
    ----------
    rows : array, shape (N, ...)
    group : int, shape (N,)
        Group of each row: 0 ≤ group < groups.
    groups : int

    Returns
    -------
    array, shape (groups, ...)
        int64 for integers and masks. Floats are added in the order of the rows.
    """
    count = len(group)
    trailing = rows.shape[1:]
    # Column r of the matrix has a single 1, in the row of the group of r.
    ones = np.ones(count, dtype=np.int64)
    membership = sparse.csc_array(
        (ones, group, np.arange(count + 1)),
        shape=(groups, count),
    )
    sums = membership @ rows.reshape(count, math.prod(trailing))
    return np.asarray(sums).reshape(groups, *trailing)


def column_sums_by_group(
    columns: npt.NDArray[Any],
    group: npt.NDArray[np.integer],
    groups: int,
) -> FloatArray:
    """Sum the columns of each group, as floats: from shape (m, N) to (m, groups)."""
    sums = [np.bincount(group, row, groups) for row in columns]
    return np.stack(sums)


class CellSums(NamedTuple):
    """Sums and numbers of the values in each cell of a table.

    Attributes
    ----------
    sums : float64, shape (rows, columns)
    counts : int64, shape (rows, columns)
    """

    sums: FloatArray
    counts: Int64Array

    @property
    def means(self) -> FloatArray:
        """Mean of each cell; NaN without values."""
        return share(self.sums, self.counts)


def sums_by_cell(
    row: npt.NDArray[np.integer],
    column: npt.NDArray[np.integer],
    values: npt.NDArray[Any],
    *,
    shape: tuple[int, int],
) -> CellSums:
    """Sum and count N values by their rows and columns in a table of this shape."""
    rows, columns = shape
    cell = row.astype(np.int64) * columns + column
    sums = np.bincount(cell, values, rows * columns).astype(np.float64)
    counts = np.bincount(cell, minlength=rows * columns)
    return CellSums(sums.reshape(shape), counts.reshape(shape))


class DistinctPairs(NamedTuple):
    """The P distinct ones among N pairs of whole numbers, sorted.

    Attributes
    ----------
    first, second : int64, shape (P,)
    inverse : int64, shape (N,)
        Which distinct pair each of the N pairs is.
    """

    first: Int64Array
    second: Int64Array
    inverse: Int64Array


def distinct_pairs(
    first: npt.NDArray[np.integer],
    second: npt.NDArray[np.integer],
) -> DistinctPairs:
    """Find the distinct pairs of numbers of two columns, all at least 0.

    Parameters
    ----------
    first, second : int, shape (N,)
    """
    base = int(second.max(initial=0)) + 1
    # Packed into one number, which sorts faster than two.
    packed = first.astype(np.int64) * base + second
    numbers, inverse = np.unique(packed, return_inverse=True)
    return DistinctPairs(numbers // base, numbers % base, inverse)
