"""Random numbers for draws around scores, as functions of the seed and the id of a draw."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri, ndtri

from ranking.core.counting.bootstrap import uniform_numbers

FloatArray = npt.NDArray[np.float64]

#: Uniform numbers have steps of 2**-53; half a step replaces 0, whose quantile is infinite.
_LEAST = 2.0**-54


def t_deviates(seed: int, ids: range, n: int, degrees_of_freedom: float) -> FloatArray:
    """Return n normal deviates for each draw, divided by the root of a χ² over its freedom.

    They are made of uniform numbers that are hashes of the seed, the id of the draw and the place of the system.

    Parameters
    ----------
    seed : int
        0 ≤ seed < 2**64.
    ids : range
        Ids of the draws, with step 1.
    n : int
    degrees_of_freedom : float
        Of Student's t; normal deviates if infinite.

    Returns
    -------
    float64, shape (len(ids), n)
        Each row is a function of the seed, its id and the degrees of freedom.
    """
    uniform = np.maximum(
        _LEAST,
        uniform_numbers(
            np.arange(n + 1, dtype=np.uint64),
            seed=seed,
            resamples=len(ids),
            first_resample=ids.start,
        ),
    )
    normal: FloatArray = np.ascontiguousarray(ndtri(uniform[:n]).T)
    if np.isinf(degrees_of_freedom):
        return normal
    scale = np.sqrt(chdtri(degrees_of_freedom, uniform[n]) / degrees_of_freedom)
    return np.asarray(normal / scale[:, np.newaxis])
