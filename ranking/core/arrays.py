"""Aliases of the array types used in the core, and shares of arrays."""

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
Int8Array = npt.NDArray[np.int8]
Int16Array = npt.NDArray[np.int16]
Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
UInt64Array = npt.NDArray[np.uint64]

_Scalar = TypeVar("_Scalar", bound=np.generic)


def as_column(values: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
    """Return a view of values as a column, shape (..., n, 1), one value for each row of a table."""
    return values[..., np.newaxis]


def as_row(values: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
    """Return a view of values as a row, shape (..., 1, n), one value for each column of a table."""
    return values[..., np.newaxis, :]


def per_sample(values: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
    """Return one value per sample, of shape (S,), for use with pairs of systems: shape (S, 1, 1)."""
    return values[:, np.newaxis, np.newaxis]


def pairwise_differences(values: FloatArray) -> FloatArray:
    """Return each value minus each other one, shape (..., n, n): ``values[i] - values[j]``."""
    return as_column(values) - as_row(values)


def off_diagonal(n: int) -> BoolArray:
    """Return a mask of the pairs of n different systems, shape (n, n)."""
    return ~np.eye(n, dtype=np.bool_)


def share(part: npt.NDArray[Any], whole: npt.NDArray[Any]) -> FloatArray:
    """Return the quotient; NaN where the divisor is not above 0."""
    shape = np.broadcast_shapes(part.shape, whole.shape)
    shares: FloatArray = np.full(shape, np.nan)
    np.divide(part, whole, out=shares, where=np.broadcast_to(whole > 0, shape))
    return shares
