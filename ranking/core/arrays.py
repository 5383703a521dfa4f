"""Aliases of the array types used in the core, and shares of arrays."""

from typing import Any

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
Int8Array = npt.NDArray[np.int8]
Int16Array = npt.NDArray[np.int16]
Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
UInt64Array = npt.NDArray[np.uint64]


def off_diagonal(n: int) -> BoolArray:
    """Return a mask of the pairs of n different systems, shape (n, n)."""
    return ~np.eye(n, dtype=np.bool_)


def share(part: npt.NDArray[Any], whole: npt.NDArray[Any]) -> FloatArray:
    """Return the quotient; NaN where the divisor is not above 0."""
    shape = np.broadcast_shapes(part.shape, whole.shape)
    shares: FloatArray = np.full(shape, np.nan)
    np.divide(part, whole, out=shares, where=np.broadcast_to(whole > 0, shape))
    return shares
