"""Covariances of centred scores."""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def centred(covariance: FloatArray) -> FloatArray:
    """Return the covariance of scores minus their mean, which is singular."""
    n = len(covariance)
    projection = np.eye(n) - 1 / n
    return np.asarray(projection @ covariance @ projection)
